#include <cmath>
#include <type_traits>

#include "aclimb/ops/binary/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/binary/division.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/ops/binary/forms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::binary {
namespace HWY_NAMESPACE {

// x / y toward 0. A processor may trap at what has no answer: by 0 it is 0, and the lowest integer
// by -1 is itself.
template <typename T>
HWY_INLINE T Quotient(T x, T y) {
  if constexpr (std::is_same_v<T, bool>) {
    return x && y;
  } else {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return WrappedDifference(T{0}, x);
    }
    return static_cast<T>(x / y);
  }
}

// What is left of x, with its sign; x itself where y is 0.
template <typename T>
HWY_INLINE T Rest(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return WrappedDifference(x, WrappedProduct(Quotient(x, y), y));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::fmod(x, y);
  } else {
    // In double, the quotient of two floats is cut to the right whole number, and the product is
    // exact, as long as that one is so small.
    const double whole = std::trunc(static_cast<double>(x) / static_cast<double>(y));
    if (!(std::fabs(whole) < 0x1p28) || std::isinf(y)) return std::fmod(x, y);
    const double rest = static_cast<double>(x) - whole * static_cast<double>(y);
    return std::copysign(static_cast<float>(rest), x);
  }
}

// Whether rounding down gives another whole number than rounding toward 0.
template <typename T>
HWY_INLINE bool IsBelow(T rest, T y) {
  return rest != 0 && (rest < 0) != (y < 0);
}

struct OnNumbers : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 8;
  using Scalars =
      elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, float, double>;
};

struct Trunc : OnNumbers {
  using Vectors = elementwise::Floats;
  using Scalars = elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Trunc(hn::Div(x, y));
  }
  template <class T>
  T Scalar(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::trunc(x / y);
    } else {
      return Quotient(x, y);
    }
  }
};

struct Floor : OnNumbers {
  template <class T>
  T Scalar(T x, T y) const {
    if constexpr (std::is_same_v<T, bool>) {
      return Quotient(x, y);
    } else if constexpr (std::is_integral_v<T>) {
      const T quotient = Quotient(x, y);
      if (y == 0 || !IsBelow(Rest(x, y), y)) return quotient;
      return static_cast<T>(quotient - 1);
    } else {
      if (y == 0) return x / y;
      // NaN where x is infinite, as in Python.
      const T rest = Rest(x, y);
      const double whole = (static_cast<double>(x) - static_cast<double>(rest)) / y;
      const auto floor = static_cast<T>(std::nearbyint(whole) - (IsBelow(rest, y) ? 1 : 0));
      return floor == 0 ? std::copysign(floor, x / y) : floor;
    }
  }
};

struct NoBools : OnNumbers {
  using Scalars = elementwise::Types<uint8_t, int8_t, int16_t, int32_t, int64_t, float, double>;
};

struct Remainder : NoBools {
  template <class T>
  T Scalar(T x, T y) const {
    const T rest = Rest(x, y);
    if (y == 0 || !IsBelow(rest, y)) return rest;
    return static_cast<T>(rest + y);
  }
};

struct Fmod : NoBools {
  template <class T>
  T Scalar(T x, T y) const {
    return Rest(x, y);
  }
};

const elementwise::Runs& DivisionOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {
      RunsOf<Trunc>(),     RunsOf<WithScalar<Trunc>>(),     {},
      RunsOf<Floor>(),     RunsOf<WithScalar<Floor>>(),     {},
      RunsOf<Remainder>(), RunsOf<WithScalar<Remainder>>(), RunsOf<AfterScalar<Remainder>>(),
      RunsOf<Fmod>(),      RunsOf<WithScalar<Fmod>>(),      {}};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::binary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::binary {

HWY_EXPORT(DivisionOfNumber);

const elementwise::Runs& DivisionRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(DivisionOfNumber)(number);
}

}  // namespace aclimb::binary
#endif
