#include "aclimb/ops/gates/formulas.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/gates/formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::gates {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

template <int kCount>
struct OfHalves {
  static constexpr int kInputs = kCount;
  static constexpr float kCycles = 2;
  using Vectors = elementwise::Floats;
};

struct SwiGlu : OfHalves<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    const V e = Exp<T>(d, hn::Neg(a));
    return hn::Mul(hn::Div(a, hn::Add(hn::Set(d, 1.0f), e)), b);
  }
};

// Where the two terms nearly cancel, the precision of half types would not do.
struct SwiGluGradFirst : OfHalves<3> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V a, V b) const {
    const V one = hn::Set(d, 1.0f);
    const V s = Sigmoid<float>(d, a);
    return hn::Mul(hn::Mul(hn::Mul(g, b), s), hn::MulAdd(a, hn::Sub(one, s), one));
  }
};

struct SwiGluGradSecond : OfHalves<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V a) const {
    const V e = Exp<T>(d, hn::Neg(a));
    return hn::Mul(g, hn::Div(a, hn::Add(hn::Set(d, 1.0f), e)));
  }
};

struct Glu : OfHalves<2> {
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    return hn::Mul(a, Sigmoid<T>(d, b));
  }
  double Scalar(double a, double b) const { return a / (1 + std::exp(-b)); }
};

struct GluGradSecond : OfHalves<3> {
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V g, V a, V b) const {
    const V s = Sigmoid<float>(d, b);
    return hn::Mul(hn::Mul(g, a), hn::Mul(s, hn::Sub(hn::Set(d, 1.0f), s)));
  }
  double Scalar(double g, double a, double b) const {
    const double s = 1 / (1 + std::exp(-b));
    return g * a * (s * (1 - s));
  }
};

struct GeluByErf : OfHalves<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return GeluOfErf<T>(d, x);
  }
};
struct GeluByTanh : OfHalves<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return GeluOfTanh<T>(d, x);
  }
};
struct GeGluByErf : OfHalves<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    return hn::Mul(a, GeluOfErf<T>(d, b));
  }
};
struct GeGluByTanh : OfHalves<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    return hn::Mul(a, GeluOfTanh<T>(d, b));
  }
};

const elementwise::Runs& RunsOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {
      RunsOf<SwiGlu>(),     RunsOf<SwiGluGradFirst>(), RunsOf<SwiGluGradSecond>(),
      RunsOf<Glu>(),        RunsOf<GluGradSecond>(),   RunsOf<GeluByErf>(),
      RunsOf<GeluByTanh>(), RunsOf<GeGluByErf>(),      RunsOf<GeGluByTanh>()};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::gates
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::gates {

HWY_EXPORT(RunsOfNumber);

const elementwise::Runs& FormulaRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(RunsOfNumber)(number);
}

}  // namespace aclimb::gates
#endif
