// Formulas that programs use now and then: half types are converted to float32 before and after,
// instead of in the formulas, which are compiled for float32 alone.

#include <cmath>
#include <type_traits>

#include "aclimb/ops/unary/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/unary/rare_formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/contrib/math/math-inl.h>

#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::unary {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf
namespace math = aclimb::HWY_NAMESPACE;

struct OnFloat {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 3;
  using Vectors = elementwise::Types<float>;
  using Scalars = elementwise::Types<double>;
};
// Those that only the C library computes to the last digits.
struct ByLibrary {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 40;
  using Scalars = elementwise::Types<float, double>;
};

struct Acos : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Acos(d, x);
  }
  double Scalar(double x) const { return std::acos(x); }
};

struct Asin : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Asin(d, x);
  }
  double Scalar(double x) const { return std::asin(x); }
};

struct Atan : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Atan(d, x);
  }
  double Scalar(double x) const { return std::atan(x); }
};

// From there on, 1 is nothing beside the square.
inline constexpr float kLarge = 1e9f;

struct Acosh : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f), ln2 = hn::Set(d, 0.69314718f);
    const V t = hn::Sub(x, one);
    const auto is_large = hn::Gt(x, hn::Set(d, kLarge));
    const V sum = hn::Add(t, hn::Sqrt(hn::Mul(t, hn::Add(t, two))));
    const V result = hn::Add(math::Log1p<T>(d, hn::IfThenElse(is_large, x, sum)),
                             hn::IfThenElseZero(is_large, ln2));
    return hn::IfThenElse(hn::Lt(x, one), hn::Set(d, std::nanf("")), result);
  }
  double Scalar(double x) const { return std::acosh(x); }
};

struct Asinh : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0f), ln2 = hn::Set(d, 0.69314718f);
    const V a = hn::Abs(x), square = hn::Mul(a, a);
    const auto is_large = hn::Gt(a, hn::Set(d, kLarge));
    // The root less 1, without cancellation.
    const V root = hn::Div(square, hn::Add(one, hn::Sqrt(hn::Add(one, square))));
    const V sum = hn::IfThenElse(is_large, a, hn::Add(a, root));
    const V result = hn::Add(math::Log1p<T>(d, sum), hn::IfThenElseZero(is_large, ln2));
    return hn::CopySignToAbs(result, x);
  }
  double Scalar(double x) const { return std::asinh(x); }
};

struct Atanh : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V a = hn::Abs(x);
    const V ratio = hn::Div(hn::Add(a, a), hn::Sub(hn::Set(d, 1.0f), a));
    return hn::CopySign(hn::Mul(hn::Set(d, 0.5f), math::Log1p<T>(d, ratio)), x);
  }
  double Scalar(double x) const { return std::atanh(x); }
};

// exp(a) / 2 of large a by exp(a - 8) * (exp(8) / 2), which overflows no earlier than the result.
inline constexpr float kFar = 80, kShift = 8, kHalfOfShifted = 1490.47899f;

struct Cosh : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V a = hn::Abs(x), one = hn::Set(d, 1.0f);
    const auto is_far = hn::Gt(a, hn::Set(d, kFar));
    const V e = math::Exp<T>(d, hn::IfThenElse(is_far, hn::Sub(a, hn::Set(d, kShift)), a));
    const V near = hn::Mul(hn::Set(d, 0.5f), hn::Add(e, hn::Div(one, e)));
    return hn::IfThenElse(is_far, hn::Mul(e, hn::Set(d, kHalfOfShifted)), near);
  }
  double Scalar(double x) const { return std::cosh(x); }
};

