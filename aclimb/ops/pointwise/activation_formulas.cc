#include <cmath>

#include "aclimb/ops/pointwise/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/pointwise/activation_formulas.cc"
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

// What the formulas share: one input, float32 on vectors.
struct OnFloats : Attributes {
  OnFloats(const Attributes& given) : Attributes(given) {}  // NOLINT: for RunsOf
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 2;
  using Vectors = elementwise::Floats;
};

// Attributes: alpha, scale, inputScale.
struct Elu : OnFloats {
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V power = Expm1<T>(d, hn::Mul(x, hn::Set(d, As<float>(2))));
    const V low = hn::Mul(power, hn::Set(d, As<float>(0) * As<float>(1)));
    // NaN compares false and stays.
    return hn::IfThenElse(hn::Le(x, hn::Zero(d)), low, hn::Mul(x, hn::Set(d, As<float>(1))));
  }
  double Scalar(double x) const {
    return x <= 0 ? std::expm1(x * real[2]) * (real[0] * real[1]) : x * real[1];
  }
};

struct GeluByErf : OnFloats {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return GeluOfErf<T>(d, x);
  }
};

struct GeluByTanh : OnFloats {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return GeluOfTanh<T>(d, x);
  }
};

// Attribute: negativeSlope.
struct LeakyRelu : OnFloats {
  static constexpr float kCycles = 0.4f;
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V low = hn::Mul(x, hn::Set(d, As<float>(0)));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, low);
  }
  double Scalar(double x) const { return x > 0 ? x : x * real[0]; }
};

// Attributes: beta, threshold. log(1 + exp(z)) is max(z, 0) + log(1 + exp(-|z|)), where nothing
// overflows.
struct Softplus : OnFloats {
  static constexpr float kCycles = 4;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V beta = hn::Set(d, As<float>(0));
    const V z = hn::Mul(x, beta);
    const V rest = Log1p<T>(d, Exp<T>(d, hn::Neg(hn::Abs(z))));
    const V above = hn::IfThenZeroElse(hn::Lt(z, hn::Zero(d)), z);
    const V linear = hn::Set(d, As<float>(1));
    return hn::IfThenElse(hn::Gt(z, linear), x, hn::Div(hn::Add(above, rest), beta));
  }
};

// Attribute: lambd, where below 0 is 0.
struct Hardshrink : OnFloats {
  static constexpr float kCycles = 0.4f;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // NaN compares false and stays.
    return hn::IfThenZeroElse(hn::Le(hn::Abs(x), hn::Set(d, As<float>(0))), x);
  }
};

const elementwise::Runs& ActivationRunsOf(int number) {
  static constexpr elementwise::Runs kRuns[] = {
#define ACLIMB_FORMULA(Name) RunsOf<Name>(),
      ACLIMB_ACTIVATION_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::pointwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::pointwise {

HWY_EXPORT(ActivationRunsOf);

const elementwise::Runs& ActivationRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(ActivationRunsOf)(number);
}

}  // namespace aclimb::pointwise
#endif
