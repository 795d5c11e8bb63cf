#include "aclimb/ops/unary/formulas.h"

#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/unary/formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::unary {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

// What the formulas share: one input, float32 on vectors, DOUBLE by the C library.
struct OnFloats {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 0.4f;
  using Vectors = elementwise::Floats;
  using Scalars = elementwise::Types<double>;
};
// Those of a few instructions have less to do than memory.
struct OnNumbers : OnFloats {
  using Scalars = elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, double>;
};
struct OnTests {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 1;
  using Scalars = elementwise::AllScalars;
};

template <typename T>
using Unsigned = std::make_unsigned_t<std::conditional_t<std::is_integral_v<T>, T, int>>;

struct Abs : OnNumbers {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Abs(x);
  }
  template <class T>
  T Scalar(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(x);
    } else if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>) {
      return x;
    } else {
      return static_cast<T>(x < 0 ? Unsigned<T>{0} - static_cast<Unsigned<T>>(x)
                                  : static_cast<Unsigned<T>>(x));
    }
  }
};

struct Neg : OnFloats {
  using Scalars = elementwise::Types<int8_t, int32_t, int64_t, double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Neg(x);
  }
  template <class T>
  T Scalar(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return -x;
    } else {
      return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(x));
    }
  }
};

struct Exp : OnFloats {
  static constexpr float kCycles = 1.5f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Exp<T>(d, x);
  }
  double Scalar(double x) const { return std::exp(x); }
};

struct Log : OnFloats {
  static constexpr float kCycles = 2;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Log<T>(d, x);
  }
  double Scalar(double x) const { return std::log(x); }
};

struct Sqrt : OnFloats {
  static constexpr float kCycles = 0.8f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
  double Scalar(double x) const { return std::sqrt(x); }
};

struct Rsqrt : OnFloats {
  static constexpr float kCycles = 1.2f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Rsqrt<T>(d, x);
  }
  double Scalar(double x) const { return 1 / std::sqrt(x); }
};

struct Reciprocal : OnFloats {
  static constexpr float kCycles = 0.6f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(hn::Set(d, 1.0f), x);
  }
  double Scalar(double x) const { return 1 / x; }
};

struct Sin : OnFloats {
  static constexpr float kCycles = 3;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Sin<T>(d, x);
  }
  double Scalar(double x) const { return std::sin(x); }
};

struct Cos : OnFloats {
  static constexpr float kCycles = 3;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Cos<T>(d, x);
  }
  double Scalar(double x) const { return std::cos(x); }
};

// The contract has no DOUBLE here.
struct Tanh {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 2;
  using Vectors = elementwise::Floats;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Tanh<T>(d, x);
  }
};

struct Sigmoid : OnFloats {
  static constexpr float kCycles = 2;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Sigmoid<T>(d, x);
  }
  double Scalar(double x) const { return 1 / (1 + std::exp(-x)); }
};

struct Relu : OnFloats {
  using Scalars = elementwise::Types<uint8_t, int8_t, int32_t, int64_t>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // NaN compares false and stays, as -0 does.
    return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
  }
  template <class T>
  T Scalar(T x) const {
    return x < 0 ? T{0} : x;
  }
};

struct OnFloatsAlone {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 2;
  using Vectors = elementwise::Floats;
};

struct Gelu : OnFloatsAlone {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::GeluOfTanh<T>(d, x);
  }
};

struct Silu : OnFloatsAlone {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V e = aclimb::HWY_NAMESPACE::Exp<T>(d, hn::Neg(x));
    return hn::Div(x, hn::Add(hn::Set(d, 1.0f), e));
  }
};

// With e = exp(x), tanh(log(1 + e)) is n / (n + 2) for n = e * (e + 2).
struct Mish : OnFloatsAlone {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V two = hn::Set(d, 2.0f);
    const V e = aclimb::HWY_NAMESPACE::Exp<T>(d, x);
    const V n = hn::Mul(e, hn::Add(e, two));
    const V result = hn::Mul(x, hn::Div(n, hn::Add(n, two)));
    // From there on the tanh is 1, and n might be infinite.
    return hn::IfThenElse(hn::Gt(x, hn::Set(d, 20.0f)), x, result);
  }
};

// min(max(x + 3, 0), 6); NaN stays.
template <class D, class V>
HWY_INLINE V Ramp(D d, V x) {
  const V y = hn::Add(x, hn::Set(d, 3.0f));
  const V six = hn::Set(d, 6.0f);
  const V low = hn::IfThenZeroElse(hn::Lt(y, hn::Zero(d)), y);
  return hn::IfThenElse(hn::Gt(low, six), six, low);
}

struct Hardswish : OnFloatsAlone {
  static constexpr float kCycles = 0.6f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, hn::Mul(Ramp(d, x), hn::Set(d, 1.0f / 6)));
  }
};

struct Hardsigmoid : OnFloatsAlone {
  static constexpr float kCycles = 0.6f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(Ramp(d, x), hn::Set(d, 1.0f / 6));
  }
};

struct Erf : OnFloats {
  static constexpr float kCycles = 1.5f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Erf<T>(d, x);
  }
  double Scalar(double x) const { return std::erf(x); }
};

struct Floor : OnNumbers {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Floor(x);
  }
  template <class T>
  T Scalar(T x) const {
    if constexpr (std::is_floating_point_v<T>) return std::floor(x);
    return x;
  }
};

struct Ceil : OnFloats {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Ceil(x);
  }
  double Scalar(double x) const { return std::ceil(x); }
};

struct Round : OnFloats {
  using Scalars = elementwise::Types<int32_t, int64_t, double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Round(x);
  }
  template <class T>
  T Scalar(T x) const {
    if constexpr (std::is_floating_point_v<T>) return std::nearbyint(x);
    return x;
  }
};

struct Trunc : OnFloatsAlone {
  static constexpr float kCycles = 0.4f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Trunc(x);
  }
};

struct Sign : OnFloats {
  using Scalars = elementwise::Types<Bool, int32_t, int64_t, double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
    const V above = hn::IfThenElseZero(hn::Gt(x, zero), one);
    return hn::IfThenElse(hn::Lt(x, zero), hn::Neg(one), above);
  }
  template <class T>
  T Scalar(T x) const {
    if constexpr (std::is_same_v<T, bool>) return x;
    return static_cast<T>((x > T{0} ? 1 : 0) - (x < T{0} ? 1 : 0));
  }
};

struct LogicalNot : OnTests {
  template <class T>
  bool Scalar(T x) const {
    return x == T{0};
  }
};

struct BitwiseNot {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 0.4f;
  using Scalars = elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t>;
  template <class T>
  T Scalar(T x) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !x;
    } else {
      return static_cast<T>(~x);
    }
  }
};

struct IsFinite : OnTests {
  template <class T>
  bool Scalar(T x) const {
    if constexpr (std::is_floating_point_v<T>) return x - x == T{0};
    return true;
  }
};

const elementwise::Runs& CommonRunsOf(int number) {
  static constexpr elementwise::Runs kRuns[] = {
#define ACLIMB_FORMULA(Name) RunsOf<Name>(),
      ACLIMB_COMMON_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::unary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::unary {

HWY_EXPORT(CommonRunsOf);

const elementwise::Runs& CommonRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(CommonRunsOf)(number);
}

}  // namespace aclimb::unary
#endif
