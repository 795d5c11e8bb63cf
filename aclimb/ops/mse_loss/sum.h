#pragma once

#include "aclimb/core/tensor_view.h"

namespace aclimb::mse_loss {

// The sum of (a - b)^2 over equally shaped views of any strides, also 0, each FLOAT, FLOAT16 or
// BFLOAT16. Differences and squares are in float32, their sum in double and in blocks that depend
// on the views alone.
double SumOfSquares(const TensorView& a, const TensorView& b);

}  // namespace aclimb::mse_loss
