// Elementary functions for float32 lanes beside exp. Included once per instruction set.
#if defined(ACLIMB_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_MATH_INL_H_
#undef ACLIMB_SIMD_MATH_INL_H_
#else
#define ACLIMB_SIMD_MATH_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

#include "aclimb/simd/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// T is the storage type, as for Exp<T>: half types may get less precise results. Infinities, NaN
// and zeros of either sign give what the C library gives. A lane does not depend on its neighbours.
// The polynomials are weighted minimax fits, whose own error is below 2^-28 of the result.

// c[0] + c[1] x + c[2] x^2 ..., as the sum of even powers and that of odd ones: one long chain of
// sums would keep the processor waiting.
template <class D, size_t kCount>
HWY_INLINE hn::Vec<D> Polynomial(D d, hn::Vec<D> x, const float (&c)[kCount]) {
  static_assert(kCount > 2);
  const auto square = hn::Mul(x, x);
  auto sum = hn::Set(d, c[kCount - 1]), other = hn::Set(d, c[kCount - 2]);
  for (size_t k = kCount - 2; k-- > 0;) {
    const auto next = hn::MulAdd(sum, square, hn::Set(d, c[k]));
    sum = other;
    other = next;
  }
  return hn::MulAdd(sum, x, other);
}

// What a logarithm is the sum of: x = m * 2^n with m from 2/3 to 4/3, and log(m) = f + rest, of
// which f is the larger and exact.
template <class V>
struct LogTerms {
  V n, f, rest;
};
template <class D>
HWY_INLINE LogTerms<hn::Vec<D>> LogTermsOf(D d, hn::Vec<D> x) {
  static constexpr float kCubic[] = {0x1.555558p-2f,  -0x1.ffff0ep-3f, 0x1.9995f6p-3f,
                                     -0x1.55993ap-3f, 0x1.252078p-3f,  -0x1.f384ccp-4f,
                                     0x1.b4b0fcp-4f,  -0x1.071bf4p-3f, 0x1.fa2d54p-4f};
  const hn::RebindToSigned<D> di;
  // Subnormal numbers are made normal first.
  const auto is_tiny = hn::Lt(x, hn::Set(d, 0x1p-126f));
  const auto normal = hn::IfThenElse(is_tiny, hn::Mul(x, hn::Set(d, 0x1p23f)), x);
  const auto bits = hn::BitCast(di, normal);
  const auto two_thirds = hn::Set(di, 0x3F2AAAAB);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, two_thirds));
  const auto m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const auto n =
      hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElseZero(is_tiny, hn::Set(d, 23.0f)));
  const auto f = hn::Sub(m, hn::Set(d, 1.0f));
  const auto square = hn::Mul(f, f);
  const auto cubic = hn::Mul(hn::Mul(square, f), Polynomial(d, f, kCubic));
  return {n, f, hn::MulAdd(square, hn::Set(d, -0.5f), cubic)};
}
// The logarithm of x to any base is `result` above zero and below infinity; zero gives -inf, inf
// stays, and what is negative or NaN gives NaN.
template <class D>
HWY_INLINE hn::Vec<D> LogOrSpecial(D d, hn::Vec<D> x, hn::Vec<D> result) {
  const auto zero = hn::Zero(d);
  const auto infinity = hn::Set(d, HUGE_VALF);
  const auto usual = hn::And(hn::Gt(x, zero), hn::Lt(x, infinity));
  const auto special =
      hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity),
                     hn::IfThenElse(hn::Eq(x, infinity), infinity, hn::Set(d, std::nanf(""))));
  return hn::IfThenElse(usual, result, special);
}

