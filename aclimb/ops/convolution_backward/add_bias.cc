#include "aclimb/ops/convolution_backward/add_bias.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/add_bias.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

struct Sum {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.4f;
  using Vectors = elementwise::Types<float>;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};

const elementwise::Runs& SumRuns(int) {
  static constexpr elementwise::Runs kRuns = RunsOf<Sum>();
  return kRuns;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::convolution_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {
namespace {

HWY_EXPORT(SumRuns);

elementwise::Formula SumFormula() {
  return {
      [](int number) -> const elementwise::Runs& { return HWY_DYNAMIC_DISPATCH(SumRuns)(number); },
      0};
}

elementwise::Problem ProblemOf(const TensorView& sums, const TensorView& bias,
                               const TensorView& output) {
  // [C, 1, 1, 1], which broadcasts against [N, C, depth, height, width].
  TensorView channels = bias;
  channels.rank = sums.rank - 1;
  for (int d = 1; d < channels.rank; ++d) {
    channels.shape[d] = 1;
    channels.stride[d] = 0;
  }
  const TensorView inputs[] = {sums, channels};
  return elementwise::Problem(SumFormula(), inputs, output, DType::kFloat32);
}

}  // namespace

BiasProblem::BiasProblem(const TensorView& sums, const TensorView& bias, const TensorView& output)
    : problem_(ProblemOf(sums, bias, output)) {}

void BiasProblem::Run(const void* sums, const void* bias, void* output) const {
  elementwise::Solve(problem_, {.input = {sums, bias}, .output = output});
}

}  // namespace aclimb::convolution_backward
#endif
