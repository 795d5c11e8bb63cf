#include <cmath>
#include <type_traits>

#include "aclimb/ops/pointwise/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/pointwise/combination_formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::pointwise {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

// What the formulas share: float32 on vectors, few instructions beside what memory takes.
template <int kCount>
struct Of : Attributes {
  Of(const Attributes& given) : Attributes(given) {}  // NOLINT: for RunsOf
  static constexpr int kInputs = kCount;
  static constexpr float kCycles = 0.8f;
  using Vectors = elementwise::Floats;
};

// Where products of integers wrap.
template <typename T>
using Unsigned = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

// Attribute: value.
struct Addcmul : Of<3> {
  using Scalars = elementwise::Types<uint8_t, int8_t, int16_t, int32_t, int64_t, double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V a, V b) const {
    return hn::MulAdd(hn::Mul(hn::Set(d, As<float>(0)), a), b, x);
  }
  template <class T>
  T Scalar(T x, T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return x + real[0] * a * b;
    } else {
      using U = Unsigned<T>;
      return static_cast<T>(static_cast<U>(x) +
                            static_cast<U>(whole[0]) * static_cast<U>(a) * static_cast<U>(b));
    }
  }
};

// Attribute: value. Of integers the quotient loses its fraction, and x / 0 is 0.
struct Addcdiv : Of<3> {
  static constexpr float kCycles = 1;
  using Scalars = elementwise::Types<int64_t, double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V a, V b) const {
    return hn::Add(x, hn::Div(hn::Mul(hn::Set(d, As<float>(0)), a), b));
  }
  template <class T>
  T Scalar(T x, T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return x + real[0] * a / b;
    } else {
      const uint64_t product = static_cast<uint64_t>(whole[0]) * static_cast<uint64_t>(a);
      // The lowest number over -1 would trap.
      const uint64_t quotient = b == 0 ? 0
                                : b == -1
                                    ? uint64_t{0} - product
                                    : static_cast<uint64_t>(static_cast<int64_t>(product) / b);
      return static_cast<T>(static_cast<uint64_t>(x) + quotient);
    }
  }
};

// From the nearer end, as PyTorch: with a weight of 1 exactly the other end.
template <class D, class V>
HWY_INLINE V Between(D d, V x, V end, V weight) {
  const V distance = hn::Sub(end, x);
  const V near = hn::MulAdd(weight, distance, x);
  const V far = hn::NegMulAdd(distance, hn::Sub(hn::Set(d, 1.0f), weight), end);
  return hn::IfThenElse(hn::Lt(hn::Abs(weight), hn::Set(d, 0.5f)), near, far);
}

struct Lerp : Of<3> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V end, V weight) const {
    return Between(d, x, end, weight);
  }
};

// Attribute: weight.
struct LerpBy : Of<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V end) const {
    return Between(d, x, end, hn::Set(d, As<float>(0)));
  }
};

const elementwise::Runs& CombinationRunsOf(int number) {
  static constexpr elementwise::Runs kRuns[] = {
#define ACLIMB_FORMULA(Name) RunsOf<Name>(),
      ACLIMB_COMBINATION_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::pointwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::pointwise {

HWY_EXPORT(CombinationRunsOf);

const elementwise::Runs& CombinationRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(CombinationRunsOf)(number);
}

}  // namespace aclimb::pointwise
#endif
