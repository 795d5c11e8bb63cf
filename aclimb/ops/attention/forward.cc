#include "aclimb/ops/attention/forward.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/attention/few_rows.h"
#include "aclimb/ops/attention/scores.h"
#include "aclimb/ops/attention/tiles.h"
#include "aclimb/rows/spans.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::attention {
namespace {

// Both factors of a tile, its scores and results stay in a core's second-level cache.
constexpr int64_t kTileRows = 128;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Queries of some heads that share their keys.
struct Tile {
  int64_t batch, head, heads, query, queries;

  int64_t rows() const { return heads * queries; }
  int64_t HeadOf(int64_t row) const { return head + row / queries; }
  int64_t QueryOf(int64_t row) const { return query + row % queries; }
};

class ForwardPlan final : public Plan {
 public:
  ForwardPlan(Planner& planner, Forward forward) : of_(std::move(forward)) {
    const Problem& p = of_.problem;
    // Short sequences fill a tile with the queries of several heads.
    queries_ = CutInto(p.queries, kTileRows);
    heads_ = CutInto(p.Group(), std::max<int64_t>(1, kTileRows / queries_.length));
    keys_ = CutInto(p.keys, MostKeys());
    const int64_t rows = heads_.length * queries_.length;
    is_few_ =
        rows <= MostFewRows(of_.key.by_heads().dtype) && p.value_width <= matmul::kMostResults;
    halves_ = !is_few_ && MultipliesHalves(of_.query.by_heads().dtype);
    operand_ = halves_ ? DType::kBFloat16 : DType::kFloat32;
    query_ = Panel(of_.query, p.width, false, operand_);
    if (is_few_) {
      few_ = FewRows(of_.key.by_heads().dtype, of_.value.by_heads().dtype);
    } else {
      MakeProducts(!of_.key_counts.empty());
    }
    BookScratch(planner, rows);
    planner.Costs({.cycles = p.Work() / kMultiplications + of_.query.CopyCycles() +
                             of_.key.CopyCycles() + of_.value.CopyCycles() + of_.out.CopyCycles()});
  }

  double Flops() const override { return 2 * of_.problem.Work(); }

  void Run(const RunContext& run) const override {
    if (!of_.Fetch(run)) return;
    const Problem p = of_.At(run);
    const Results results = {.out = of_.out.At(run, p.query_starts),
                             .max = static_cast<float*>(of_.max.Data(run)),
                             .sum = static_cast<float*>(of_.sum.Data(run)),
                             .log_sum = static_cast<float*>(of_.log_sum.Data(run))};
    const bool whole = scratch_.Run(run, Units(), 1, [&](int64_t unit, char* memory) {
      RunTile(p, TileOf(unit), results, memory);
    });
    if (!whole || !of_.out.Deliver(run)) return;
    for (const rows::Dense* each : {&of_.max, &of_.sum, &of_.log_sum}) {
      if (each->given() && !each->Deliver(run)) return;
    }
  }

 private:
  struct Results {
    Rows out;
    float *max, *sum, *log_sum;
  };

  // Of a tile. A bias may leave out those of whole tiles, which many rows then need not meet: those
  // of padding, and about half of the queries' own.
  int64_t MostKeys() const {
    constexpr int64_t kFew = 64, kManyRows = 64;
    const Problem& p = of_.problem;
    if (!of_.bias.given() || p.Group() * p.queries < kManyRows) return kTileKeys;
    return std::clamp(RoundUp(p.queries / 2, kFew), kFew, kTileKeys);
  }

