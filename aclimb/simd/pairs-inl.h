// Products of pairs of bfloat16: a lane of four bytes holds two neighbours of a sum. Included once
// per instruction set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_SIMD_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_PAIRS_INL_H_
#undef ACLIMB_SIMD_PAIRS_INL_H_
#else
#define ACLIMB_SIMD_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {

// Whether there is code for pairs. It runs where HasPairs() says that the processor has AVX512_BF16
// too, of which Highway knows nothing.
constexpr bool kHasPairs = HWY_ARCH_X86_64 && (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL);

// sum + a * b, in each lane of the products of both halves of a pair.
template <class V>
HWY_INLINE V MultiplyPairs(V a, V b, V sum) {
  static_assert(kHasPairs && sizeof(V) > 0);
  asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
