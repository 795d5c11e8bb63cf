#include "aclimb/ops/cross_entropy_loss/cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/cross_entropy_loss/cpu.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/core/divide.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cross_entropy_loss {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

using F32 = hn::ScalableTag<float>;
using VF = hn::Vec<F32>;

// Elements of a row at a time, in first-level cache. A lane of a sum gets at most 512 of them on
// four sums, so that float32 is precise enough.
constexpr int64_t kChunk = 2048;
constexpr int64_t kSums = 4;
constexpr int64_t kMostLanes = HWY_MAX_BYTES / sizeof(float);
// The rows are summed in at most so many blocks.
constexpr int64_t kBlocks = 256;
// Elements of a piece of the parallel loop.
constexpr int64_t kPiece = 32768;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline bool Given(const TensorView& view) { return view.dtype != DType::kUndefined; }

template <class T>
void StoreNumber(const TensorView& view, int64_t index, double value) {
  const int64_t at = view.rank == 0 ? 0 : index * view.stride[0];
  // A NaN keeps none of its payload, which a cast to a half type could lose.
  const float rounded =
      std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value);
  view.As<T>()[at] = FromFloat<T>(rounded);
}

// What the rows of a block add up to.
struct Totals {
  double loss = 0;
  double weights = 0;
  double zloss = 0;
  int64_t kept = 0;

  void operator+=(const Totals& other) {
    loss += other.loss;
    weights += other.weights;
    zloss += other.zloss;
    kept += other.kept;
  }
};

template <class T>
class Rows {
 public:
  explicit Rows(const Args& args)
      : args_(args), columns_(args.input.shape[1]), weight_(args.weight.As<const float>()) {}

  Totals Run(int64_t begin, int64_t end) {
    Totals totals;
    for (int64_t n = begin; n < end; ++n) {
      const int64_t target = Target(n);
      const bool kept = target != args_.ignore_index && target >= 0 && target < columns_;
      // Before the row is overwritten, which may be in place.
      const double of_target = kept ? ToFloat(From(n)[target * args_.input.stride[1]]) : 0;
      Reduce(n);
      const double log_sum = std::log(sum_);
      const double smooth = Write(n, static_cast<float>(log_sum));
      const double lse = largest_ + log_sum;
      if (Given(args_.lse)) StoreNumber<T>(args_.lse, n, lse);
      Totals row;
      if (kept) {
        const double smoothing = args_.label_smoothing;
        row.weights = Weight(target);
        row.loss = -(1 - smoothing) * row.weights * (of_target - largest_ - log_sum);
        if (smoothing != 0) row.loss -= smoothing / static_cast<double>(columns_) * smooth;
        if (args_.lse_square_scale != 0) row.zloss = args_.lse_square_scale * lse * lse;
        row.kept = 1;
      }
      totals += row;
      if (args_.reduction == Reduction::kNone) {
        StoreNumber<T>(args_.loss, n, row.loss + row.zloss);
        if (Given(args_.zloss)) StoreNumber<T>(args_.zloss, n, row.zloss);
      }
    }
    return totals;
  }

 private:
  int64_t Target(int64_t n) const {
    const int64_t at = n * args_.target.stride[0];
    return args_.target.dtype == DType::kInt64 ? args_.target.As<const int64_t>()[at]
                                               : args_.target.As<const int32_t>()[at];
  }
  double Weight(int64_t c) const {
    return Given(args_.weight) ? weight_[c * args_.weight.stride[0]] : 1.0;
  }
  const T* From(int64_t n) const { return args_.input.As<const T>() + n * args_.input.stride[0]; }
  void Load(int64_t n, int64_t first, int64_t count) {
    const int64_t stride = args_.input.stride[1];
    GatherF32(From(n) + first * stride, stride, count, chunk_);
  }

  // The row's largest element, and the sum of exp(x - largest).
  void Reduce(int64_t n) {
    largest_ = -kInfinity;
    sum_ = 0;
    for (int64_t first = 0; first < columns_; first += kChunk) {
      const int64_t count = std::min(kChunk, columns_ - first);
      Load(n, first, count);
      AddChunk(count);
    }
  }

