#include <type_traits>

#include "aclimb/ops/binary/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/binary/arithmetic.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/ops/binary/forms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::binary {
namespace HWY_NAMESPACE {

// Less to do than memory has.
struct OnNumbers : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.5f;
  using Vectors = elementwise::Floats;
  using Scalars = elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, double>;
};

struct Add : OnNumbers {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::MulAdd(hn::Set(d, alpha.As<float>()), y, x);
  }
  template <class T>
  T Scalar(T x, T y) const {
    const T factor = alpha.As<T>();
    if constexpr (std::is_same_v<T, bool>) {
      return x || (factor && y);
    } else if constexpr (std::is_floating_point_v<T>) {
      return x + factor * y;
    } else {
      return WrappedSum(x, WrappedProduct(factor, y));
    }
  }
};

struct Sub : OnNumbers {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::NegMulAdd(hn::Set(d, alpha.As<float>()), y, x);
  }
  template <class T>
  T Scalar(T x, T y) const {
    const T factor = alpha.As<T>();
    if constexpr (std::is_same_v<T, bool>) {
      return x != (factor && y);
    } else if constexpr (std::is_floating_point_v<T>) {
      return x - factor * y;
    } else {
      return WrappedDifference(x, WrappedProduct(factor, y));
    }
  }
};

struct Mul : OnNumbers {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Mul(x, y);
  }
  template <class T>
  T Scalar(T x, T y) const {
    if constexpr (std::is_same_v<T, bool>) {
      return x && y;
    } else if constexpr (std::is_floating_point_v<T>) {
      return x * y;
    } else {
      return WrappedProduct(x, y);
    }
  }
};

// Whole numbers are left out: their quotient is a float.
struct Div : OnNumbers {
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Div(x, y);
  }
  template <class T>
  T Scalar(T x, T y) const {
    return x / y;
  }
};

struct Maximum : OnNumbers {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    // NaN of y compares false and is taken.
    return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Gt(x, y)), x, y);
  }
  template <class T>
  T Scalar(T x, T y) const {
    return x > y || x != x ? x : y;
  }
};

struct Minimum : OnNumbers {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Lt(x, y)), x, y);
  }
  template <class T>
  T Scalar(T x, T y) const {
    return x < y || x != x ? x : y;
  }
};

const elementwise::Runs& ArithmeticOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {RunsOf<Add>(),
                                                RunsOf<WithScalar<Add>>(),
                                                {},
                                                RunsOf<Sub>(),
                                                RunsOf<WithScalar<Sub>>(),
                                                RunsOf<AfterScalar<Sub>>(),
                                                RunsOf<Mul>(),
                                                RunsOf<WithScalar<Mul>>(),
                                                {},
                                                RunsOf<Div>(),
                                                RunsOf<WithScalar<Div>>(),
                                                {},
                                                RunsOf<Maximum>(),
                                                {},
                                                {},
                                                RunsOf<Minimum>(),
                                                {},
                                                {}};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::binary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::binary {

HWY_EXPORT(ArithmeticOfNumber);

const elementwise::Runs& ArithmeticRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(ArithmeticOfNumber)(number);
}

}  // namespace aclimb::binary
#endif
