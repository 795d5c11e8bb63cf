// aclnnEmbeddingBag: the loop, the plan and the C entry points.

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "aclimb/copy/copy.h"
#include "aclimb/copy/zeros.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/embedding_bag/contract.h"
#include "aclimb/ops/embedding_bag/kernels.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::embedding_bag {
namespace {

// So many rows are added up in float32, and their sums in double.
constexpr int64_t kMostTerms = 32;
// A row is prefetched before its own turn, while as much of others is added up: of wide rows few.
constexpr int64_t kAheadBytes = 6144, kFewestAhead = 4, kMostAhead = 24;
// The factors of rows without weights.
constexpr auto kOnes = [] {
  std::array<float, kMostTerms> ones = {};
  ones.fill(1);
  return ones;
}();
// Elements that a thread takes at once.
constexpr int64_t kGrain = 32768;

// Elements of a tensor as double, and back: each is rounded once.
class Line {
 public:
  explicit Line(DType dtype)
      : dtype_(dtype),
        size_(SizeOf(dtype)),
        read_(dtype, DType::kFloat64),
        write_(DType::kFloat64, dtype) {}

  void Load(const void* from, int64_t stride, int64_t count, double* to) const {
    alignas(64) unsigned char dense[kMostColumns * sizeof(float)];
    if (stride != 1) {
      Gather(from, stride, count, dense);
      from = dense;
    }
    read_.Run(from, count, to);
  }
  // sum[i] += factor * what Load() would give, of each row; or = it, if they are the first.
  void Add(const Terms& terms, int64_t stride, int64_t count, bool first, double* sum) const {
    if (stride == 1) return AddRowsToTotals(dtype_, terms, count, first, sum);
    if (first) std::fill_n(sum, count, 0.0);
    double row[kMostColumns];
    for (int64_t k = 0; k < terms.count; ++k) {
      Load(RowOf(terms, k), stride, count, row);
      const auto factor = static_cast<double>(terms.factors[k]);
      for (int64_t i = 0; i < count; ++i) sum[i] += factor * row[i];
    }
  }
  // The largest elements of rows and their rows, of which those that `largest` has may be more.
  void FindLargest(const Terms& terms, int64_t stride, int64_t count, bool first, float* largest,
                   int64_t* rows) const {
    int32_t which[kMostColumns];
    if (stride == 1) {
      embedding_bag::FindLargest(dtype_, terms, count, first, largest, which);
      for (int64_t c = 0; c < count; ++c) rows[c] = which[c] < 0 ? rows[c] : terms.rows[which[c]];
      return;
    }
    alignas(64) unsigned char dense[kMostColumns * sizeof(float)];
    constexpr int64_t kOnly = 0;
    const Terms row = {.table = dense, .step = 0, .rows = &kOnly, .later = &kOnly, .count = 1};
    for (int64_t k = 0; k < terms.count; ++k) {
      Gather(RowOf(terms, k), stride, count, dense);
      embedding_bag::FindLargest(dtype_, row, count, first && k == 0, largest, which);
      for (int64_t c = 0; c < count; ++c) rows[c] = which[c] < 0 ? rows[c] : terms.rows[k];
    }
  }
  void Store(const double* from, int64_t stride, int64_t count, void* to) const {
    alignas(64) unsigned char dense[kMostColumns * sizeof(float)];
    write_.Run(from, count, stride == 1 ? to : dense);
    if (stride != 1) {
      copy::Scatter(size_, dense, count, copy::RowAt(static_cast<char*>(to), stride, count));
    }
  }
  int64_t Bytes(int64_t elements) const { return elements * static_cast<int64_t>(size_); }
  char* At(const TensorView& view, int64_t row, int64_t column) const {
    return static_cast<char*>(view.data) + Bytes(row * view.stride[0] + column * view.stride[1]);
  }

 private:
  static const void* RowOf(const Terms& terms, int64_t k) {
    return static_cast<const char*>(terms.table) + terms.rows[k] * terms.step;
  }
  void Gather(const void* from, int64_t stride, int64_t count, void* dense) const {
    copy::Gather(size_, copy::RowAt(static_cast<char*>(const_cast<void*>(from)), stride, count),
                 count, dense);
  }

  const DType dtype_;
  const size_t size_;
  const copy::Converter read_, write_;
};

// What a run has: the indices, where each bag of them begins, and what is known of them.
struct Bags {
  const int64_t* indices;
  int64_t count;
  const int64_t* offsets;
  int64_t offset_count;
  const float* factors;
  int64_t* sizes;
  int64_t* largest;  // which rows the largest elements are from
  TensorView weight, output;