struct Sinh : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V a = hn::Abs(x), one = hn::Set(d, 1.0f);
    const auto is_far = hn::Gt(a, hn::Set(d, kFar));
    const V m = math::Expm1<T>(d, hn::IfThenElse(is_far, hn::Sub(a, hn::Set(d, kShift)), a));
    const V near = hn::Mul(hn::Set(d, 0.5f), hn::Add(m, hn::Div(m, hn::Add(m, one))));
    return hn::CopySignToAbs(hn::IfThenElse(is_far, hn::Mul(m, hn::Set(d, kHalfOfShifted)), near),
                             x);
  }
  double Scalar(double x) const { return std::sinh(x); }
};

struct Tan : OnFloat {
  static constexpr float kCycles = 5;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(math::Sin<T>(d, x), math::Cos<T>(d, x));
  }
  double Scalar(double x) const { return std::tan(x); }
};

struct Erfc : ByLibrary {
  template <class T>
  T Scalar(T x) const {
    return std::erfc(x);
  }
};

// A polynomial in the logarithm of 1 - x^2 (M. Giles, Approximating the erfinv function), to about
// seven digits, and one step of Newton's method in double.
struct Erfinv : ByLibrary {
  static constexpr float kCycles = 150;
  using Scalars = elementwise::Types<float>;
  float Scalar(float x) const {
    const double a = std::fabs(static_cast<double>(x));
    if (!(a < 1)) return a == 1 ? std::copysign(HUGE_VALF, x) : std::nanf("");
    constexpr double kCenter[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                  -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                  -0.00417768164,  0.246640727,    1.50140941};
    constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                -0.00367342844,  0.00573950773,  -0.0076224613,
                                0.00943887047,   1.00167406,     2.83297682};
    const double w = -std::log((1 - a) * (1 + a));
    const bool is_tail = w >= 5;
    const double t = is_tail ? std::sqrt(w) - 3 : w - 2.5;
    double y = 0;
    for (int i = 0; i < 9; ++i) y = y * t + (is_tail ? kTail[i] : kCenter[i]);
    y *= a;
    // By the complement where it has more digits.
    const double rest = a < 0.5 ? std::erf(y) - a : (1 - a) - std::erfc(y);
    y -= rest * std::exp(y * y) * 0.88622692545275801;
    return static_cast<float>(std::copysign(y, static_cast<double>(x)));
  }
};

struct Expm1 : OnFloat {
  // The contract has no DOUBLE here.
  using Scalars = elementwise::Types<>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return math::Expm1<T>(d, x);
  }
  double Scalar(double x) const { return std::expm1(x); }
};

struct Log1p : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return math::Log1p<T>(d, x);
  }
  double Scalar(double x) const { return std::log1p(x); }
};

struct Log2 : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return math::Log2(d, x);
  }
  double Scalar(double x) const { return std::log2(x); }
};

struct Log10 : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return math::Log10(d, x);
  }
  double Scalar(double x) const { return std::log10(x); }
};

struct Exp2 : OnFloat {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V clamped = hn::Min(hn::Set(d, 129.0f), hn::Max(hn::Set(d, -151.0f), x));
    const V n = hn::Round(clamped);
    const V power = math::ScaleByPowerOf2(d, math::PowerOf2<T>(d, hn::Sub(clamped, n)), n);
    return hn::IfThenElse(hn::IsNaN(x), x, power);
  }
  double Scalar(double x) const { return std::exp2(x); }
};

struct Signbit {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 1;
  using Scalars = elementwise::AllScalars;
  template <class T>
  bool Scalar(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::signbit(x);
    } else if constexpr (std::is_signed_v<T>) {
      return x < 0;
    } else {
      return false;
    }
  }
};

const elementwise::Runs& RareRunsOf(int number) {
  static constexpr elementwise::Runs kRuns[] = {
#define ACLIMB_FORMULA(Name) RunsOf<Name>(),
      ACLIMB_RARE_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::unary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::unary {

HWY_EXPORT(RareRunsOf);

const elementwise::Runs& RareRuns(int number) { return HWY_DYNAMIC_DISPATCH(RareRunsOf)(number); }

}  // namespace aclimb::unary
#endif
