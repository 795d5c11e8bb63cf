#include "aclimb/ops/foreach/formulas.h"

#include <atomic>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/foreach/formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::foreach {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

// What the formulas share: float32 on vectors, few instructions beside what memory takes.
template <int kCount>
struct Of : Attributes {
  Of(const Attributes& given) : Attributes(given) {}  // NOLINT: for RunsOf
  static constexpr int kInputs = kCount;
  static constexpr float kCycles = 0.5f;
  using Vectors = elementwise::Floats;

  template <class D>
  HWY_INLINE hn::Vec<D> Set(D d) const {
    return hn::Set(d, As<float>());
  }
};
// Those that INT32 has too, where sums and products wrap.
template <int kCount>
struct OfNumbers : Of<kCount> {
  using Of<kCount>::Of;
  using Scalars = elementwise::Types<int32_t>;

  uint32_t Bits() const { return static_cast<uint32_t>(this->whole); }
  static int32_t Signed(uint32_t bits) { return static_cast<int32_t>(bits); }
  static uint32_t Unsigned(int32_t x) { return static_cast<uint32_t>(x); }
};

struct AddList : OfNumbers<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::MulAdd(Set(d), y, x);
  }
  int32_t Scalar(int32_t x, int32_t y) const { return Signed(Unsigned(x) + Bits() * Unsigned(y)); }
};

struct AddScalar : OfNumbers<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Add(x, Set(d));
  }
  int32_t Scalar(int32_t x) const { return Signed(Unsigned(x) + Bits()); }
};

struct MulList : OfNumbers<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Mul(x, y);
  }
  int32_t Scalar(int32_t x, int32_t y) const { return Signed(Unsigned(x) * Unsigned(y)); }
};

struct MulScalar : OfNumbers<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, Set(d));
  }
  int32_t Scalar(int32_t x) const { return Signed(Unsigned(x) * Bits()); }
};

struct DivList : Of<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Div(x, y);
  }
};

struct DivScalar : Of<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(x, Set(d));
  }
};

// NaN of either is taken, as in the next ones.
template <class V>
HWY_INLINE V Larger(V x, V y) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Gt(x, y)), x, y);
}
template <class V>
HWY_INLINE V Smaller(V x, V y) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Lt(x, y)), x, y);
}

struct MaximumList : OfNumbers<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return Larger(x, y);
  }
  int32_t Scalar(int32_t x, int32_t y) const { return x > y ? x : y; }
};

struct MinimumList : OfNumbers<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return Smaller(x, y);
  }
  int32_t Scalar(int32_t x, int32_t y) const { return x < y ? x : y; }
};

struct MaximumScalar : OfNumbers<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Larger(x, Set(d));
  }
  int32_t Scalar(int32_t x) const { return x > As<int32_t>() ? x : As<int32_t>(); }
};

struct MinimumScalar : OfNumbers<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Smaller(x, Set(d));
  }
  int32_t Scalar(int32_t x) const { return x < As<int32_t>() ? x : As<int32_t>(); }
};

struct Addcmul : OfNumbers<3> {
  static constexpr float kCycles = 0.8f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V a, V b) const {
    return hn::MulAdd(hn::Mul(Set(d), a), b, x);
  }
  int32_t Scalar(int32_t x, int32_t a, int32_t b) const {
    return Signed(Unsigned(x) + Bits() * Unsigned(a) * Unsigned(b));
  }
};

struct Addcdiv : Of<3> {
  static constexpr float kCycles = 1;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V a, V b) const {
    return hn::MulAdd(Set(d), hn::Div(a, b), x);
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

struct LerpScalar : Of<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V end) const {
    return Between(d, x, end, Set(d));
  }
};

struct LerpList : Of<3> {
  static constexpr float kCycles = 0.8f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V end, V weight) const {
    return Between(d, x, end, weight);
  }
};

struct Sqrt : Of<1> {
  static constexpr float kCycles = 0.8f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
};

struct Neg : OfNumbers<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Neg(x);
  }
  int32_t Scalar(int32_t x) const { return Signed(0 - Unsigned(x)); }
};

struct Reciprocal : Of<1> {
  static constexpr float kCycles = 0.6f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(hn::Set(d, 1.0f), x);
  }
};

struct Abs : Of<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Abs(x);
  }
};

struct Exp : Of<1> {
  static constexpr float kCycles = 1.5f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Exp<T>(d, x);
  }
};

struct Tanh : Of<1> {
  static constexpr float kCycles = 2;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Tanh<T>(d, x);
  }
};

struct Sigmoid : Of<1> {
  static constexpr float kCycles = 2;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return aclimb::HWY_NAMESPACE::Sigmoid<T>(d, x);
  }
};

struct Zero : Of<1> {
  using Of<1>::Of;
  using Scalars = elementwise::Types<int16_t, int32_t>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V) const {
    return hn::Zero(d);
  }
  template <class T>
  T Scalar(T) const {
    return 0;
  }
};

struct Unscale : Of<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::IsFinite(x)))) {
      std::atomic_ref<uint32_t>(*found).store(1, std::memory_order_relaxed);
    }
    return hn::Mul(x, Set(d));
  }
};

const elementwise::Runs& RunsOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {
#define ACLIMB_FORMULA(Name) RunsOf<Name>(),
      ACLIMB_FOREACH_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::foreach
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::foreach {

HWY_EXPORT(RunsOfNumber);

const elementwise::Runs& FormulaRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(RunsOfNumber)(number);
}

}  // namespace aclimb::foreach
#endif