  void AddChunk(int64_t count) {
    const F32 d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const int64_t padded = RoundUp(count, lanes);
    std::fill(chunk_ + count, chunk_ + padded, -kInfinity);
    VF maxima = hn::Set(d, -kInfinity);
    for (int64_t i = 0; i < padded; i += lanes) maxima = hn::Max(hn::Load(d, chunk_ + i), maxima);
    HWY_ALIGN float lane[kMostLanes];
    hn::Store(maxima, d, lane);
    const float largest = *std::max_element(lane, lane + lanes);
    // Nothing is below -inf: what is added then is 0, or NaN if there was one.
    const VF shift = hn::Set(d, largest == -kInfinity ? 0 : largest);
    const auto term = [&](int64_t i) HWY_ATTR {
      return Exp<T, false>(d, hn::Sub(hn::Load(d, chunk_ + i), shift));
    };
    VF sums[kSums] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    int64_t i = 0;
    for (; i + kSums * lanes <= padded; i += kSums * lanes) {
      for (int64_t k = 0; k < kSums; ++k) sums[k] = hn::Add(sums[k], term(i + k * lanes));
    }
    for (; i < padded; i += lanes) sums[0] = hn::Add(sums[0], term(i));
    hn::Store(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])), d, lane);
    double sum = 0;
    for (int64_t k = 0; k < lanes; ++k) sum += static_cast<double>(lane[k]);
    Join(largest, sum);
  }

  // Adds a chunk's sum to those before it, which have another largest element.
  void Join(double largest, double sum) {
    if (sum == 0) return;
    if (!(largest <= largest_)) {
      if (sum_ != 0) sum_ *= std::exp(largest_ - largest);
      largest_ = largest;
      sum_ += sum;
    } else {
      sum_ += sum * std::exp(largest - largest_);
    }
  }

  // Writes the row's log-softmax; answers with its sum, weighted, for label smoothing.
  double Write(int64_t n, float log_sum) {
    const F32 d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const int64_t stride = args_.log_prob.stride[1];
    T* const to = args_.log_prob.As<T>() + n * args_.log_prob.stride[0];
    const VF shift = hn::Set(d, static_cast<float>(largest_)), less = hn::Set(d, log_sum);
    double total = 0;
    for (int64_t first = 0; first < columns_; first += kChunk) {
      const int64_t count = std::min(kChunk, columns_ - first);
      // A row of one chunk is still there.
      if (columns_ > kChunk) Load(n, first, count);
      for (int64_t i = 0; i < count; i += lanes) {
        hn::Store(hn::Sub(hn::Sub(hn::Load(d, chunk_ + i), shift), less), d, chunk_ + i);
      }
      ScatterF32(chunk_, count, to + first * stride, stride);
      if (args_.label_smoothing == 0) continue;
      for (int64_t i = 0; i < count; ++i) {
        total += Weight(first + i) * static_cast<double>(chunk_[i]);
      }
    }
    return total;
  }

  const Args& args_;
  const int64_t columns_;
  const float* const weight_;
  double largest_ = 0;
  double sum_ = 0;
  HWY_ALIGN float chunk_[kChunk + kMostLanes] = {};
};

template <class T>
void RunTyped(const Args& args) {
  const int64_t rows = args.input.shape[0];
  const int64_t length = std::max<int64_t>(1, CeilDivide(rows, kBlocks));
  const int64_t blocks = CeilDivide(rows, length);
  Totals partials[kBlocks];
  const int64_t grain = std::max<int64_t>(1, kPiece / (length * args.input.shape[1]));
  ParallelFor(blocks, grain, [&](int64_t first, int64_t last) {
    Rows<T> row(args);
    for (int64_t block = first; block < last; ++block) {
      partials[block] = row.Run(block * length, std::min(rows, (block + 1) * length));
    }
  });
  if (args.reduction == Reduction::kNone) return;
  Totals totals;
  for (int64_t block = 0; block < blocks; ++block) totals += partials[block];
  const bool mean = args.reduction == Reduction::kMean;
  const bool has_zloss = args.lse_square_scale != 0;
  const double zloss =
      mean && has_zloss ? totals.zloss / static_cast<double>(totals.kept) : totals.zloss;
  const double loss = mean ? totals.loss / totals.weights : totals.loss;
  StoreNumber<T>(args.loss, 0, loss + zloss);
  if (Given(args.zloss)) StoreNumber<T>(args.zloss, 0, zloss);
}

void RunAnyType(const Args& args) {
  switch (args.input.dtype) {
    case DType::kFloat16:
      return RunTyped<Float16>(args);
    case DType::kBFloat16:
      return RunTyped<BFloat16>(args);
    default:
      return RunTyped<float>(args);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::cross_entropy_loss {
namespace {
HWY_EXPORT(RunAnyType);
}  // namespace

void RunOnCpu(const Args& args) { HWY_DYNAMIC_DISPATCH(RunAnyType)(args); }

}  // namespace aclimb::cross_entropy_loss
#endif
