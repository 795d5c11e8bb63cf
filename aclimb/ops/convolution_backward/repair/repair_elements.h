#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"

// Single elements for the repairs of repair.h.
namespace aclimb::convolution_backward {

inline constexpr uint32_t kInfinityBits = 0x7F800000u;

inline float ReadElement(const TensorView& view, int64_t offset) {
  switch (view.dtype) {
    case DType::kFloat16:
      return ToFloat(view.As<Float16>()[offset]);
    case DType::kBFloat16:
      return ToFloat(view.As<BFloat16>()[offset]);
    default:
      return view.As<float>()[offset];
  }
}

inline void WriteElement(const TensorView& view, int64_t offset, float value) {
  switch (view.dtype) {
    case DType::kFloat16:
      view.As<Float16>()[offset] = ToFloat16(value);
      return;
    case DType::kBFloat16:
      view.As<BFloat16>()[offset] = ToBFloat16(value);
      return;
    default:
      view.As<float>()[offset] = value;
  }
}

// A step that leaves a row of `extent` elements at once, as `stride` does, but whose products do
// not overflow.
inline int64_t StepWithin(int64_t stride, int64_t extent) { return std::min(stride, extent); }

}  // namespace aclimb::convolution_backward
