// exp for float32 lanes. Included once per instruction set.
#if defined(ACLIMB_SIMD_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_EXP_INL_H_
#undef ACLIMB_SIMD_EXP_INL_H_
#else
#define ACLIMB_SIMD_EXP_INL_H_
#endif

#include <hwy/highway.h>

#include "aclimb/core/half.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// p * 2^n for integral n in [-151, 129], rounded once; underflow is gradual, overflow infinite.
template <class D>
HWY_INLINE hn::Vec<D> ScaleByPowerOf2(D d, hn::Vec<D> p, hn::Vec<D> n) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  (void)d;
  // All lanes by name: gcc 12 warns of the argument that the form without a mask leaves undefined
  // (its bug 105593).
  return hn::Vec<D>{_mm512_maskz_scalef_ps(__mmask16{0xFFFF}, p.raw, n.raw)};
#else
  // Two factors, because one alone could be neither subnormal nor 2^128.
  const hn::RebindToSigned<D> di;
  const auto exponent = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(exponent);
  const auto bias = hn::Set(di, 127);
  const auto first = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const auto second = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(exponent, half), bias)));
  return hn::Mul(hn::Mul(p, first), second);
#endif
}

inline constexpr float kLn2 = 0x1.62e430p-1f;

// p for 2^r = 1 + r ln 2 + r^2 p, |r| <= 0.5, by minimax polynomials. For float (2^r - 1) / r is
// off by 1.3e-8 of itself; for the half types 2^r is by 6e-6, 2 % of half a float16 unit.
template <class T, class D>
HWY_INLINE hn::Vec<D> CurveOf2(D d, hn::Vec<D> r) {
  if constexpr (sizeof(T) == sizeof(float)) {
    auto p = hn::Set(d, 0x1.4296bcp-13f);
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.5ef12ap-10f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.3b2c3ep-7f));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.c6afa4p-5f));
    return hn::MulAdd(p, r, hn::Set(d, 0x1.ebfbdep-3f));
  } else {
    auto p = hn::Set(d, 0x1.383994p-7f);
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.c90f14p-5f));
    return hn::MulAdd(p, r, hn::Set(d, 0x1.ec08c4p-3f));
  }
}
// 2^r for |r| <= 0.5, which is exactly 1 at r = 0.
template <class T, class D>
HWY_INLINE hn::Vec<D> PowerOf2(D d, hn::Vec<D> r) {
  const auto slope = hn::MulAdd(CurveOf2<T>(d, r), r, hn::Set(d, kLn2));
  return hn::MulAdd(slope, r, hn::Set(d, 1.0f));
}
// 2^r - 1 for |r| <= 0.5, to within a unit in the last place of float.
template <class D>
HWY_INLINE hn::Vec<D> PowerOf2Less1(D d, hn::Vec<D> r) {
  return hn::MulAdd(r, hn::Set(d, kLn2), hn::Mul(hn::Mul(r, r), CurveOf2<float>(d, r)));
}

// x * log2(e) - n without the rounding of the product: fused, or by a high part of ln 2 whose
// product with n is exact.
template <class T, class D>
HWY_INLINE hn::Vec<D> ReducedArgument(D d, hn::Vec<D> x, hn::Vec<D> n) {
  const auto log2_e = hn::Set(d, 0x1.715476p+0f);
#if HWY_NATIVE_FMA
  const auto r = hn::MulSub(x, log2_e, n);
  if constexpr (sizeof(T) == sizeof(float)) {
    return hn::MulAdd(x, hn::Set(d, 0x1.4ae0cp-26f), r);  // log2(e) minus its float
  }
  return r;
#else
  const auto r = hn::Sub(x, hn::Mul(n, hn::Set(d, 0x1.62e4p-1f)));
  return hn::Mul(hn::Sub(r, hn::Mul(n, hn::Set(d, 0x1.7f7d1cp-20f))), log2_e);
#endif
}

// A sum with it has a last bit that is worth one: n is read off it.
inline constexpr float kOnes = 0x1.8p23f;

// p * 2^n where p and the result are normal, and `sum` is n + kOnes: n is added to p's exponent.
template <class D>
HWY_INLINE hn::Vec<D> ScaleNormal(D d, hn::Vec<D> p, hn::Vec<D> sum) {
  const hn::RebindToSigned<D> di;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, sum));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
}

// 2^y for |y| <= 125, as precise as Exp() below; NaN gives anything.
template <class T, class D>
HWY_INLINE hn::Vec<D> Exp2OfNormal(D d, hn::Vec<D> y) {
  const auto ones = hn::Set(d, kOnes);
  const auto sum = hn::Add(y, ones);
  return ScaleNormal(d, PowerOf2<T>(d, hn::Sub(y, hn::Sub(sum, ones))), sum);
}

// exp(x), as precise as storage type T needs: float to within two units in the last place.
// exp(-inf) is 0, exp(+inf) is +inf, NaN stays NaN.
//   kMayBeLarge  false: lanes above 88 may have any result, which the caller does not use
template <class T, bool kMayBeLarge = true, class D>
HWY_INLINE hn::Vec<D> Exp(D d, hn::Vec<D> x) {
  const auto log2_e = hn::Set(d, 0x1.715476p+0f);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (sizeof(T) < sizeof(float)) {
    // The rounding of x * log2(e) costs at most 104 * 2^-24, which the half types do not notice.
    // The reduced argument of an infinity is 0, so no clamp is needed.
    const auto y = hn::Mul(x, log2_e);
    const hn::Vec<D> r{_mm512_reduce_ps(y.raw, 0)};
    return ScaleByPowerOf2(d, PowerOf2<T>(d, r), hn::Sub(y, r));
  }
#else
  if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 86.0f))))) {
    const auto ones = hn::Set(d, kOnes);
    const auto sum = hn::MulAdd(x, log2_e, ones);
    return ScaleNormal(d, PowerOf2<T>(d, ReducedArgument<T>(d, x, hn::Sub(sum, ones))), sum);
  }
#endif
  // x is the second operand: x86 then returns it when it is NaN.
  auto clamped = hn::Max(hn::Set(d, -104.0f), x);
  // Where n is converted to an integer, it has to be one.
  constexpr bool kConverts = HWY_TARGET != HWY_AVX3 && HWY_TARGET != HWY_AVX3_DL;
  if constexpr (kMayBeLarge || kConverts) clamped = hn::Min(hn::Set(d, 89.0f), clamped);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const auto n = hn::Round(hn::Mul(clamped, log2_e));
#else
  // As above, to the last bit: a result does not depend on the lanes beside it.
  const auto ones = hn::Set(d, kOnes);
  const auto n = hn::Sub(hn::MulAdd(clamped, log2_e, ones), ones);
#endif
  const auto result = ScaleByPowerOf2(d, PowerOf2<T>(d, ReducedArgument<T>(d, clamped, n)), n);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return result;
#else
  return hn::IfThenElse(hn::IsNaN(x), x, result);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
