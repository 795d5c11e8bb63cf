// Functions of float32 lanes that Highway's own miss or take part of the numbers only. Included
// once per instruction set.
#if defined(ACLIMB_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_MATH_INL_H_
#undef ACLIMB_SIMD_MATH_INL_H_
#else
#define ACLIMB_SIMD_MATH_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The natural logarithm, within 4 units of the last place: -inf for zeros, NaN below.
template <class D>
HWY_INLINE hn::Vec<D> Log(D d, hn::Vec<D> x) {
  const auto zero = hn::Zero(d);
  const auto infinity = hn::Inf(d);
  auto result = hn::Log(d, x);
  result = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), result);
  // Infinity and NaN stay; below 0 there is none.
  result = hn::IfThenElse(hn::Lt(x, infinity), result, x);
  return hn::IfThenElse(hn::Lt(x, zero), hn::NaN(d), result);
}

// Lanes that Highway's reduction of the argument is too short for go to the C library.
template <float (*kFunction)(float), class D>
HWY_NOINLINE hn::Vec<D> LaneByLane(D d, hn::Vec<D> x) {
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = kFunction(lanes[i]);
  return hn::Load(d, lanes);
}

// Sine and cosine of radians, within 3 units of the last place, or 1e-7 near their zeros.
template <class D>
HWY_INLINE hn::Vec<D> Sin(D d, hn::Vec<D> x) {
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 39000.0f))))) {
    return LaneByLane<&std::sin>(d, x);
  }
  return hn::Sin(d, x);
}
template <class D>
HWY_INLINE hn::Vec<D> Cos(D d, hn::Vec<D> x) {
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 39000.0f))))) {
    return LaneByLane<&std::cos>(d, x);
  }
  return hn::Cos(d, x);
}

// The hyperbolic tangent, within 4 units of the last place; NaN stays.
template <class D>
HWY_INLINE hn::Vec<D> Tanh(D d, hn::Vec<D> x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(d, x));
}

// The error function: a quotient of polynomials in x up to |x| = 4, where it is 1 in float32.
template <class D>
HWY_INLINE hn::Vec<D> Erf(D d, hn::Vec<D> x) {
  const auto four = hn::Set(d, 4.0f);
  const auto held = hn::Max(hn::Neg(four), hn::Min(four, x));
  const auto square = hn::Mul(held, held);
  auto p = hn::Set(d, -2.72614225801306e-10f);
  for (const float c : {2.77068142495902e-08f, -2.10102402082508e-06f, -5.69250639462346e-05f,
                        -7.34990630326855e-04f, -2.95459980854025e-03f, -1.60960333262415e-02f}) {
    p = hn::MulAdd(p, square, hn::Set(d, c));
  }
  auto q = hn::Set(d, -1.45660718464996e-05f);
  for (const float c : {-2.13374055278905e-04f, -1.68282697438203e-03f, -7.37332916720468e-03f,
                        -1.42647390514189e-02f}) {
    q = hn::MulAdd(q, square, hn::Set(d, c));
  }
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Div(hn::Mul(held, p), q));
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