  // The place before `count` that the offset of bag b names.
  int64_t Begin(int64_t b) const {
    return b >= offset_count ? count : std::clamp<int64_t>(offsets[b], 0, count);
  }
};

class BagPlan final : public Plan {
 public:
  BagPlan(const contract::Arguments& arguments, Planner& planner)
      : mode_(arguments.Integer(kMode)),
        padding_(PaddingOf(arguments.Integer(kPaddingIdx))),
        bags_(BagsOf(arguments)),
        largest_(IsLargest(arguments)),
        line_(arguments.Tensor(kWeight).dtype) {
    const auto read = [&](int parameter) {
      return rows::Dense::Input(planner, parameter, arguments.Tensor(parameter).View(),
                                DType::kInt64);
    };
    const auto written = [&](int parameter) {
      return rows::Dense::Output(planner, parameter, arguments.Tensor(parameter).View(),
                                 DType::kInt64);
    };
    indices_ = read(kIndices);
    offsets_ = read(kOffsets);
    bag_of_ = written(kOffset2Bag);
    sizes_ = written(kBagSize);
    rows_ = written(kMaxIndices);
    if (arguments.Given(kPerSampleWeights)) {
      factors_ = rows::Dense::Input(planner, kPerSampleWeights,
                                    arguments.Tensor(kPerSampleWeights).View(), DType::kFloat32);
    }
    const int64_t width = arguments.Tensor(kWeight).shape[1];
    const int64_t moved = arguments.Tensor(kIndices).ElementCount() * width;
    has_dense_sums_ = !largest_ && arguments.Tensor(kWeight).View().stride[1] == 1 &&
                      arguments.Tensor(kOutput).View().stride[1] == 1;
    ahead_ =
        std::clamp(kAheadBytes / std::max<int64_t>(1, line_.Bytes(std::min(width, kMostColumns))),
                   kFewestAhead, kMostAhead);
    planner.Reads(kWeight);
    planner.Writes(kOutput);
    planner.Moves(kWeight, {.read = moved});
    planner.Costs({.cycles = 2.0 * static_cast<double>(moved)});
  }

