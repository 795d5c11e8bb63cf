#include "aclimb/ops/attention/backward.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/attention/scores.h"
#include "aclimb/ops/attention/tiles.h"
#include "aclimb/rows/spans.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::attention {
namespace {

constexpr int64_t kTileQueries = 256;

// A tile of queries against a tile of keys.
struct Pair {
  int64_t batch, head;
  int64_t query, queries;
  int64_t key, keys;
};

class BackwardPlan final : public Plan {
 public:
  BackwardPlan(Planner& planner, Backward backward) : of_(std::move(backward)) {
    const Problem& p = of_.problem;
    queries_ = CutInto(p.queries, kTileQueries);
    keys_ = CutInto(p.keys, kTileKeys);
    rounding_ = copy::Converter(DType::kFloat32, of_.query.by_heads().dtype);
    halves_ = MultipliesHalves(of_.query.by_heads().dtype);
    operand_ = halves_ ? DType::kBFloat16 : DType::kFloat32;
    const bool counted = !of_.key_counts.empty();
    query_ = Panel(of_.query, p.width, false, operand_);
    key_ = Panel(of_.key, p.width, counted, operand_);
    value_ = Panel(of_.value, p.value_width, counted, operand_);
    grad_ = Panel(of_.grad, p.value_width, counted, operand_);
    wide_grad_ = Panel(of_.grad, p.value_width, counted, DType::kFloat32);
    result_ = Panel(of_.result, p.value_width, counted, DType::kFloat32);
    MakeProducts();
    if (of_.bias_grad.given()) {
      const TensorView& view = of_.bias_grad.by_heads();
      bias_batches_ = view.shape[0];
      bias_queries_ = view.shape[2];
    }
    bias_is_whole_ = bias_batches_ == p.batch && bias_queries_ == p.queries;
    // Sums of batches that lie one after the other would meet at their ends.
    whole_heads_ = !counted && p.batch * p.key_heads >= TeamSize();
    BookScratch(planner);
    planner.Costs({.cycles = (of_.bias_grad.given() && !bias_is_whole_ ? 4.5
                              : whole_heads_                           ? 2.5
                                                                       : 3.5) *
                             p.Work() / kMultiplications});
  }

  double Flops() const override { return 5 * of_.problem.Work(); }

  void Run(const RunContext& run) const override {
    if (!of_.Fetch(run)) return;
    for (const Operand* each : {&of_.grad, &of_.result}) {
      if (each->given() && !each->Fetch(run)) return;
    }
    for (const rows::Dense* each : {&of_.max, &of_.sum}) {
      if (each->given() && !each->Fetch(run)) return;
    }
    Arguments a;
    a.problem = of_.At(run);
    const Problem& p = a.problem;
    a.grad = of_.grad.At(run, p.query_starts);
    a.result = of_.result.At(run, p.query_starts);
    a.max = static_cast<const float*>(of_.max.Data(run));
    a.sum = static_cast<const float*>(of_.sum.Data(run));
    a.query_grad = of_.query_grad.At(run, p.query_starts);
    a.key_grad = of_.key_grad.At(run, p.key_starts);
    a.value_grad = of_.value_grad.At(run, p.key_starts);
    a.bias_grad = of_.bias_grad.At(run);
    a.deltas = run.Piece<float>(deltas_);
    a.query_sums = run.Piece<float>(query_sums_);

    const bool whole = scratch_.Run(run, QueryUnits(), 1, [&](int64_t unit, char* memory) {
      FindDeltas(a, unit, memory);
    }) && scratch_.Run(run, HeadUnits() + BiasUnits(), 1, [&](int64_t unit, char* memory) {
      if (unit >= HeadUnits()) return GradBias(a, unit - HeadUnits(), memory);
      if (whole_heads_) return GradHeads(a, unit, memory);
      if (unit < KeyUnits()) return GradKeys(a, unit, memory);
      GradQueries(a, unit - KeyUnits(), memory);
    });
    if (!whole) return;
    for (const Operand* out : {&of_.query_grad, &of_.key_grad, &of_.value_grad, &of_.bias_grad}) {
      if (out->given() && !out->Deliver(run)) return;
    }
  }

 private:
  struct Arguments {
    Problem problem;
    Rows grad, result;
    const float *max, *sum;
    Rows query_grad, key_grad, value_grad, bias_grad;
    float* deltas;
    float* query_sums;  // of all heads, where one thread makes all gradients of a head
  };

