#pragma once

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Fast kernels multiply padding, which they hold as zeros, with real values: where those are
// infinite or NaN, a NaN appears that the definition does not have, for padding is absent. These
// functions compute every NaN of a result again by the definition, stopping at the first NaN that
// is real. Callers look whether there is any reason first.
namespace aclimb::convolution_backward {

// The views are embedded; `weight` is the result of the gradient.
void RepairGradWeight(const Geometry& geometry, const TensorView& x, const TensorView& y,
                      const TensorView& weight, bool parallel);

// Of kGradX (result x) and kForward (result y).
void RepairSums(const Geometry& geometry, Task task, const TensorView& x, const TensorView& y,
                const TensorView& weight, bool parallel);

}  // namespace aclimb::convolution_backward
