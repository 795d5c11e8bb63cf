#include "aclimb/ops/binary/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/binary/bits.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/ops/binary/forms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::binary {
namespace HWY_NAMESPACE {

struct OnBits : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.5f;
  using Scalars = elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t>;
};

struct And : OnBits {
  template <class T>
  T Scalar(T x, T y) const {
    return static_cast<T>(x & y);
  }
};

struct Or : OnBits {
  template <class T>
  T Scalar(T x, T y) const {
    return static_cast<T>(x | y);
  }
};

struct Xor : OnBits {
  template <class T>
  T Scalar(T x, T y) const {
    return static_cast<T>(x ^ y);
  }
};

const elementwise::Runs& BitsOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {RunsOf<And>(), RunsOf<WithScalar<And>>(), {},
                                                RunsOf<Or>(),  RunsOf<WithScalar<Or>>(),  {},
                                                RunsOf<Xor>(), RunsOf<WithScalar<Xor>>(), {}};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::binary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::binary {

HWY_EXPORT(BitsOfNumber);

const elementwise::Runs& BitsRuns(int number) { return HWY_DYNAMIC_DISPATCH(BitsOfNumber)(number); }

}  // namespace aclimb::binary
#endif