  void MakeProducts(bool counted) {
    const Problem& p = of_.problem;
    key_ = Panel(of_.key, p.width, counted, operand_);
    value_ = Panel(of_.value, p.value_width, counted, operand_);
    const Cut rows = queries_.length < p.queries
                         ? queries_
                         : Cut{p.Group() * p.queries, heads_.length * p.queries};
    products_ = TileProducts(rows, keys_, [&](int64_t m, int64_t n) {
      return matmul::onednn::Request{.m = m,
                                     .n = n,
                                     .k = p.width,
                                     .a_row = p.width,
                                     .a_column = 1,
                                     .b_row = 1,
                                     .b_column = key_.stride(),
                                     .c_row = keys_.length,
                                     .operand = operand_};
    });
    sums_ = TileProducts(rows, keys_, [&](int64_t m, int64_t n) {
      return matmul::onednn::Request{.m = m,
                                     .n = p.value_width,
                                     .k = n,
                                     .a_row = keys_.length,
                                     .a_column = 1,
                                     .b_row = value_.stride(),
                                     .b_column = 1,
                                     .c_row = p.value_width,
                                     .operand = operand_,
                                     .accumulates = true};
    });
  }

  void BookScratch(Planner& planner, int64_t rows) {
    const Problem& p = of_.problem;
    Arrays arrays;
    at_.query = arrays.Add<float>(rows * p.width);  // or half of it
    at_.scores = arrays.Add<float>(rows * keys_.length);
    at_.out = arrays.Add<float>(rows * p.value_width);
    at_.max = arrays.Add<float>(rows);
    at_.sum = arrays.Add<double>(rows);
    at_.bias = arrays.Add<float>(keys_.length);
    at_.key = arrays.Add<char>(key_.BufferBytes(keys_.length));
    at_.value = arrays.Add<char>(value_.BufferBytes(keys_.length));
    const int64_t weights = halves_ ? rows * keys_.length : 0;
    at_.weights = arrays.Add<uint16_t>(weights);
    at_.rest = arrays.Add<uint16_t>(weights);
    at_.product = arrays.Add<char>(std::max(products_.ScratchBytes(), sums_.ScratchBytes()));
    at_.own_query = arrays.Add<float>(p.width);
    at_.own_key = arrays.Add<float>(std::max(p.width, p.value_width));
    at_.total = arrays.Add<double>(std::max(p.value_width, is_few_ ? keys_.length : 0));
    scratch_.Book(planner, Units(), RoundUp(arrays.bytes(), int64_t{4096}));
  }

  int64_t Units() const {
    return of_.problem.batch * of_.problem.key_heads * heads_.Pieces() * queries_.Pieces();
  }
  Tile TileOf(int64_t unit) const {
    const Problem& p = of_.problem;
    const int64_t query = unit % queries_.Pieces(), head = unit / queries_.Pieces();
    const int64_t piece = head % heads_.Pieces(), group = head / heads_.Pieces();
    return {.batch = group / p.key_heads,
            .head = group % p.key_heads * p.Group() + heads_.Begin(piece),
            .heads = heads_.Length(piece),
            .query = queries_.Begin(query),
            .queries = queries_.Length(query)};
  }

  void RunTile(const Problem& p, const Tile& tile, const Results& results, char* memory) const {
    const auto floats = [memory](int64_t at) { return reinterpret_cast<float*>(memory + at); };
    const int64_t queries = p.QueriesOf(tile.batch);
    if (p.IsPacked() && tile.query >= queries) return;
    float* const out = floats(at_.out);
    float* const max = floats(at_.max);
    auto* const sum = reinterpret_cast<double*>(memory + at_.sum);
    LoadQueries(p, tile, memory + at_.query);
    std::fill_n(out, tile.rows() * p.value_width, 0.0f);
    std::fill_n(max, tile.rows(), -kInfinity);
    std::fill_n(sum, tile.rows(), 0.0);
    const Range keys = KeysOf(p, tile);
    for (int64_t piece = keys.begin / keys_.length; keys_.Begin(piece) < keys.end; ++piece) {
      if (!BiasLeavesOut(p, tile, piece)) AddKeys(p, tile, piece, memory);
    }
    const copy::Converter converter(DType::kFloat32, results.out.dtype);
    const bool some_are_nan = HasNaN(out, tile.rows() * p.value_width);
    for (int64_t r = 0; r < tile.rows(); ++r) {
      const int64_t head = tile.HeadOf(r), number = tile.QueryOf(r);
      if (p.IsPacked() && number >= queries) continue;
      const bool any = sum[r] != 0;
      float* const row = out + r * p.value_width;
      if (some_are_nan && HasNaN(row, p.value_width)) SumAlone(p, tile, r, memory);
      if (any) Scale(row, p.value_width, static_cast<float>(1 / sum[r]));
      char* const to = results.out.At(tile.batch, head, number);
      if (converter.Changes()) {
        converter.Run(row, p.value_width, to);
      } else {
        std::copy_n(row, p.value_width, reinterpret_cast<float*>(to));
      }
      const int64_t place = p.PlaceOf(tile.batch, head, number);
      // Beside NaN no score is the largest.
      const float largest = std::isnan(sum[r]) ? static_cast<float>(sum[r]) : max[r];
      Put(results.max, place, any ? largest : kLowest);
      Put(results.sum, place, static_cast<float>(sum[r]));
      Put(results.log_sum, place, any ? static_cast<float>(max[r] + std::log(sum[r])) : kInfinity);
    }
  }

