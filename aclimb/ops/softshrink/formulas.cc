#include "aclimb/ops/softshrink/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/softshrink/formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::softshrink {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

struct Softshrink : Attributes {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 0.5f;
  using Attributes = softshrink::Attributes;
  using Vectors = elementwise::Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V moved = hn::Sub(x, hn::CopySign(hn::Set(d, lambd), x));
    // NaN compares false and stays.
    return hn::IfThenZeroElse(hn::Le(hn::Abs(x), hn::Set(d, lambd)), moved);
  }
};

const elementwise::Runs& RunsOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {RunsOf<Softshrink>()};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::softshrink
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::softshrink {

HWY_EXPORT(RunsOfNumber);

const elementwise::Runs& FormulaRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(RunsOfNumber)(number);
}

}  // namespace aclimb::softshrink
#endif
