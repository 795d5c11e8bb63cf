// Formulas that programs use now and then: half types are converted to float32 before and after,
// instead of in the formulas, which are compiled for float32 alone.

#include <cmath>
#include <type_traits>

#include "aclimb/ops/pointwise/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/pointwise/rare_formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::pointwise {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

template <int kCount>
struct Of : Attributes {
  Of(const Attributes& given) : Attributes(given) {}  // NOLINT: for RunsOf
  static constexpr int kInputs = kCount;
  static constexpr float kCycles = 1;
  using Vectors = elementwise::Types<float>;
};

struct LogSigmoid : Of<1> {
  static constexpr float kCycles = 4;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V rest = Log1p<T>(d, Exp<T>(d, hn::Neg(hn::Abs(x))));
    // NaN compares false and stays.
    return hn::Sub(hn::IfThenZeroElse(hn::Gt(x, hn::Zero(d)), x), rest);
  }
};

struct LogSigmoidBackward : Of<2> {
  static constexpr float kCycles = 2;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::Div(g, hn::Add(hn::Set(d, 1.0f), Exp<T>(d, x)));
  }
};

// Attributes: the power of 10 as a real and, where it is one, as a whole number, which is 0 where
// int64 has no such power; then whether to divide by it.
struct RoundDecimals : Of<1> {
  using Scalars = elementwise::Types<int32_t, int64_t, double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V power = hn::Set(d, As<float>(0));
    if (whole[1] != 0) return hn::Mul(hn::Round(hn::Div(x, power)), power);
    return hn::Div(hn::Round(hn::Mul(x, power)), power);
  }
  template <class T>
  T Scalar(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (whole[1] != 0) return std::nearbyint(x / real[0]) * real[0];
      return std::nearbyint(x * real[0]) / real[0];
    } else {
      return static_cast<T>(Whole(int64_t{x}));
    }
  }
  // What int64 has not is 0, what T has not loses its upper bits.
  int64_t Whole(int64_t x) const {
    if (whole[1] == 0) return x;
    if (whole[0] == 0) return 0;
    const int64_t power = whole[0];
    int64_t quotient = x / power;
    const int64_t rest = x % power;
    const int64_t size = rest < 0 ? -rest : rest;
    const bool is_even = quotient % 2 == 0;
    if (size > power - size || (size == power - size && !is_even)) quotient += x < 0 ? -1 : 1;
    return static_cast<int64_t>(static_cast<uint64_t>(quotient) * static_cast<uint64_t>(power));
  }
};

// Attributes: what is in place of NaN, infinity and negative infinity.
struct NanToNum : Of<1> {
  using Scalars = elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V infinity = hn::Set(d, HUGE_VALF);
    const V above = hn::IfThenElse(hn::Eq(x, infinity), hn::Set(d, As<float>(1)), x);
    const V below = hn::IfThenElse(hn::Eq(x, hn::Neg(infinity)), hn::Set(d, As<float>(2)), above);
    return hn::IfThenElse(hn::IsNaN(x), hn::Set(d, As<float>(0)), below);
  }
  template <class T>
  T Scalar(T x) const {
    return x;
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
}  // namespace aclimb::pointwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::pointwise {

HWY_EXPORT(RareRunsOf);

const elementwise::Runs& RareRuns(int number) { return HWY_DYNAMIC_DISPATCH(RareRunsOf)(number); }

}  // namespace aclimb::pointwise
#endif