  // ---- Units of work: a tile of keys of a head, a tile of queries of a head, a tile of a bias.
  // Where there are enough heads of keys for all threads, they and their queries are one unit,
  // whose scores are computed once. The sums are the same, in the same order.
  int64_t HeadUnits() const {
    const Problem& p = of_.problem;
    return whole_heads_ ? p.batch * p.key_heads : KeyUnits() + QueryUnits();
  }
  int64_t KeyUnits() const { return of_.problem.batch * of_.problem.key_heads * keys_.Pieces(); }
  int64_t QueryUnits() const { return of_.problem.batch * of_.problem.heads * queries_.Pieces(); }
  int64_t BiasUnits() const {
    if (!of_.bias_grad.given() || bias_is_whole_) return 0;
    return bias_batches_ * of_.problem.heads * BiasPieces() * keys_.Pieces();
  }
  int64_t BiasPieces() const { return bias_queries_ == 1 ? 1 : queries_.Pieces(); }

  void MakeProducts() {
    const Problem& p = of_.problem;
    const int64_t row = keys_.length;  // of scores
    using matmul::onednn::Request;
    scores_ = TileProducts(queries_, keys_, [&](int64_t m, int64_t n) {
      return Request{.m = m,
                     .n = n,
                     .k = p.width,
                     .a_row = p.width,
                     .a_column = 1,
                     .b_row = 1,
                     .b_column = key_.stride(),
                     .c_row = row,
                     .operand = operand_};
    });
    weight_grads_ = TileProducts(queries_, keys_, [&](int64_t m, int64_t n) {
      return Request{.m = m,
                     .n = n,
                     .k = p.value_width,
                     .a_row = grad_.stride(),
                     .a_column = 1,
                     .b_row = 1,
                     .b_column = value_.stride(),
                     .c_row = row,
                     .operand = operand_};
    });
    value_grads_ = TileProducts(queries_, keys_, [&](int64_t m, int64_t n) {
      return Request{.m = n,
                     .n = p.value_width,
                     .k = m,
                     .a_row = 1,
                     .a_column = row,
                     .b_row = grad_.stride(),
                     .b_column = 1,
                     .c_row = p.value_width,
                     .operand = operand_,
                     .accumulates = true};
    });
    key_grads_ = TileProducts(queries_, keys_, [&](int64_t m, int64_t n) {
      return Request{.m = n,
                     .n = p.width,
                     .k = m,
                     .a_row = 1,
                     .a_column = row,
                     .b_row = p.width,
                     .b_column = 1,
                     .c_row = p.width,
                     .operand = operand_,
                     .accumulates = true};
    });
    query_grads_ = TileProducts(queries_, keys_, [&](int64_t m, int64_t n) {
      return Request{.m = m,
                     .n = p.width,
                     .k = n,
                     .a_row = row,
                     .a_column = 1,
                     .b_row = key_.stride(),
                     .b_column = 1,
                     .c_row = p.width,
                     .operand = operand_,
                     .accumulates = true};
    });
  }

  void BookScratch(Planner& planner) {
    const Problem& p = of_.problem;
    Arrays arrays;
    const int64_t rows = queries_.length, columns = keys_.length;
    at_.query = arrays.Add<float>(rows * p.width);
    at_.grad = arrays.Add<char>(std::max(grad_.BufferBytes(rows), wide_grad_.BufferBytes(rows)));
    at_.result = arrays.Add<char>(result_.BufferBytes(rows));
    at_.key = arrays.Add<char>(key_.BufferBytes(columns));
    at_.value = arrays.Add<char>(value_.BufferBytes(columns));
    at_.weights = arrays.Add<float>(rows * columns);
    at_.score_grads = arrays.Add<float>(rows * columns);
    at_.bias = arrays.Add<float>(columns);
    at_.first = arrays.Add<float>(std::max(rows, columns) * p.width);
    at_.second = arrays.Add<float>(columns * p.value_width);
    const int64_t split = halves_ ? rows * columns : 0;
    at_.halves = arrays.Add<uint16_t>(split);
    at_.rest = arrays.Add<uint16_t>(split);
    at_.sums = arrays.Add<double>(BiasUnits() == 0 ? 0 : rows * columns);
    int64_t scratch = 0;
    for (const TileProducts* each :
         {&scores_, &weight_grads_, &value_grads_, &key_grads_, &query_grads_}) {
      scratch = std::max(scratch, each->ScratchBytes());
    }
    at_.product = arrays.Add<char>(scratch);
    scratch_.Book(planner, std::max(QueryUnits(), HeadUnits() + BiasUnits()),
                  RoundUp(arrays.bytes(), int64_t{4096}));
    if (whole_heads_) {
      query_sums_ = planner.workspace().Book(p.batch * p.heads * p.queries * p.width,
                                             static_cast<int64_t>(sizeof(float)));
    }
    const int64_t queries = of_.query_starts.empty()
                                ? p.batch * p.queries
                                : of_.query_starts.back() + of_.query_counts.back();
    deltas_ = planner.workspace().Book(queries * p.heads, static_cast<int64_t>(sizeof(float)));
  }