  void Run(const RunContext& run) const override {
    const Bags bags = {.indices = indices_.Read<int64_t>(run),
                       .count = run.View(kIndices).ElementCount(),
                       .offsets = offsets_.Read<int64_t>(run),
                       .offset_count = run.View(kOffsets).ElementCount(),
                       .factors = static_cast<const float*>(factors_.Data(run)),
                       .sizes = static_cast<int64_t*>(sizes_.Data(run)),
                       .largest = static_cast<int64_t*>(rows_.Data(run)),
                       .weight = run.View(kWeight),
                       .output = run.View(kOutput)};
    if ((bags.indices == nullptr && bags.count != 0) ||
        (bags.offsets == nullptr && bags.offset_count != 0)) {
      return;
    }
    if (!factors_.Fetch(run)) return;
    const bool in_range = FindBags(run, bags);
    const int64_t width = bags.weight.shape[1], blocks = CeilDivide(width, kMostColumns);
    std::atomic<bool> unknown = !in_range;
    const int64_t each = std::min(width, kMostColumns) *
                         std::max<int64_t>(1, bags.count / std::max<int64_t>(1, bags_));
    const bool done =
        ParallelForAll(bags_ * blocks, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, each)),
                       [&](int64_t begin, int64_t end) {
                         if (blocks == 1 && AreFewRows(bags, begin, end))
                           return AddFewRows(bags, begin, end);
                         for (int64_t unit = begin; unit < end; ++unit) {
                           if (!Bag(bags, unit / blocks, unit % blocks * kMostColumns))
                             unknown = true;
                         }
                       });
    if (!done || !bag_of_.Deliver(run) || !sizes_.Deliver(run)) return;
    if (!(largest_ ? rows_.Deliver(run) : copy::FillWithZeros(run.View(kMaxIndices)))) return;
    if (unknown) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    const int64_t rows = run.View(kWeight).shape[0], count = run.View(kIndices).shape[0];
    InspectRange(inspector, "check/data/index-range", "indices", run.View(kIndices),
                 {.begin = 0,
                  .end = rows,
                  .excepted = padding_,
                  .because = Cat("weight has ", rows, " rows")});
    InspectRange(inspector, "check/data/index-range", "offsets", run.View(kOffsets),
                 {.begin = 0,
                  .end = count + 1,
                  .excepted = {},
                  .because = Cat("there are ", count, " indices")});
  }

 private:
  // The bag of each index, and how many rows each bag has. False if an offset is out of range.
  bool FindBags(const RunContext& run, const Bags& bags) const {
    auto* const bag_of = static_cast<int64_t*>(bag_of_.Data(run));
    const bool tells = run.View(kOffset2Bag).ElementCount() != 0;
    if (tells) std::fill_n(bag_of, bags.count, -1);
    for (int64_t b = 0; b < bags_; ++b) {
      const int64_t begin = bags.Begin(b), end = std::max(begin, bags.Begin(b + 1));
      if (tells) std::fill(bag_of + begin, bag_of + end, b);
      const int64_t padded =
          padding_ ? std::count(bags.indices + begin, bags.indices + end, *padding_) : 0;
      bags.sizes[b] = end - begin - padded;
    }
    return std::all_of(bags.offsets, bags.offsets + bags.offset_count,
                       [&bags](int64_t offset) { return offset >= 0 && offset <= bags.count; });
  }

  int64_t DivisorOf(const Bags& bags, int64_t b) const {
    return mode_ == kMean ? std::max<int64_t>(1, bags.sizes[b]) : 1;
  }
  // Whether AddFewRows() adds up bags [begin, end).
  bool AreFewRows(const Bags& bags, int64_t begin, int64_t end) const {
    const int64_t first = bags.Begin(begin);
    bool are_few = has_dense_sums_;
    for (int64_t b = begin, from = first; b < end && are_few; ++b) {
      const int64_t to = bags.Begin(b + 1);
      are_few = to >= from && to - from <= kMostTerms;
      from = to;
    }
    return are_few && AllAreRows(bags.indices + first, bags.Begin(end) - first, bags.weight);
  }
  // Bags of few rows each, all of which are to be added up.
  void AddFewRows(const Bags& bags, int64_t begin, int64_t end) const {
    constexpr int64_t kTogether = 16;
    Terms some[kTogether];
    for (int64_t b = begin; b < end; b += kTogether) {
      const int64_t count = std::min(kTogether, end - b);
      for (int64_t k = 0; k < count; ++k) {
        const int64_t from = bags.Begin(b + k);
        some[k] = TermsFrom(bags, from, bags.Begin(b + k + 1) - from, 0);
        some[k].divisor = static_cast<float>(DivisorOf(bags, b + k));
        some[k].sums = line_.At(bags.output, b + k, 0);
      }
      AddRows(bags.output.dtype, some, count, bags.weight.shape[1]);
    }
  }

  // Elements of a row of output from `column` on. False if there is an index without a row.
  bool Bag(const Bags& bags, int64_t b, int64_t column) const {
    const TensorView &weight = bags.weight, &output = bags.output;
    const int64_t width = std::min(kMostColumns, weight.shape[1] - column);
    const int64_t divisor = DivisorOf(bags, b);
    const bool is_few = bags.Begin(b + 1) - bags.Begin(b) <= kMostTerms;
    // Without a sum in double, where that is of few rows.
    if (has_dense_sums_ && is_few) {
      return EachTerms(bags, b, column, [&](Terms& terms, bool) {
        terms.divisor = static_cast<float>(divisor);
        terms.sums = line_.At(output, b, column);
        AddRows(output.dtype, &terms, 1, width);
      });
    }
    double sum[kMostColumns];
    const bool all_known = largest_
                               ? FindLargest(bags, b, column, width, sum)
                               : EachTerms(bags, b, column, [&](const Terms& terms, bool first) {
                                   line_.Add(terms, weight.stride[1], width, first, sum);
                                 });
    if (divisor != 1) {
      for (int64_t c = 0; c < width; ++c) sum[c] /= static_cast<double>(divisor);
    }
    line_.Store(sum, output.stride[1], width, line_.At(output, b, column));
    return all_known;
  }

  static bool IsRow(const TensorView& weight, int64_t index) {
    return static_cast<uint64_t>(index) < static_cast<uint64_t>(weight.shape[0]);
  }

  // `count` rows from index number `i` on, whatever they are.
  Terms TermsFrom(const Bags& bags, int64_t i, int64_t count, int64_t column) const {
    return {.table = line_.At(bags.weight, 0, column),
            .step = line_.Bytes(bags.weight.stride[0]),
            .rows = bags.indices + i,
            .later = bags.indices + std::min(i + ahead_, bags.count - count),
            .factors = bags.factors == nullptr ? kOnes.data() : bags.factors + i,
            .count = count};
  }
  // Calls use(terms, first) for some rows of a bag at a time, if only for none. False if an index
  // has no row.
  template <typename Use>
  bool EachTerms(const Bags& bags, int64_t b, int64_t column, const Use& use) const {
    int64_t rows[kMostTerms];
    float own[kMostTerms];
    const int64_t end = bags.Begin(b + 1);
    bool all_known = true, first = true;
    int64_t i = bags.Begin(b);
    do {
      const int64_t count = std::clamp<int64_t>(end - i, 0, kMostTerms);
      Terms terms = TermsFrom(bags, i, count, column);
      if (!AllAreRows(terms.rows, count, bags.weight)) {
        all_known &= ChooseRows(bags.weight, terms, rows, own);
      }
      use(terms, std::exchange(first, false));
      i += count;
    } while (i < end);
    return all_known;
  }
  // Leaves out padding and indices without a row. False if there are any of the latter.
  [[gnu::noinline]] bool ChooseRows(const TensorView& weight, Terms& terms, int64_t* rows,
                                    float* factors) const {
    bool all_known = true;
    int64_t count = 0;
    for (int64_t k = 0; k < terms.count; ++k) {
      if (terms.rows[k] == padding_) continue;
      if (!IsRow(weight, terms.rows[k])) {
        all_known = false;
        continue;
      }
      rows[count] = terms.rows[k];
      factors[count++] = terms.factors[k];
    }
    terms.rows = rows;
    terms.factors = factors;
    terms.count = count;
    return all_known;
  }
  // None of them is padding either.
  bool AllAreRows(const int64_t* indices, int64_t count, const TensorView& weight) const {
    // The first bit of a number below 0 is set.
    const auto last = static_cast<uint64_t>(weight.shape[0] - 1);
    uint64_t outside = 0;
    for (int64_t k = 0; k < count; ++k) {
      const auto index = static_cast<uint64_t>(indices[k]);
      outside |= index | (last - index);
    }
    return static_cast<int64_t>(outside) >= 0 &&
           !(padding_ && std::find(indices, indices + count, *padding_) != indices + count);
  }

  bool FindLargest(const Bags& bags, int64_t b, int64_t column, int64_t width,
                   double* largest) const {
    int64_t* const rows = bags.largest + b * bags.weight.shape[1] + column;
    float found[kMostColumns] = {};
    std::fill_n(rows, width, 0);
    bool first = true;
    const bool all_known = EachTerms(bags, b, column, [&](const Terms& terms, bool) {
      if (terms.count == 0) return;
      line_.FindLargest(terms, bags.weight.stride[1], width, first, found, rows);
      first = false;
    });
    std::copy_n(found, width, largest);
    return all_known;
  }

  const int64_t mode_;
  const std::optional<int64_t> padding_;
  const int64_t bags_;
  const bool largest_;
  const Line line_;
  bool has_dense_sums_;  // rows of output are sums or means, their elements side by side
  int64_t ahead_;        // rows
  // Of INT64 but for the factors, which are FLOAT.
  rows::Dense indices_, offsets_, bag_of_, sizes_, rows_, factors_;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (BagsOf(arguments) == 0 && arguments.Tensor(kIndices).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<BagPlan>(arguments, planner));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::embedding_bag

extern "C" aclnnStatus aclnnEmbeddingBagGetWorkspaceSize(
    const aclTensor* weight, const aclTensor* indices, const aclTensor* offsets,
    bool scaleGradByFreq, int64_t mode, bool sparse, const aclTensor* perSampleWeights,
    bool includeLastOffset, int64_t paddingIdx, aclTensor* output, aclTensor* offset2bag,
    aclTensor* bagSize, aclTensor* maxIndices, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::embedding_bag::kOperator, workspaceSize, executor, weight, indices,
                        offsets, scaleGradByFreq, mode, sparse, perSampleWeights, includeLastOffset,
                        paddingIdx, output, offset2bag, bagSize, maxIndices);
}

extern "C" aclnnStatus aclnnEmbeddingBag(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::embedding_bag::kOperator, workspace, workspaceSize, executor,
                        stream);
}
