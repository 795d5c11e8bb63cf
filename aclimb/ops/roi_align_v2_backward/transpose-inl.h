// Four columns of kLanes rows at a time become rows. Included once per instruction set by files
// that use hwy/foreach_target.h.
#if defined(ACLIMB_ROI_ALIGN_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_ROI_ALIGN_TRANSPOSE_INL_H_
#undef ACLIMB_ROI_ALIGN_TRANSPOSE_INL_H_
#else
#define ACLIMB_ROI_ALIGN_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include "aclimb/ops/roi_align_v2_backward/tile.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::roi_align_v2_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kLanes>;
using Vector = hn::Vec<Floats>;

// The vector length divides kLanes.
HWY_INLINE int64_t Step() { return static_cast<int64_t>(hn::Lanes(Floats())); }

// to[c * to_stride + r] = from[r * stride + c] for kLanes rows and four columns, stored by
// store(vector, address).
template <class Store>
HWY_INLINE void TransposeFour(const float* from, int64_t stride, float* to, int64_t to_stride,
                              const Store& store) {
  for (int64_t r = 0; r < kLanes; r += Step()) {
    aclimb::HWY_NAMESPACE::TransposeBlock(Floats(), from + r * stride, stride, to + r, to_stride,
                                          store);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::roi_align_v2_backward
HWY_AFTER_NAMESPACE();

#endif