// Natural logarithm, to within two units in the last place.
template <class T, class D>
HWY_INLINE hn::Vec<D> Log(D d, hn::Vec<D> x) {
  const auto [n, f, less] = LogTermsOf(d, x);
  // n times the high part of ln 2 is exact.
  const auto rest = hn::Add(less, hn::Mul(n, hn::Set(d, 0x1.7f7d1cp-20f)));
  return LogOrSpecial(d, x, hn::Add(hn::Mul(n, hn::Set(d, 0x1.62e4p-1f)), hn::Add(f, rest)));
}
// To the base 2, to within three units in the last place; of powers of 2 exactly.
template <class D>
HWY_INLINE hn::Vec<D> Log2(D d, hn::Vec<D> x) {
  const auto [n, f, rest] = LogTermsOf(d, x);
  return LogOrSpecial(d, x, hn::Add(n, hn::Mul(hn::Add(f, rest), hn::Set(d, 0x1.715476p+0f))));
}
// To the base 10, to within three units in the last place; of powers of 10 exactly.
template <class D>
HWY_INLINE hn::Vec<D> Log10(D d, hn::Vec<D> x) {
  const auto [n, f, rest] = LogTermsOf(d, x);
  // n times the high part of log10(2) is exact.
  const auto low = hn::Add(hn::Mul(n, hn::Set(d, 0x1.3509f8p-18f)),
                           hn::Mul(hn::Add(f, rest), hn::Set(d, 0x1.bcb7b2p-2f)));
  return LogOrSpecial(d, x, hn::Add(hn::Mul(n, hn::Set(d, 0x1.344p-2f)), low));
}

// exp(x) - 1, to within five units in the last place.
template <class T, class D>
HWY_INLINE hn::Vec<D> Expm1(D d, hn::Vec<D> x) {
  // Those of the series: enough of them where the difference would lose digits.
  static constexpr float kSmall[] = {1.0f,        1.0f / 2,     1.0f / 6,
                                     1.0f / 24,   1.0f / 120,   1.0f / 720,
                                     1.0f / 5040, 1.0f / 40320, 1.0f / 362880};
  const auto small = hn::Mul(x, Polynomial(d, x, kSmall));
  const auto large = hn::Sub(Exp<T>(d, x), hn::Set(d, 1.0f));
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0.7f)), small, large);
}

// log(1 + x), to within three units in the last place.
template <class T, class D>
HWY_INLINE hn::Vec<D> Log1p(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f);
  const auto sum = hn::Add(one, x);
  // What the sum has lost. At both ends of its range nothing is missing, but 0 / 0 would come out.
  const auto rest = hn::Div(hn::Sub(x, hn::Sub(sum, one)), sum);
  const auto inside = hn::And(hn::Gt(sum, hn::Zero(d)), hn::Lt(sum, hn::Set(d, HUGE_VALF)));
  const auto result = hn::Add(Log<T>(d, sum), hn::IfThenElseZero(inside, rest));
  return hn::IfThenElse(hn::Eq(sum, one), x, result);
}

// 1 / (1 + exp(-x)), to within three units in the last place where that is normal.
template <class T, class D>
HWY_INLINE hn::Vec<D> Sigmoid(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, Exp<T>(d, hn::Neg(x))));
}

// a / b to within one unit in the last place, for a and b from 2^-60 to 2^60, and a of 0; of NaN
// NaN. A division takes as long as sixteen of the other instructions where vectors have 512 bits.
template <class D>
HWY_INLINE hn::Vec<D> QuickQuotient(D d, hn::Vec<D> a, hn::Vec<D> b) {
  (void)d;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const auto reciprocal = hn::ApproximateReciprocal(b);
  const auto quotient = hn::Mul(a, reciprocal);
  return hn::MulAdd(hn::NegMulAdd(quotient, b, a), reciprocal, quotient);
#else
  return hn::Div(a, b);
#endif
}

// To within three and a half units in the last place: (2^y - 1) / (2^y + 1) for 2^y = exp(2 x),
// where 2^y - 1 is made without the 1 that it would lose digits to. For half types too, whose
// powers of 2 are not as precise as differences of them have to be.
template <class T, class D>
HWY_INLINE hn::Vec<D> Tanh(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f), ones = hn::Set(d, kOnes);
  const auto log2_e_twice = hn::Set(d, 0x1.715476p+1f);
  // From 9.25 on the result is 1. NaN is the second operand: x86 then returns it.
  const auto magnitude = hn::Min(hn::Set(d, 9.25f), hn::Abs(x));
  const auto sum = hn::MulAdd(magnitude, log2_e_twice, ones);
  const auto r = hn::MulSub(magnitude, log2_e_twice, hn::Sub(sum, ones));
  const auto power = ScaleNormal(d, one, sum);
  const auto less = hn::MulAdd(power, PowerOf2Less1(d, r), hn::Sub(power, one));
  const auto result = hn::CopySignToAbs(QuickQuotient(d, less, hn::Add(less, hn::Set(d, 2.0f))), x);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return result;