  static float* Floats(char* memory, int64_t at) { return reinterpret_cast<float*>(memory + at); }

  // For each query the sum over its weights of weight times gradient, which is that over its
  // result.
  void FindDeltas(const Arguments& a, int64_t unit, char* memory) const {
    const Problem& p = a.problem;
    const Pair pair = QueriesOf(unit);
    const int64_t valid = ValidQueries(p, pair);
    if (valid == 0) return;
    const auto load = [&](const Panel& panel, const Rows& rows, int64_t at) {
      return reinterpret_cast<const float*>(
          panel.Load(rows, pair.batch, pair.head, pair.query, pair.queries, valid, memory + at));
    };
    const float* const grad = load(wide_grad_, a.grad, at_.grad);
    const float* const result = load(result_, a.result, at_.result);
    for (int64_t r = 0; r < valid; ++r) {
      a.deltas[PlaceOf(p, pair, r)] = static_cast<float>(rows::SpansInUse().dot(
          grad + r * wide_grad_.stride(), result + r * result_.stride(), p.value_width));
    }
  }

  Pair QueriesOf(int64_t unit) const {
    const int64_t piece = unit % queries_.Pieces(), head = unit / queries_.Pieces();
    return {.batch = head / of_.problem.heads,
            .head = head % of_.problem.heads,
            .query = queries_.Begin(piece),
            .queries = queries_.Length(piece),
            .key = 0,
            .keys = 0};
  }
  static int64_t PlaceOf(const Problem& p, const Pair& pair, int64_t row) {
    return p.PlaceOf(pair.batch, pair.head, pair.query + row);
  }
  // How many of the pair's queries and keys there are.
  static int64_t ValidQueries(const Problem& p, const Pair& pair) {
    return std::clamp<int64_t>(p.QueriesOf(pair.batch) - pair.query, 0, pair.queries);
  }
  static int64_t ValidKeys(const Problem& p, const Pair& pair) {
    return std::clamp<int64_t>(p.KeysOf(pair.batch) - pair.key, 0, pair.keys);
  }

  // Whether any key of the pair takes part for any of its queries.
  static bool Meets(const Problem& p, const Pair& pair) {
    for (int64_t q = pair.query; q < pair.query + ValidQueries(p, pair); ++q) {
      const Range keys = p.KeysOf(pair.batch, q);
      if (!keys.empty() && keys.begin < pair.key + pair.keys && keys.end > pair.key) return true;
    }
    return false;
  }

  // ---- Operands of a pair
  // Where they are float32, queries are scaled; else the scores and the gradients of keys are.
  void LoadQueries(const Arguments& a, const Pair& pair, char* memory) const {
    const Problem& p = a.problem;
    char* const to = memory + at_.query;
    const int64_t bytes = p.width * static_cast<int64_t>(SizeOf(operand_));
    const int64_t valid = ValidQueries(p, pair);
    std::fill(to + valid * bytes, to + pair.queries * bytes, '\0');
    for (int64_t r = 0; r < valid; ++r) {
      query_.LoadRow(p.query.At(pair.batch, pair.head, pair.query + r), to + r * bytes);
    }
    if (!halves_) {
      Scale(reinterpret_cast<float*>(to), pair.queries * p.width, static_cast<float>(p.scale));
    }
  }
  const char* LoadGrad(const Arguments& a, const Pair& pair, char* memory) const {
    return grad_.Load(a.grad, pair.batch, pair.head, pair.query, pair.queries,
                      ValidQueries(a.problem, pair), memory + at_.grad);
  }
  const char* LoadKeys(const Arguments& a, const Pair& pair, char* memory) const {
    return key_.Load(a.problem.key, pair.batch, pair.head / a.problem.Group(), pair.key, pair.keys,
                     ValidKeys(a.problem, pair), memory + at_.key);
  }
  const char* LoadValues(const Arguments& a, const Pair& pair, char* memory) const {
    return value_.Load(a.problem.value, pair.batch, pair.head / a.problem.Group(), pair.key,
                       pair.keys, ValidKeys(a.problem, pair), memory + at_.value);
  }

