// What multiplies the operands of factors.h. Included once per instruction set by files that use
// hwy/foreach_target.h.
#if defined(ACLIMB_SIMD_FACTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_FACTORS_INL_H_
#undef ACLIMB_SIMD_FACTORS_INL_H_
#else
#define ACLIMB_SIMD_FACTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <type_traits>

#include "aclimb/simd/factors.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether there is code for pairs. It runs where HasPairs() says that the processor has AVX512_BF16
// too, of which Highway knows nothing.
constexpr bool kHasPairs = HWY_ARCH_X86_64 && (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL);

// sum + a * b, in each lane of the products of both halves of a pair.
template <Factors kFactors, class D>
HWY_INLINE hn::Vec<D> MultiplyAdd(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> sum) {
  (void)d;
  if constexpr (kFactors == Factors::kFloat32) {
    return hn::MulAdd(a, b, sum);
  } else {
    static_assert(kHasPairs || kFactors == Factors::kFloat32);
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
    return sum;
  }
}

// Calls body(std::integral_constant<Factors, factors>()).
template <class Body>
HWY_INLINE void WithFactors(Factors factors, const Body& body) {
  if constexpr (kHasPairs) {
    if (factors == Factors::kPairs) {
      return body(std::integral_constant<Factors, Factors::kPairs>());
    }
  }
  body(std::integral_constant<Factors, Factors::kFloat32>());
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
