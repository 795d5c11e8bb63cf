#include "aclimb/ops/mse_loss/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/mse_loss/formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::mse_loss {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

struct Square {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.3f;
  using Vectors = elementwise::Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    const V difference = hn::Sub(x, y);
    return hn::Mul(difference, difference);
  }
};

struct Gradient : Attributes {
  static constexpr int kInputs = 3;
  static constexpr float kCycles = 0.4f;
  using Vectors = elementwise::Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x, V y) const {
    return hn::Mul(hn::Mul(hn::Set(d, factor), hn::Sub(x, y)), g);
  }
};

const elementwise::Runs& RunsOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {RunsOf<Square>(), RunsOf<Gradient>()};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::mse_loss
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::mse_loss {

HWY_EXPORT(RunsOfNumber);

const elementwise::Runs& FormulaRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(RunsOfNumber)(number);
}

}  // namespace aclimb::mse_loss
#endif
