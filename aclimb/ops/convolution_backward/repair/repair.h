#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Fast kernels multiply what is absent, padding for one, which they hold as zeros, with real
// values: where those are infinite or NaN, a NaN appears that the definition does not have. These
// functions find out which NaNs of a result are real, and compute the others by the definition.
// Most are settled by where a NaN of an operand reaches, without arithmetic; what remains is the
// windows that meet padding, and infinities. Callers look whether there is any reason first.
namespace aclimb::convolution_backward {

// Bytes of scratch for RepairGradWeight: a flag for every tap of every channel.
int64_t RepairScratchBytes(const Geometry& geometry);

// The views are embedded; `weight` is the result of the gradient.
//   scratch  RepairScratchBytes(geometry) bytes
void RepairGradWeight(const Geometry& geometry, const TensorView& x, const TensorView& y,
                      const TensorView& weight, void* scratch, bool parallel);

// What can have made NaNs that are not real: weights that are not finite, times zeros in place of
// the other operand; or that operand as well, times zeros that fill up the weights.
enum class Suspects : uint8_t { kWeights, kAll };

// Of kGradX (result x) and kForward (result y).
void RepairSums(const Geometry& geometry, Task task, const TensorView& x, const TensorView& y,
                const TensorView& weight, Suspects suspects, bool parallel);

}  // namespace aclimb::convolution_backward
