#pragma once

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

namespace aclimb::convolution_backward {

// Copies `from` to `to`, equally shaped views of float32, float16 or bfloat16 with any strides,
// rounding to nearest even.
//   parallel  false keeps it on the calling thread
void Convert(const TensorView& from, const TensorView& to, bool parallel);

// The same, and says whether an element of `to` is NaN then.
bool ConvertAndLook(const TensorView& from, const TensorView& to, bool parallel);

// Writes element (a, b, z, y, x) of `from` to (a, b, z * step[0], y * step[1], x * step[2]) of
// `to`, and zeros everywhere else. Embedded views of one dtype, with the elements of a row side by
// side.
void Spread(const TensorView& from, const int64_t (&step)[kDims], const TensorView& to,
            bool parallel);

// Writes zeros.
void Clear(const TensorView& view, bool parallel);

// True when an element is NaN.
bool HasNaN(const TensorView& view, bool parallel);

// True when none is NaN or infinite.
bool IsFinite(const TensorView& view, bool parallel);

}  // namespace aclimb::convolution_backward
