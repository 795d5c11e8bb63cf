#include "aclimb/ops/elu_backward/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/elu_backward/formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/simd/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::elu_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

// Gradient of ELU. With c = alpha * scale, in float32:
//   v > 0 or NaN          g * scale
//   v <= 0, is_result     g * input_scale * (v + c)
//   v <= 0, otherwise     g * input_scale * c * exp(v * input_scale)
//   source  the operator's document
template <Branch kBranch>
struct Gradient : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 1.5f;
  using Vectors = elementwise::Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V v) const {
    const V c = hn::Set(d, alpha * scale);
    const V q = hn::Set(d, input_scale);
    const V positive = kBranch == kPlainInput ? g : hn::Mul(g, hn::Set(d, scale));
    V negative;
    if constexpr (kBranch == kResult) {
      negative = hn::Mul(hn::Mul(g, q), hn::Add(v, c));
    } else if constexpr (kBranch == kInput) {
      negative = hn::Mul(hn::Mul(hn::Mul(g, q), c), Exp<T>(d, hn::Mul(v, q)));
    } else {
      negative = hn::Mul(hn::Mul(g, c), Exp<T, false>(d, v));
    }
    // NaN compares false and takes the linear branch, as in PyTorch.
    return hn::IfThenElse(hn::Le(v, hn::Zero(d)), negative, positive);
  }
};

const elementwise::Runs& RunsOfBranch(int branch) {
  static constexpr elementwise::Runs kRuns[] = {
      RunsOf<Gradient<kResult>>(), RunsOf<Gradient<kInput>>(), RunsOf<Gradient<kPlainInput>>()};
  return kRuns[branch];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::elu_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::elu_backward {

HWY_EXPORT(RunsOfBranch);

elementwise::Formula FormulaOf(const Attributes& attributes, bool is_result) {
  const bool plain = attributes.scale == 1 && attributes.input_scale == 1;
  const auto runs = [](int branch) -> const elementwise::Runs& {
    return HWY_DYNAMIC_DISPATCH(RunsOfBranch)(branch);
  };
  return {runs, is_result ? kResult : plain ? kPlainInput : kInput};
}

}  // namespace aclimb::elu_backward
#endif
