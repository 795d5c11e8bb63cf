#pragma once

#include "aclimb/core/tensor_view.h"
#include "aclimb/elementwise/problem.h"
#include "aclimb/reduction/problem.h"

namespace aclimb::convolution_backward {

// output = a + b in float32, rounded once, of views of one shape.
elementwise::Problem Sum(const TensorView& a, const TensorView& b, const TensorView& output);

// output[n, c, ...] = sums[n, c, ...] + bias[c] in float32, rounded once.
//   sums, output  embedded views of one shape, any strides; may be the same tensor
//   bias          rank 1
elementwise::Problem SumWithBias(const TensorView& sums, const TensorView& bias,
                                 const TensorView& output);

// grad_bias[c] = sum of grad_output[:, c, ...], which is embedded, rounded once.
reduction::Problem SumOfChannels(const TensorView& grad_output, const TensorView& grad_bias);

// The sum of an embedded view in float32: NaN where an element is, not finite where one is not.
reduction::Problem SumOfAll(const TensorView& view);

}  // namespace aclimb::convolution_backward
