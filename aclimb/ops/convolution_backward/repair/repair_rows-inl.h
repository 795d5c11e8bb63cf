// Rows of a tensor for the repairs of repair.h. Included once per instruction set.
#if defined(ACLIMB_REPAIR_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_REPAIR_ROWS_INL_H_
#undef ACLIMB_REPAIR_ROWS_INL_H_
#else
#define ACLIMB_REPAIR_ROWS_INL_H_
#endif

#include "aclimb/ops/convolution_backward/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

// Elements of a row that are looked at together, and room for the last vector's overshoot.
constexpr int64_t kChunk = 1024;
constexpr int64_t kChunkRoom = kChunk + 64;

// `count` elements from element `offset` of the view on, `step` apart; at most kChunk.
inline void LoadRow(const TensorView& view, int64_t offset, int64_t step, int64_t count,
                    float* to) {
  switch (view.dtype) {
    case DType::kFloat16:
      return PackRow(view.As<Float16>() + offset, step, 0, count, count, to);
    case DType::kBFloat16:
      return PackRow(view.As<BFloat16>() + offset, step, 0, count, count, to);
    default:
      return PackRow(view.As<float>() + offset, step, 0, count, count, to);
  }
}

// The largest absolute value of a row as bits: above 0x7F800000 with a NaN, equal with an infinity.
inline uint32_t LargestBits(const float* row, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto largest = hn::Zero(di);
  const auto mask = hn::Set(di, 0x7FFFFFFF);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    largest = hn::Max(largest, hn::And(hn::BitCast(di, hn::LoadU(d, row + i)), mask));
  }
  if (i < count) {
    const auto bits = hn::And(hn::BitCast(di, hn::LoadU(d, row + i)), mask);
    const auto inside = hn::FirstN(di, static_cast<size_t>(count - i));
    largest = hn::Max(largest, hn::IfThenElseZero(inside, bits));
  }
  return static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(di, largest)));
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