  static bool HasNaN(const float* numbers, int64_t count) {
    return std::isnan(rows::SpansInUse().sum(numbers, count));
  }

  static void LoadAlone(const Rows& rows, int64_t b, int64_t h, int64_t r, int64_t count,
                        float* to) {
    const copy::Converter converter(rows.dtype, DType::kFloat32);
    const char* const from = rows.At(b, h, r);
    if (converter.Changes()) return converter.Run(from, count, to);
    std::copy_n(reinterpret_cast<const float*>(from), count, to);
  }

  // The scores of a row and of keys one by one, in which a key that the bias leaves out has no part
  // though it be NaN.
  Range ScoreAlone(const Problem& p, const RowPlace& place, float* scores, char* memory) const {
    float* const query = reinterpret_cast<float*>(memory + at_.own_query);
    float* const own = reinterpret_cast<float*>(memory + at_.own_key);
    LoadAlone(p.query, place.batch, place.head, place.query, p.width, query);
    const int64_t valid = std::min(place.count, p.KeysOf(place.batch) - place.first);
    for (int64_t k = 0; k < valid; ++k) {
      LoadAlone(p.key, place.batch, place.head / p.Group(), place.first + k, p.width, own);
      scores[k] = static_cast<float>(p.scale * double{rows::SpansInUse().dot(query, own, p.width)});
    }
    return FinishScores(p, place, scores, reinterpret_cast<float*>(memory + at_.bias), true);
  }

  // A row's values again, of the keys that take part. In a product of a whole tile the others meet
  // it with weights of 0, which a value that is infinite or NaN makes NaN.
  void SumAlone(const Problem& p, const Tile& tile, int64_t r, char* memory) const {
    const auto floats = [memory](int64_t at) { return reinterpret_cast<float*>(memory + at); };
    float* const out = floats(at_.out) + r * p.value_width;
    const double all = reinterpret_cast<const double*>(memory + at_.sum)[r];
    if (std::isnan(all)) return;
    float* const own = floats(at_.own_key);
    double* const total = reinterpret_cast<double*>(memory + at_.total);
    std::fill_n(total, p.value_width, 0.0);
    RowPlace place = {.batch = tile.batch, .head = tile.HeadOf(r), .query = tile.QueryOf(r)};
    const Range keys = all == 0 ? Range() : p.KeysOf(place.batch, place.query);
    for (place.first = keys.begin; place.first < keys.end; place.first += place.count) {
      place.count = std::min(keys_.length, keys.end - place.first);
      float* const scores = floats(at_.scores) + r * keys_.length;
      ScoreAlone(p, place, scores, memory);
      float* const weights = floats(at_.bias);
      const float max = floats(at_.max)[r];
      for (int64_t k = 0; k < place.count; ++k) weights[k] = std::exp(scores[k] - max);
      Drop(p, place, weights);
      for (int64_t k = 0; k < place.count; ++k) {
        if (scores[k] == -kInfinity) continue;
        LoadAlone(p.value, place.batch, place.head / p.Group(), place.first + k, p.value_width,
                  own);
        for (int64_t d = 0; d < p.value_width; ++d) total[d] += double{weights[k]} * double{own[d]};
      }
    }
    for (int64_t d = 0; d < p.value_width; ++d) out[d] = static_cast<float>(total[d]);
  }