#else
  return hn::IfThenElse(hn::IsNaN(x), x, result);
#endif
}

// The error function, to within two and a half units in the last place.
template <class T, class D>
HWY_INLINE hn::Vec<D> Erf(D d, hn::Vec<D> x) {
  // erf(x) / x in powers of x^2, less the float next to its value at zero.
  static constexpr float kSmall[] = {-0x1.f7ac92p-25f, -0x1.812746p-2f, 0x1.ce2f0ap-4f,
                                     -0x1.b829d8p-6f,  0x1.562b1ap-8f,  -0x1.bcd7dep-11f,
                                     0x1.d8b88cp-14f,  -0x1.44cfbcp-17f};
  // -log(1 - erf(x)) from 1 to where erf rounds to 1.
  static constexpr float kLarge[] = {-0x1.8b3fe2p-13f, 0x1.212c2ep+0f,  0x1.4434f0p-1f,
                                     0x1.bc18d4p-4f,   -0x1.9d0be0p-6f, 0x1.13990ap-8f,
                                     -0x1.ceeb1ep-12f, 0x1.6c06d2p-16f};
  const auto one = hn::Set(d, 1.0f);
  const auto magnitude = hn::Abs(x);
  const auto square = hn::Mul(x, x);
  const auto small = hn::MulAdd(magnitude, hn::Set(d, 0x1.20dd76p+0f),
                                hn::Mul(magnitude, Polynomial(d, square, kSmall)));
  // NaN is the second operand: x86 then returns it.
  const auto clamped = hn::Min(hn::Set(d, 3.95f), magnitude);
  const auto large = hn::Sub(one, Exp<T>(d, hn::Neg(Polynomial(d, clamped, kLarge))));
  const auto result = hn::IfThenElse(hn::Lt(magnitude, one), small, large);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySignToAbs(result, x));
}

// NormalShare() below, but of NaN any number.
template <class T, class D>
HWY_INLINE hn::Vec<D> NormalShareOfNumber(D d, hn::Vec<D> x) {
  // log2(1 - share) from 0 to 5.75, in powers of x.
  static constexpr float kTail[] = {-0x1.fffffep-1f,  -0x1.26aefcp+0f, -0x1.d636b6p-2f,
                                    -0x1.ae4940p-5f,  0x1.cf5c4ep-8f,  -0x1.a3ccb6p-14f,
                                    -0x1.e690e2p-13f, 0x1.078a60p-14f, -0x1.22ef38p-17f,
                                    0x1.5c49a0p-21f,  -0x1.6559a4p-26f};
  // The powers for half types.
  static constexpr float kHalfTail[] = {-0x1.ffffb6p-1f, -0x1.26b44cp+0f, -0x1.d5b4f2p-2f,
                                        -0x1.b785e8p-5f, 0x1.10c4dcp-7f,  -0x1.cb56dap-11f,
                                        0x1.c368b2p-15f, -0x1.7958b0p-20f};
  const auto end = hn::Set(d, 5.75f);
  const auto magnitude = hn::Abs(x);
  const auto clamped = hn::Min(end, magnitude);
  auto power = hn::Zero(d);
  if constexpr (sizeof(T) == 4) {
    power = Polynomial(d, clamped, kTail);
  } else {
    power = Polynomial(d, clamped, kHalfTail);
  }
  const auto tail = hn::IfThenZeroElse(hn::Gt(magnitude, end), Exp2OfNormal<T>(d, power));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0f), tail));
}
// The standard normal distribution's share below x, (1 + erf(x / sqrt(2))) / 2, to within two units
// in the last place where it is above a half and 2^-16 of itself below; of half types 2^-13. Below
// -5.75 it is zero.
template <class T, class D>
HWY_INLINE hn::Vec<D> NormalShare(D d, hn::Vec<D> x) {
  return hn::IfThenElse(hn::IsNaN(x), x, NormalShareOfNumber<T>(d, x));
}

