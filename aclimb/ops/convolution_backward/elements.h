#pragma once

#include <cstdint>
#include <type_traits>

#include "aclimb/copy/cast.h"
#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"

// Single elements of views of float32, float16 and bfloat16, for what no loop over vectors does.
namespace aclimb::convolution_backward {

// Rounded once, to nearest even.
template <typename T>
T Rounded(double value) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(value);
  } else {
    return FromFloat<T>(RoundedToOdd(value));
  }
}

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

inline void WriteElement(const TensorView& view, int64_t offset, double value) {
  switch (view.dtype) {
    case DType::kFloat16:
      view.As<Float16>()[offset] = Rounded<Float16>(value);
      return;
    case DType::kBFloat16:
      view.As<BFloat16>()[offset] = Rounded<BFloat16>(value);
      return;
    default:
      view.As<float>()[offset] = Rounded<float>(value);
  }
}

}  // namespace aclimb::convolution_backward
