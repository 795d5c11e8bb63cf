#include <cmath>

#include "aclimb/ops/pointwise/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/pointwise/gradient_formulas.cc"
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

// What the formulas share: the gradient g of what the forward operator returned, and x, what it was
// given, or y, what it returned.
struct OnFloats : Attributes {
  OnFloats(const Attributes& given) : Attributes(given) {}  // NOLINT: for RunsOf
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.7f;
  using Vectors = elementwise::Floats;
};

// Attribute: threshold.
struct ThresholdBackward : OnFloats {
  using Scalars = elementwise::Types<uint8_t, int8_t, int32_t>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    // NaN compares false and lets the gradient through, as in PyTorch.
    return hn::IfThenZeroElse(hn::Le(x, hn::Set(d, As<float>(0))), g);
  }
  template <class T>
  T Scalar(T g, T x) const {
    return static_cast<int64_t>(x) <= Whole<T>(0) ? T{0} : g;
  }
};

// The normal distribution's share below x, and x times its density.
// Where the two terms nearly cancel, the precision of half types would not do.
struct GeluBackwardByErf : OnFloats {
  static constexpr float kCycles = 4;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V power = Exp<float>(d, hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f)));
    const V density = hn::Mul(power, hn::Set(d, 0.39894228f));
    return hn::Mul(g, hn::MulAdd(x, density, NormalShare<float>(d, x)));
  }
};

// With s the sigmoid of v = 2 u, (1 + tanh(u)) / 2 = s, whose derivative is s * (1 - s) * v'.
struct GeluBackwardByTanh : OnFloats {
  static constexpr float kCycles = 3;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V one = hn::Set(d, 1.0f), slope = hn::Set(d, 1.5957691216057308f);
    const V square = hn::Mul(x, x);
    const V v = hn::Mul(hn::Mul(slope, x), hn::MulAdd(square, hn::Set(d, 0.044715f), one));
    const V s = Sigmoid<float>(d, v);
    const V inner = hn::Mul(slope, hn::MulAdd(square, hn::Set(d, 0.134145f), one));
    const V outer = hn::Mul(hn::Mul(s, hn::Sub(one, s)), inner);
    return hn::Mul(g, hn::MulAdd(x, outer, s));
  }
};

struct TanhBackward : OnFloats {
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V y) const {
    const V one = hn::Set(d, 1.0f);
    return hn::Mul(g, hn::Mul(hn::Sub(one, y), hn::Add(one, y)));
  }
  double Scalar(double g, double y) const { return g * ((1 - y) * (1 + y)); }
};

struct SiluBackward : OnFloats {
  static constexpr float kCycles = 2;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V one = hn::Set(d, 1.0f);
    // All digits also of half types: the terms may cancel.
    const V s = Sigmoid<float>(d, x);
    return hn::Mul(hn::Mul(g, s), hn::MulAdd(x, hn::Sub(one, s), one));
  }
};

struct SigmoidBackward : OnFloats {
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V y) const {
    return hn::Mul(hn::Mul(g, hn::Sub(hn::Set(d, 1.0f), y)), y);
  }
  double Scalar(double g, double y) const { return g * (1 - y) * y; }
};

struct HardswishBackward : OnFloats {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V three = hn::Set(d, 3.0f);
    const V inner = hn::Mul(g, hn::MulAdd(x, hn::Set(d, 1.0f / 3), hn::Set(d, 0.5f)));
    const V above = hn::IfThenElse(hn::Gt(x, three), g, inner);
    return hn::IfThenZeroElse(hn::Lt(x, hn::Neg(three)), above);
  }
};

struct HardsigmoidBackward : OnFloats {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::IfThenElseZero(hn::Lt(hn::Abs(x), hn::Set(d, 3.0f)),
                              hn::Mul(g, hn::Set(d, 1.0f / 6)));
  }
};

// Attributes: min, max.
struct HardtanhBackward : OnFloats {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const auto below = hn::Lt(x, hn::Set(d, As<float>(0)));
    return hn::IfThenZeroElse(hn::Or(below, hn::Gt(x, hn::Set(d, As<float>(1)))), g);
  }
};

// Attribute: negativeSlope. Signs of x and of y are the same.
struct LeakyReluBackward : OnFloats {
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V low = hn::Mul(g, hn::Set(d, As<float>(0)));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, low);
  }
  double Scalar(double g, double x) const { return x > 0 ? g : g * real[0]; }
};

// Attributes: beta, threshold.
struct SoftplusBackward : OnFloats {
  using Scalars = elementwise::Types<double>;
  static constexpr float kCycles = 2;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V z = hn::Mul(x, hn::Set(d, As<float>(0)));
    return hn::IfThenElse(hn::Gt(z, hn::Set(d, As<float>(1))), g, hn::Mul(g, Sigmoid<T>(d, z)));
  }
  double Scalar(double g, double x) const {
    const double z = x * real[0];
    return z > real[1] ? g : g / (1 + std::exp(-z));
  }
};

// With e = exp(x) and n = e * (e + 2), tanh(log(1 + e)) is n / (n + 2), and its derivative times
// the sigmoid 4 * e * (e + 1) / (n + 2)^2.
struct MishBackward : OnFloats {
  static constexpr float kCycles = 3;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
    // From there on the tanh is 1 and its derivative 0, and n might be infinite.
    const auto inside = hn::Lt(x, hn::Set(d, 20.0f));
    const V e = Exp<float>(d, hn::IfThenElse(inside, x, hn::Set(d, 20.0f)));
    const V n = hn::Mul(e, hn::Add(e, two));
    const V below = hn::Add(n, two);
    const V slope =
        hn::Div(hn::Mul(hn::Mul(hn::Set(d, 4.0f), e), hn::Add(e, one)), hn::Mul(below, below));
    // An infinity times the slope 0 is NaN, as in PyTorch.
    return hn::Mul(g, hn::MulAdd(x, hn::IfThenElseZero(inside, slope), hn::Div(n, below)));
  }
};

// Attribute: lambd, where below 0 is 0. Of both shrinks.
struct ShrinkBackward : OnFloats {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    // NaN compares false and lets the gradient through, as in PyTorch.
    return hn::IfThenZeroElse(hn::Le(hn::Abs(x), hn::Set(d, As<float>(0))), g);
  }
};

const elementwise::Runs& GradientRunsOf(int number) {
  static constexpr elementwise::Runs kRuns[] = {
#define ACLIMB_FORMULA(Name) RunsOf<Name>(),
      ACLIMB_GRADIENT_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::pointwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::pointwise {

HWY_EXPORT(GradientRunsOf);

const elementwise::Runs& GradientRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(GradientRunsOf)(number);
}

}  // namespace aclimb::pointwise
#endif
