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

HWY_BEFORE_NAMESPACE();
namespace aclimb::roi_align_v2_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kLanes>;
using Vector = hn::Vec<Floats>;

// The vector length divides kLanes.
HWY_INLINE int64_t Step() { return static_cast<int64_t>(hn::Lanes(Floats())); }

// Vectors of one lane, or of a length that is only known at run time, go through memory.
#undef ACLIMB_SHUFFLES
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
#define ACLIMB_SHUFFLES 0
#else
#define ACLIMB_SHUFFLES 1
#endif

#if ACLIMB_SHUFFLES
// Block b (four lanes) from from + b * step.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const float* from, int64_t step) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const int64_t blocks = static_cast<int64_t>(hn::MaxLanes(D()) / 8);
    return hn::Combine(d, LoadBlocks(half, from + blocks * step, step),
                       LoadBlocks(half, from, step));
  }
}
#endif

// to[c * to_stride + r] = from[r * stride + c] for kLanes rows and four columns, stored by
// store(vector, address).
template <class Store>
HWY_INLINE void TransposeFour(const float* from, int64_t stride, float* to, int64_t to_stride,
                              const Store& store) {
  const Floats d;
#if !ACLIMB_SHUFFLES
  for (int64_t c = 0; c < 4; ++c) {
    float column[kLanes];
    for (int64_t r = 0; r < kLanes; ++r) column[r] = from[r * stride + c];
    for (int64_t r = 0; r < kLanes; r += Step()) {
      store(hn::LoadU(d, column + r), to + c * to_stride + r);
    }
  }
#else
  const hn::RebindToUnsigned<Floats> du;
  const hn::Repartition<uint64_t, Floats> d64;
  for (int64_t r = 0; r < kLanes; r += Step()) {
    const float* at = from + r * stride;
    const auto row0 = hn::BitCast(du, LoadBlocks(d, at, 4 * stride));
    const auto row1 = hn::BitCast(du, LoadBlocks(d, at + stride, 4 * stride));
    const auto row2 = hn::BitCast(du, LoadBlocks(d, at + 2 * stride, 4 * stride));
    const auto row3 = hn::BitCast(du, LoadBlocks(d, at + 3 * stride, 4 * stride));
    const auto low01 = hn::BitCast(d64, hn::InterleaveLower(du, row0, row1));
    const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(du, row0, row1));
    const auto low23 = hn::BitCast(d64, hn::InterleaveLower(du, row2, row3));
    const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(du, row2, row3));
    float* out = to + r;
    store(hn::BitCast(d, hn::InterleaveLower(d64, low01, low23)), out);
    store(hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23)), out + to_stride);
    store(hn::BitCast(d, hn::InterleaveLower(d64, high01, high23)), out + 2 * to_stride);
    store(hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23)), out + 3 * to_stride);
  }
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::roi_align_v2_backward
HWY_AFTER_NAMESPACE();

#endif
