#include "aclimb/ops/cross_entropy_loss/probabilities.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/cross_entropy_loss/probabilities.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/ops/cross_entropy_loss/row-inl.h"
#include "aclimb/simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cross_entropy_loss {
namespace HWY_NAMESPACE {

// Elements of a piece of the parallel loop.
constexpr int64_t kPieceOfRows = 32768;

template <class T>
class Losses {
 public:
  explicit Losses(const ProbabilitiesArgs& args) : args_(args), row_(args.features) {}

  void Run(int64_t n) {
    const F32 d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const int64_t columns = args_.features.shape[1];
    row_.Reduce(n);
    const double log_sum = std::log(row_.sum());
    const VF shift = hn::Set(d, static_cast<float>(row_.largest()));
    const VF less = hn::Set(d, static_cast<float>(log_sum));
    double loss = 0;
    for (int64_t first = 0; first < columns; first += kChunk) {
      const int64_t count = std::min(kChunk, columns - first);
      float* const chunk = row_.Chunk(n, first, count);
      GatherF32(At(args_.labels, n, first), args_.labels.stride[1], count, labels_);
      std::fill(labels_ + count, labels_ + RoundUp(count, lanes), 0.0f);
      std::fill(chunk + count, chunk + RoundUp(count, lanes), 0.0f);
      VF sums[kSums] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      for (int64_t i = 0, k = 0; i < count; i += lanes, k = (k + 1) % kSums) {
        const VF label = hn::Load(d, labels_ + i);
        const VF log_p = hn::Sub(hn::Sub(hn::Load(d, chunk + i), shift), less);
        sums[k] = hn::MulAdd(label, log_p, sums[k]);
        hn::Store(hn::Sub(Exp<T, false>(d, log_p), label), d, chunk + i);
      }
      HWY_ALIGN float lane[kMostLanes];
      hn::Store(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])), d, lane);
      for (int64_t i = 0; i < lanes; ++i) loss -= static_cast<double>(lane[i]);
      ScatterF32(chunk, count, At(args_.backprop, n, first), args_.backprop.stride[1]);
    }
    StoreNumber<T>(args_.loss, n, loss);
  }

 private:
  static T* At(const TensorView& matrix, int64_t n, int64_t c) {
    return matrix.As<T>() + n * matrix.stride[0] + c * matrix.stride[1];
  }

  const ProbabilitiesArgs& args_;
  Row<T> row_;
  HWY_ALIGN float labels_[kChunk + kMostLanes] = {};
};

template <class T>
void RunLosses(const ProbabilitiesArgs& args) {
  const int64_t rows = args.features.shape[0];
  const int64_t grain =
      std::max<int64_t>(1, kPieceOfRows / std::max<int64_t>(1, args.features.shape[1]));
  ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    Losses<T> losses(args);
    for (int64_t n = begin; n < end; ++n) losses.Run(n);
  });
}

void RunLossesOfAnyType(const ProbabilitiesArgs& args) {
  switch (args.features.dtype) {
    case DType::kFloat16:
      return RunLosses<Float16>(args);
    case DType::kBFloat16:
      return RunLosses<BFloat16>(args);
    default:
      return RunLosses<float>(args);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::cross_entropy_loss {
namespace {
HWY_EXPORT(RunLossesOfAnyType);
}  // namespace

void RunWithProbabilities(const ProbabilitiesArgs& args) {
  HWY_DYNAMIC_DISPATCH(RunLossesOfAnyType)(args);
}

}  // namespace aclimb::cross_entropy_loss
#endif
