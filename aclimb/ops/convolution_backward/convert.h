#pragma once

#include "aclimb/core/tensor_view.h"

namespace aclimb::convolution_backward {

// Copies `from` to `to`, equally shaped views of float32, float16 or bfloat16 with any strides,
// rounding to nearest even.
//   parallel  false keeps it on the calling thread
void Convert(const TensorView& from, const TensorView& to, bool parallel);

// The same, and says whether an element of `to` is NaN then.
bool ConvertAndLook(const TensorView& from, const TensorView& to, bool parallel);

// Writes zeros.
void Clear(const TensorView& view, bool parallel);

// True when an element is NaN.
bool HasNaN(const TensorView& view, bool parallel);

// True when none is NaN or infinite.
bool IsFinite(const TensorView& view, bool parallel);

}  // namespace aclimb::convolution_backward
