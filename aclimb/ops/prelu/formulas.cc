#include "aclimb/ops/prelu/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/prelu/formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::prelu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

// NaN is not above 0.
struct Prelu {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.7f;
  using Vectors = elementwise::Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V weight) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(weight, x));
  }
};
// All elements have the weight of one channel.
struct PreluOfChannel {
  using Attributes = ChannelWeight;
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 0.7f;
  using Vectors = elementwise::Types<float>;

  ChannelWeight channel;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Prelu().operator()<T>(d, x, hn::Set(d, channel.weight));
  }
};
struct Gradient {
  static constexpr int kInputs = 3;
  static constexpr float kCycles = 0.8f;
  using Vectors = elementwise::Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x, V weight) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(weight, g));
  }
};
struct Terms {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.7f;
  using Vectors = elementwise::Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::IfThenZeroElse(hn::Gt(x, hn::Zero(d)), hn::Mul(g, x));
  }
};

const elementwise::Runs& RunsOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {RunsOf<Prelu>(), RunsOf<PreluOfChannel>(),
                                                RunsOf<Gradient>(), RunsOf<Terms>()};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::prelu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::prelu {

HWY_EXPORT(RunsOfNumber);

const elementwise::Runs& FormulaRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(RunsOfNumber)(number);
}

}  // namespace aclimb::prelu
#endif
