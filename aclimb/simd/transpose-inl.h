// Transposed reads of any floating storage type as float32. Included once per instruction set.
#if defined(ACLIMB_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_TRANSPOSE_INL_H_
#undef ACLIMB_SIMD_TRANSPOSE_INL_H_
#else
#define ACLIMB_SIMD_TRANSPOSE_INL_H_
#endif

#include <hwy/highway.h>

#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Stores block b (four lanes) of a vector at to + b * stride.
template <class D>
HWY_INLINE void StoreBlocks(D d, hn::Vec<D> value, float* to, int64_t stride) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    hn::StoreU(value, d, to);
  } else {
    const hn::Half<D> half;
    const auto step = static_cast<int64_t>(hn::MaxLanes(D()) / 8);
    StoreBlocks(half, hn::LowerHalf(half, value), to, stride);
    StoreBlocks(half, hn::UpperHalf(half, value), to + step * stride, stride);
  }
}
#endif

// to[c * to_stride + r] = from[r * from_stride + c] for r < rows and c < columns.
template <typename T>
void TransposeToF32(const T* from, int64_t from_stride, int64_t rows, int64_t columns, float* to,
                    int64_t to_stride) {
  int64_t whole_rows = 0;
  int64_t whole_columns = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  whole_rows = rows / 4 * 4;
  whole_columns = columns / lanes * lanes;
  for (int64_t r = 0; r < whole_rows; r += 4) {
    for (int64_t c = 0; c < whole_columns; c += lanes) {
      const T* at = from + r * from_stride + c;
      const auto a = hn::BitCast(du, LoadF32(d, at));
      const auto b = hn::BitCast(du, LoadF32(d, at + from_stride));
      const auto e = hn::BitCast(du, LoadF32(d, at + 2 * from_stride));
      const auto f = hn::BitCast(du, LoadF32(d, at + 3 * from_stride));
      // A 4x4 transpose within each block of four lanes.
      const auto ab_low = hn::BitCast(d64, hn::InterleaveLower(du, a, b));
      const auto ab_high = hn::BitCast(d64, hn::InterleaveUpper(du, a, b));
      const auto ef_low = hn::BitCast(d64, hn::InterleaveLower(du, e, f));
      const auto ef_high = hn::BitCast(d64, hn::InterleaveUpper(du, e, f));
      float* out = to + c * to_stride + r;
      const int64_t block = 4 * to_stride;
      StoreBlocks(d, hn::BitCast(d, hn::InterleaveLower(d64, ab_low, ef_low)), out, block);
      StoreBlocks(d, hn::BitCast(d, hn::InterleaveUpper(d64, ab_low, ef_low)), out + to_stride,
                  block);
      StoreBlocks(d, hn::BitCast(d, hn::InterleaveLower(d64, ab_high, ef_high)),
                  out + 2 * to_stride, block);
      StoreBlocks(d, hn::BitCast(d, hn::InterleaveUpper(d64, ab_high, ef_high)),
                  out + 3 * to_stride, block);
    }
  }
#endif
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
      to[c * to_stride + r] = ToFloat(from[r * from_stride + c]);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