  void Put(float* to, int64_t place, float value) const {
    if (to != nullptr) std::fill_n(to + place * of_.repeats, of_.repeats, value);
  }

  static void Scale(float* x, int64_t n, float factor) {
    if (factor != 1) rows::SpansInUse().scale[rows::kFlat](x, &factor, nullptr, n, x, false);
  }

  // Where they are float32, they are scaled; else the scores are.
  void LoadQueries(const Problem& p, const Tile& tile, char* to) const {
    const int64_t bytes = p.width * static_cast<int64_t>(SizeOf(operand_));
    for (int64_t r = 0; r < tile.rows(); ++r) {
      if (tile.QueryOf(r) >= p.QueriesOf(tile.batch)) {
        std::fill_n(to + r * bytes, bytes, '\0');
        continue;
      }
      query_.LoadRow(p.query.At(tile.batch, tile.HeadOf(r), tile.QueryOf(r)), to + r * bytes);
    }
    if (!halves_) {
      Scale(reinterpret_cast<float*>(to), tile.rows() * p.width, static_cast<float>(p.scale));
    }
  }

  // The keys that take part for any of its queries.
  static Range KeysOf(const Problem& p, const Tile& tile) {
    Range keys = {p.keys, 0};
    const int64_t last = std::min(tile.query + tile.queries, p.QueriesOf(tile.batch));
    for (int64_t q = tile.query; q < last; ++q) {
      const Range own = p.KeysOf(tile.batch, q);
      if (own.empty()) continue;
      keys = {std::min(keys.begin, own.begin), std::max(keys.end, own.end)};
    }
    return keys;
  }

  // Whether the bias leaves out all keys of a tile for all queries, as that of padding does and
  // that of what comes later.
  bool BiasLeavesOut(const Problem& p, const Tile& tile, int64_t piece) const {
    if (!p.bias.given() || p.bias_factor <= 0) return false;
    const int64_t first = keys_.Begin(piece), count = keys_.Length(piece);
    // Rows of the bias may be those of several heads or queries.
    const int64_t heads = p.bias.head == 0 ? 1 : tile.heads;
    const int64_t queries = p.bias.row == 0 ? 1 : tile.queries;
    for (int64_t i = 0; i < heads * queries; ++i) {
      const int64_t query = tile.query + i % queries;
      if (query >= p.QueriesOf(tile.batch)) continue;
      const char* const row = p.bias.At(tile.batch, tile.head + i / queries, query);
      if (!IsMinusInfinity(p.bias.dtype, row + first * p.bias.size, count)) return false;
    }
    return true;
  }

  static TileRows FewOf(const Rows& rows, int64_t width, int64_t b, int64_t head, int64_t first,
                        int64_t count) {
    return {.data = rows.At(b, head, first), .row = rows.row, .count = count, .width = width};
  }

  // Adds a tile of values, weighted by how well its keys fit the queries.
  void AddKeys(const Problem& p, const Tile& tile, int64_t piece, char* memory) const {
    const auto floats = [memory](int64_t at) { return reinterpret_cast<float*>(memory + at); };
    float* const scores = floats(at_.scores);
    float* const out = floats(at_.out);
    const int64_t first = keys_.Begin(piece), count = keys_.Length(piece);
    const int64_t group = tile.head / p.Group(), valid = p.KeysOf(tile.batch) - first;
    auto* const totals = reinterpret_cast<double*>(memory + at_.total);
    if (is_few_) {
      few_.Score(floats(at_.query), tile.rows(),
                 FewOf(p.key, p.width, tile.batch, group, first, std::min(count, valid)), scores,
                 keys_.length, totals);
    } else if (const auto* const product = products_.Of(tile.rows(), count)) {
      product->Run(memory + at_.query,
                   key_.Load(p.key, tile.batch, group, first, count, valid, memory + at_.key),
                   scores, memory + at_.product);
    } else {
      std::fill_n(scores, tile.rows() * keys_.length, 0.0f);
    }
    for (int64_t r = 0; r < tile.rows(); ++r) {
      WeighKeys(p, tile, r, {.first = first, .count = count}, memory);
      if (!halves_) continue;
      const int64_t row = r * keys_.length, bytes = row * static_cast<int64_t>(sizeof(uint16_t));
      split_.Split(scores + row, count, memory + at_.weights + bytes, memory + at_.rest + bytes,
                   floats(at_.bias));
    }
    if (is_few_) {
      return few_.AddValues(
          scores, keys_.length, tile.rows(),
          FewOf(p.value, p.value_width, tile.batch, group, first, std::min(count, valid)), out,
          totals);
    }
    const auto* const product = sums_.Of(tile.rows(), count);
    if (product == nullptr) return;
    const char* const value =
        value_.Load(p.value, tile.batch, group, first, count, valid, memory + at_.value);
    if (!halves_) return product->Run(scores, value, out, memory + at_.product);
    for (const int64_t weights : {at_.weights, at_.rest}) {
      product->Run(memory + weights, value, out, memory + at_.product);
    }
  }

