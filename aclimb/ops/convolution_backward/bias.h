#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::convolution_backward {

// Bytes of scratch that SumBias needs for a gradient of this (embedded) shape.
int64_t BiasScratchBytes(const TensorView& grad_output);

// grad_bias[c] = sum of grad_output[:, c, ...]: float32 over fixed blocks, double over blocks, one
// rounding. The blocks do not depend on the number of threads.
//   grad_output  rank 5, any strides; float32, float16 or bfloat16
//   grad_bias    rank 1
//   parallel     false keeps it on the calling thread
void SumBias(const TensorView& grad_output, const TensorView& grad_bias, void* scratch,
             bool parallel);

}  // namespace aclimb::convolution_backward
