#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

namespace aclimb::convolution_backward {

// Fast kernels multiply what is absent, padding for one, which they hold as zeros, with real
// values: where those are infinite or NaN, a NaN appears that the definition does not have. So
// elements of a result that are NaN are computed again, by the definition, until their sum is NaN.
// Callers look first whether there is any reason. Where the work is cancelled, some stay NaN.
//   x, y, weight  embedded views, one of which is the task's result
//   scratch       ExactScratchBytes of the task, 8-byte aligned
//   bias          for each channel of the result, added to its sums; null: none
void ComputeNaNsAgain(const Geometry& geometry, Task task, const TensorView& x, const TensorView& y,
                      const TensorView& weight, void* scratch, const float* bias = nullptr);

int64_t ExactScratchBytes(const Geometry& geometry, Task task);

}  // namespace aclimb::convolution_backward