  // What is multiplied of the numbers at `numbers`, weights or gradients of scores: they
  // themselves, or the two of bfloat16 that make up each.
  struct Factors {
    int64_t at[2];
    int count;
  };
  Factors FactorsOf(const Pair& pair, int64_t numbers, char* memory) const {
    if (!halves_) return {{numbers, 0}, 1};
    for (int64_t r = 0; r < pair.queries; ++r) {
      const int64_t row = r * keys_.length, bytes = row * static_cast<int64_t>(sizeof(uint16_t));
      split_.Split(Floats(memory, numbers) + row, pair.keys, memory + at_.halves + bytes,
                   memory + at_.rest + bytes, Floats(memory, at_.bias));
    }
    return {{at_.halves, at_.rest}, 2};
  }
  void AddProduct(const TileProducts& products, const Pair& pair, const Factors& factors,
                  const char* other, float* sums, char* memory) const {
    for (int i = 0; i < factors.count; ++i) {
      products.Of(pair.queries, pair.keys)
          ->Run(memory + factors.at[i], other, sums, memory + at_.product);
    }
  }
  static void Scale(float* x, int64_t n, float factor) {
    if (factor != 1) rows::SpansInUse().scale[rows::kFlat](x, &factor, nullptr, n, x, false);
  }

  // The weights of the pair, as dropout left them, and the gradients of its scores. The queries are
  // in the thread's memory.
  void GradScores(const Arguments& a, const Pair& pair, const char* grad, const char* key,
                  const char* value, char* memory) const {
    const Problem& p = a.problem;
    float* const weights = Floats(memory, at_.weights);
    float* const grads = Floats(memory, at_.score_grads);
    char* const scratch = memory + at_.product;
    scores_.Of(pair.queries, pair.keys)->Run(memory + at_.query, key, weights, scratch);
    weight_grads_.Of(pair.queries, pair.keys)->Run(grad, value, grads, scratch);
    const rows::Spans& spans = rows::SpansInUse();
    const int64_t valid = ValidQueries(p, pair);
    for (int64_t r = 0; r < pair.queries; ++r) {
      float* const weight = weights + r * keys_.length;
      float* const score_grad = grads + r * keys_.length;
      const RowPlace row = {.batch = pair.batch,
                            .head = pair.head,
                            .query = pair.query + r,
                            .first = pair.key,
                            .count = pair.keys};
      const int64_t place = r < valid ? PlaceOf(p, pair, r) : 0;
      const float sum = r < valid ? a.sum[place * of_.repeats] : 0;
      const float max = r < valid ? a.max[place * of_.repeats] : kLowest;
      if (halves_) Scale(weight, pair.keys, static_cast<float>(p.scale));
      Range keys;
      // A query that no key takes part for has the sum 0.
      if (sum != 0) {
        keys = FinishScores(p, row, weight, Floats(memory, at_.bias));
      }
      if (keys.empty()) {
        std::fill_n(weight, pair.keys, 0.0f);
        std::fill_n(score_grad, pair.keys, 0.0f);
        continue;
      }
      std::fill(weight, weight + keys.begin, 0.0f);
      std::fill(weight + keys.end, weight + pair.keys, 0.0f);
      const float inverse = 1 / sum;
      float* const scores = weight + keys.begin;
      const int64_t count = keys.end - keys.begin;
      const bool some_masked = p.mask.given() || p.bias.given();
      Lower(max, count, scores);
      if (some_masked) Raise(max, count, scores);
      spans.exp_scale[rows::kFlat](scores, &max, &inverse, count, scores, false);
      if (some_masked) DropNegligible(inverse, count, scores);
      Drop(p, row, score_grad);
      spans.softmax_gradient[rows::kFlat](score_grad, weight, a.deltas + place, pair.keys,
                                          score_grad, false);
      Drop(p, row, weight);
    }
  }