  // Makes weights of a row's scores, relative to the largest score so far, which it brings the
  // row's results to.
  void WeighKeys(const Problem& p, const Tile& tile, int64_t r, RowPlace place,
                 char* memory) const {
    const rows::Spans& spans = rows::SpansInUse();
    const auto floats = [memory](int64_t at) { return reinterpret_cast<float*>(memory + at); };
    float* const row = floats(at_.scores) + r * keys_.length;
    float& max = floats(at_.max)[r];
    double& sum = reinterpret_cast<double*>(memory + at_.sum)[r];
    place.batch = tile.batch;
    place.head = tile.HeadOf(r);
    place.query = tile.QueryOf(r);
    if (halves_) Scale(row, place.count, static_cast<float>(p.scale));
    Range keys;
    if (place.query < p.QueriesOf(tile.batch)) {
      keys = FinishScores(p, place, row, floats(at_.bias));
    }
    float largest = max;
    double above = 0;
    for (const bool again : {false, true}) {
      if (again) keys = ScoreAlone(p, place, row, memory);
      float* const scores = row + keys.begin;
      const int64_t count = keys.end - keys.begin;
      largest = keys.empty() ? max : std::max(spans.max(scores, count), max);
      // NaN may hide from the largest score, not from a sum.
      if (keys.empty() || (largest == -kInfinity && !std::isnan(spans.sum(scores, count)))) {
        std::fill_n(row, place.count, 0.0f);
        return;
      }
      std::fill(row, scores, 0.0f);
      std::fill(scores + count, row + place.count, 0.0f);
      const bool some_masked = p.mask.given() || p.bias.given();
      if (some_masked) Raise(largest, count, scores);
      above = spans.exp_sum(scores, count, largest, scores);
      if (some_masked) DropNegligible(1, count, scores);
      if (!std::isnan(above) || !p.bias.given()) break;
    }
    const float factor = max == -kInfinity ? 0.0f : std::exp(max - largest);
    sum = sum * static_cast<double>(factor) + above;
    if (max != -kInfinity) Scale(floats(at_.out) + r * p.value_width, p.value_width, factor);
    max = largest;
    Drop(p, place, row);
  }

  const Forward of_;
  Cut queries_, heads_, keys_;
  bool is_few_ = false;  // rows of a tile
  FewRows few_;
  bool halves_ = false;  // of_ has bfloat16, and is multiplied so
  DType operand_ = DType::kFloat32;
  Halves split_;
  Panel query_, key_, value_;
  TileProducts products_, sums_;
  struct {
    int64_t query, scores, out, max, sum, bias, key, value, weights, rest, product;
    int64_t own_query, own_key, total;
  } at_ = {};
  UnitScratch scratch_;
};

}  // namespace

PlanPointer MakeForwardPlan(Planner& planner, Forward forward) {
  const Problem& p = forward.problem;
  if (p.batch == 0 || p.heads == 0 || p.queries == 0) return nullptr;
  return NewPlan<ForwardPlan>(planner, std::move(forward));
}

}  // namespace aclimb::attention
