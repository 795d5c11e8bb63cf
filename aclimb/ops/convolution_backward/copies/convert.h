#pragma once

#include "aclimb/core/tensor_view.h"

namespace aclimb::convolution_backward {

// Copies `from` to `to`, equally shaped views of float32, float16 or bfloat16 with any strides,
// rounding to nearest even (aclimb/copy).
//   parallel  false keeps it on the calling thread
void Convert(const TensorView& from, const TensorView& to, bool parallel);

// Whether neighbours lie along different dimensions of the two, as in a copy into a blocked layout
// and out of it.
bool IsTransposed(const TensorView& from, const TensorView& to);

// Writes zeros.
void Clear(const TensorView& view, bool parallel);

}  // namespace aclimb::convolution_backward