  // The gradients of a tile of keys and of their values, from all queries.
  void GradKeys(const Arguments& a, int64_t unit, char* memory) const {
    const Problem& p = a.problem;
    const int64_t piece = unit % keys_.Pieces(), group = unit / keys_.Pieces();
    const int64_t first_head = group % p.key_heads * p.Group();
    Pair pair = {.batch = group / p.key_heads,
                 .head = first_head,
                 .query = 0,
                 .queries = 0,
                 .key = keys_.Begin(piece),
                 .keys = keys_.Length(piece)};
    float* const key_sums = Floats(memory, at_.first);
    float* const value_sums = Floats(memory, at_.second);
    std::fill_n(key_sums, pair.keys * p.width, 0.0f);
    std::fill_n(value_sums, pair.keys * p.value_width, 0.0f);
    const char* const key = LoadKeys(a, pair, memory);
    const char* const value = LoadValues(a, pair, memory);
    for (; pair.head < first_head + p.Group(); ++pair.head) {
      for (int64_t q = 0; q < queries_.Pieces(); ++q) {
        pair.query = queries_.Begin(q);
        pair.queries = queries_.Length(q);
        const bool meets = Meets(p, pair);
        if (meets) {
          LoadQueries(a, pair, memory);
          const char* const grad = LoadGrad(a, pair, memory);
          GradScores(a, pair, grad, key, value, memory);
          AddProduct(value_grads_, pair, FactorsOf(pair, at_.weights, memory), grad, value_sums,
                     memory);
          const Factors factors = FactorsOf(pair, at_.score_grads, memory);
          AddProduct(key_grads_, pair, factors, memory + at_.query, key_sums, memory);
          if (whole_heads_) {
            AddProduct(query_grads_, pair, factors, key,
                       a.query_sums + PlaceOf(p, pair, 0) * p.width, memory);
          }
        }
        if (bias_is_whole_) PutBias(a, pair, meets, memory);
      }
    }
    if (halves_) Scale(key_sums, pair.keys * p.width, static_cast<float>(p.scale));
    const int64_t head = group % p.key_heads;
    for (int64_t r = 0; r < (p.IsPacked() ? ValidKeys(p, pair) : pair.keys); ++r) {
      Put(a.key_grad, pair.batch, head, pair.key + r, key_sums + r * p.width, p.width);
      Put(a.value_grad, pair.batch, head, pair.key + r, value_sums + r * p.value_width,
          p.value_width);
    }
  }

  // The gradients of a head of keys, of its values, and of the queries that it serves.
  void GradHeads(const Arguments& a, int64_t unit, char* memory) const {
    const Problem& p = a.problem;
    const int64_t batch = unit / p.key_heads, first = unit % p.key_heads * p.Group();
    float* const sums = a.query_sums + (batch * p.heads + first) * p.queries * p.width;
    std::fill_n(sums, p.Group() * p.queries * p.width, 0.0f);
    for (int64_t piece = 0; piece < keys_.Pieces(); ++piece) {
      GradKeys(a, unit * keys_.Pieces() + piece, memory);
    }
    Scale(sums, p.Group() * p.queries * p.width, static_cast<float>(p.scale));
    for (int64_t r = 0; r < p.Group() * p.queries; ++r) {
      Put(a.query_grad, batch, first + r / p.queries, r % p.queries, sums + r * p.width, p.width);
    }
  }

  // The gradient of a tile of queries.
  void GradQueries(const Arguments& a, int64_t unit, char* memory) const {
    const Problem& p = a.problem;
    Pair pair = QueriesOf(unit);
    float* const sums = Floats(memory, at_.first);
    std::fill_n(sums, pair.queries * p.width, 0.0f);
    LoadQueries(a, pair, memory);
    const char* const grad = LoadGrad(a, pair, memory);
    for (int64_t k = 0; k < keys_.Pieces(); ++k) {
      pair.key = keys_.Begin(k);
      pair.keys = keys_.Length(k);
      if (!Meets(p, pair)) continue;
      const char* const key = LoadKeys(a, pair, memory);
      GradScores(a, pair, grad, key, LoadValues(a, pair, memory), memory);
      AddProduct(query_grads_, pair, FactorsOf(pair, at_.score_grads, memory), key, sums, memory);
    }
    Scale(sums, pair.queries * p.width, static_cast<float>(p.scale));
    for (int64_t r = 0; r < (p.IsPacked() ? ValidQueries(p, pair) : pair.queries); ++r) {
      Put(a.query_grad, pair.batch, pair.head, pair.query + r, sums + r * p.width, p.width);
    }
  }

