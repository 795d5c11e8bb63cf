#include "aclimb/ops/convolution_backward/sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/sums.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/ops/convolution_backward/geometry.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

struct Add {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.4f;
  using Vectors = elementwise::Types<float>;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};

const elementwise::Runs& SumRuns(int) {
  static constexpr elementwise::Runs kRuns = RunsOf<Add>();
  return kRuns;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::convolution_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {
namespace {

HWY_EXPORT(SumRuns);

constexpr uint32_t kAll = (1u << (2 + kDims)) - 1;  // dimensions of an embedded view

elementwise::Formula SumFormula() {
  return {
      [](int number) -> const elementwise::Runs& { return HWY_DYNAMIC_DISPATCH(SumRuns)(number); },
      0};
}

}  // namespace

elementwise::Problem Sum(const TensorView& a, const TensorView& b, const TensorView& output) {
  const TensorView inputs[] = {a, b};
  return elementwise::Problem(SumFormula(), inputs, output, DType::kFloat32);
}

elementwise::Problem SumWithBias(const TensorView& sums, const TensorView& bias,
                                 const TensorView& output) {
  // [C, 1, 1, 1], which broadcasts against [N, C, depth, height, width].
  TensorView channels = bias;
  channels.rank = sums.rank - 1;
  for (int d = 1; d < channels.rank; ++d) {
    channels.shape[d] = 1;
    channels.stride[d] = 0;
  }
  return Sum(sums, channels, output);
}

reduction::Problem SumOfChannels(const TensorView& grad_output, const TensorView& grad_bias) {
  constexpr uint32_t kChannels = 1u << 1;
  return reduction::Problem({.fold = reduction::Fold::kSum, .reduced = kAll - kChannels},
                            grad_output, {grad_bias, {}});
}

reduction::Problem SumOfAll(const TensorView& view) {
  TensorView sum;
  sum.dtype = DType::kFloat32;
  return reduction::Problem({.fold = reduction::Fold::kSum, .reduced = kAll}, view, {sum, {}});
}

}  // namespace aclimb::convolution_backward
#endif
