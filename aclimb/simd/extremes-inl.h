// The largest and the smallest lane of a vector. Included once per instruction set.
#if defined(ACLIMB_SIMD_EXTREMES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_EXTREMES_INL_H_
#undef ACLIMB_SIMD_EXTREMES_INL_H_
#else
#define ACLIMB_SIMD_EXTREMES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// No lane is NaN; all may be infinite: for those Highway 1.0's emulated vectors have the finite
// number that is farthest away.
template <class D>
HWY_INLINE hn::TFromD<D> LargestLane(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_EMU128
  return *std::max_element(v.raw, v.raw + hn::MaxLanes(d));
#else
  return hn::GetLane(hn::MaxOfLanes(d, v));
#endif
}
template <class D>
HWY_INLINE hn::TFromD<D> SmallestLane(D d, hn::Vec<D> v) {
#if HWY_TARGET == HWY_EMU128
  return *std::min_element(v.raw, v.raw + hn::MaxLanes(d));
#else
  return hn::GetLane(hn::MinOfLanes(d, v));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif  // ACLIMB_SIMD_EXTREMES_INL_H_