  // A tile of the gradient of a bias that several batches or all queries share.
  void GradBias(const Arguments& a, int64_t unit, char* memory) const {
    const Problem& p = a.problem;
    const int64_t k = unit % keys_.Pieces(), rest = unit / keys_.Pieces();
    const int64_t piece = rest % BiasPieces(), head = rest / BiasPieces() % p.heads;
    const int64_t batch = rest / BiasPieces() / p.heads;
    const bool one_row = bias_queries_ == 1;
    const int64_t rows = one_row ? 1 : queries_.Length(piece);
    auto* const sums = reinterpret_cast<double*>(memory + at_.sums);
    std::fill_n(sums, rows * keys_.length, 0.0);
    Pair pair = {.batch = 0,
                 .head = head,
                 .query = 0,
                 .queries = 0,
                 .key = keys_.Begin(k),
                 .keys = keys_.Length(k)};
    for (int64_t b = 0; b < p.batch; ++b) {
      if (bias_batches_ > 1 && b != batch) continue;
      pair.batch = b;
      for (int64_t q = one_row ? 0 : piece; q < (one_row ? queries_.Pieces() : piece + 1); ++q) {
        pair.query = queries_.Begin(q);
        pair.queries = queries_.Length(q);
        if (!Meets(p, pair)) continue;
        LoadQueries(a, pair, memory);
        const char* const grad = LoadGrad(a, pair, memory);
        const char* const key = LoadKeys(a, pair, memory);
        GradScores(a, pair, grad, key, LoadValues(a, pair, memory), memory);
        const float* const grads = Floats(memory, at_.score_grads);
        for (int64_t r = 0; r < pair.queries; ++r) {
          double* const row = sums + (one_row ? 0 : r * keys_.length);
          for (int64_t i = 0; i < pair.keys; ++i) {
            row[i] += static_cast<double>(grads[r * keys_.length + i]);
          }
        }
      }
    }
    float* const row = Floats(memory, at_.weights);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < pair.keys; ++i) {
        row[i] = static_cast<float>(sums[r * keys_.length + i] * p.bias_factor);
      }
      PutBiasRow(a, batch, head, one_row ? 0 : queries_.Begin(piece) + r, pair, row);
    }
  }

  // The pair's own part of the gradient of a bias.
  void PutBias(const Arguments& a, const Pair& pair, bool meets, char* memory) const {
    float* const grads = Floats(memory, at_.score_grads);
    for (int64_t r = 0; r < pair.queries; ++r) {
      float* const row = grads + r * keys_.length;
      if (meets) {
        Scale(row, pair.keys, static_cast<float>(a.problem.bias_factor));
      } else {
        std::fill_n(row, pair.keys, 0.0f);
      }
      PutBiasRow(a, pair.batch, pair.head, pair.query + r, pair, row);
    }
  }
  void PutBiasRow(const Arguments& a, int64_t batch, int64_t head, int64_t query, const Pair& pair,
                  const float* row) const {
    Rows to = a.bias_grad;
    to.data += pair.key * to.size;
    Put(to, batch, head, query, row, pair.keys);
  }

  void Put(const Rows& to, int64_t b, int64_t h, int64_t r, const float* row, int64_t n) const {
    if (rounding_.Changes()) return rounding_.Run(row, n, to.At(b, h, r));
    std::copy_n(row, n, reinterpret_cast<float*>(to.At(b, h, r)));
  }

  const Backward of_;
  Cut queries_, keys_;
  bool halves_ = false;  // of_ has bfloat16, and is multiplied so
  DType operand_ = DType::kFloat32;
  Halves split_;
  copy::Converter rounding_;  // all gradients have the dtype of the operands
  Panel query_, key_, value_, grad_, wide_grad_, result_;
  TileProducts scores_, weight_grads_, value_grads_, key_grads_, query_grads_;
  int64_t bias_batches_ = 0, bias_queries_ = 0;
  bool bias_is_whole_ = false;
  bool whole_heads_ = false;
  struct {
    int64_t query, grad, result, key, value, weights, score_grads, bias, first, second, halves,
        rest, sums, product;
  } at_ = {};
  UnitScratch scratch_;
  WorkspacePiece deltas_, query_sums_;
};

}  // namespace

PlanPointer MakeBackwardPlan(Planner& planner, Backward backward) {
  const Problem& p = backward.problem;
  if (p.batch == 0 || (p.queries == 0 && p.keys == 0)) return nullptr;
  return NewPlan<BackwardPlan>(planner, std::move(backward));
}

}  // namespace aclimb::attention
