#include <cmath>
#include <type_traits>

#include "aclimb/ops/binary/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/binary/power.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/ops/binary/forms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::binary {
namespace HWY_NAMESPACE {

struct Pow : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 30;
  using Scalars =
      elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, float, double>;
  template <class T>
  T Scalar(T x, T y) const {
    if constexpr (std::is_same_v<T, bool>) {
      return x || !y;
    } else if constexpr (std::is_floating_point_v<T>) {
      return std::pow(x, y);
    } else {
      // 1 / x^-y without its fraction.
      if (y < 0) return static_cast<T>(x == 1 ? 1 : x != static_cast<T>(-1) ? 0 : y % 2 ? -1 : 1);
      Unsigned<T> power = 1;
      Unsigned<T> square = static_cast<Unsigned<T>>(x);
      for (Unsigned<T> left = static_cast<Unsigned<T>>(y); left != 0; left >>= 1) {
        if ((left & 1) != 0) power *= square;
        square *= square;
      }
      return static_cast<T>(power);
    }
  }
};

struct Atan2 : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 40;
  using Scalars = elementwise::Types<float, double>;
  template <class T>
  T Scalar(T y, T x) const {
    return std::atan2(y, x);
  }
};

// Powers that take a few instructions.
struct OfOne : Attributes {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 0.8f;
  using Vectors = elementwise::Floats;
  using Scalars = elementwise::Types<double>;
};

struct Square : OfOne {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(x, x);
  }
  double Scalar(double x) const { return x * x; }
};

struct Cube : OfOne {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(x, hn::Mul(x, x));
  }
  double Scalar(double x) const { return x * (x * x); }
};

// As in PyTorch a root, where std::pow() knows that of -inf, and takes the sign from zeros.
struct SquareRoot : OfOne {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
  double Scalar(double x) const { return std::sqrt(x); }
};

struct Reciprocal : OfOne {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(hn::Set(d, 1.0f), x);
  }
  double Scalar(double x) const { return 1 / x; }
};

struct ReciprocalSquareRoot : OfOne {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(hn::Set(d, 1.0f), hn::Sqrt(x));
  }
  double Scalar(double x) const { return 1 / std::sqrt(x); }
};

const elementwise::Runs& PowerOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {
      RunsOf<Pow>(),
      RunsOf<WithScalar<Pow>>(),
      RunsOf<AfterScalar<Pow>>(),
      RunsOf<Atan2>(),
      {},
      {},
      RunsOf<Square>(),
      RunsOf<Cube>(),
      RunsOf<SquareRoot>(),
      RunsOf<Reciprocal>(),
      RunsOf<ReciprocalSquareRoot>(),
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::binary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::binary {

HWY_EXPORT(PowerOfNumber);

const elementwise::Runs& PowerRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(PowerOfNumber)(number);
}

}  // namespace aclimb::binary
#endif