// PyTorch's gelu with approximate="none", and with approximate="tanh": (1 + tanh(u)) / 2 is the
// sigmoid of 2 u.
template <class T, class D>
HWY_INLINE hn::Vec<D> GeluOfErf(D d, hn::Vec<D> x) {
  return hn::Mul(x, NormalShareOfNumber<T>(d, x));
}
template <class T, class D>
HWY_INLINE hn::Vec<D> GeluOfTanh(D d, hn::Vec<D> x) {
  const auto cube = hn::Mul(hn::Mul(x, x), x);
  const auto u = hn::MulAdd(hn::Set(d, 0.044715f), cube, x);
  const auto e = Exp<T>(d, hn::Mul(hn::Set(d, -1.5957691216057308f), u));
  return hn::Div(x, hn::Add(hn::Set(d, 1.0f), e));
}

namespace math_internal {

// Above it the argument is reduced by the C library.
inline constexpr float kMostReduced = 8192.0f;

template <bool kCosine, class D>
HWY_NOINLINE hn::Vec<D> LargeLanes(D d, hn::Vec<D> x, hn::Vec<D> result) {
  HWY_ALIGN float from[hn::MaxLanes(D())];
  HWY_ALIGN float to[hn::MaxLanes(D())];
  hn::Store(x, d, from);
  hn::Store(result, d, to);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (!(std::fabs(from[i]) <= kMostReduced))
      to[i] = kCosine ? std::cos(from[i]) : std::sin(from[i]);
  }
  return hn::Load(d, to);
}

template <bool kCosine, class D>
HWY_INLINE hn::Vec<D> SineOrCosine(D d, hn::Vec<D> x) {
  static constexpr float kSine[] = {-0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00f98p-13f,
                                    0x1.6cd732p-19f};
  static constexpr float kCosines[] = {0x1.555556p-5f, -0x1.6c16b8p-10f, 0x1.a0111cp-16f,
                                       -0x1.2429fap-22f};
  const hn::RebindToSigned<D> di;
  const auto is_large = hn::Not(hn::Le(hn::Abs(x), hn::Set(d, kMostReduced)));
  const auto reduced = hn::IfThenElse(is_large, hn::Zero(d), x);
  const auto n = hn::Round(hn::Mul(reduced, hn::Set(d, 0x1.45f306p-1f)));
  // Pi / 2 in parts of eleven bits, whose products with n are exact, and a rest.
  auto r = hn::NegMulAdd(n, hn::Set(d, 0x1.92p+0f), reduced);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.fb4p-12f), r);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.444p-24f), r);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.68c234p-39f), r);
  const auto square = hn::Mul(r, r);
  const auto sine = hn::MulAdd(hn::Mul(r, square), Polynomial(d, square, kSine), r);
  const auto cosine =
      hn::Add(hn::MulAdd(square, hn::Set(d, -0.5f),
                         hn::Mul(hn::Mul(square, square), Polynomial(d, square, kCosines))),
              hn::Set(d, 1.0f));
  const auto quarter = hn::Add(hn::ConvertTo(di, n), hn::Set(di, kCosine ? 1 : 0));
  const auto odd = hn::RebindMask(d, hn::TestBit(quarter, hn::Set(di, 1)));
  const auto sign = hn::ShiftLeft<30>(hn::And(quarter, hn::Set(di, 2)));
  auto result = hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(d, sign));
  if constexpr (!kCosine) result = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, result);
  if (HWY_UNLIKELY(!hn::AllFalse(d, is_large))) return LargeLanes<kCosine>(d, x, result);
  return result;
}

}  // namespace math_internal

// To within two and a half units in the last place; slow above 8192.
template <class T, class D>
HWY_INLINE hn::Vec<D> Sin(D d, hn::Vec<D> x) {
  return math_internal::SineOrCosine<false>(d, x);
}
template <class T, class D>
HWY_INLINE hn::Vec<D> Cos(D d, hn::Vec<D> x) {
  return math_internal::SineOrCosine<true>(d, x);
}

// 1 / sqrt(x), rounded twice: once more than it need be.
template <class T, class D>
HWY_INLINE hn::Vec<D> Rsqrt(D d, hn::Vec<D> x) {
  return hn::Div(hn::Set(d, 1.0f), hn::Sqrt(x));
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
