#pragma once

#include <optional>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Views for windows that neither overlap nor leave gaps (Algorithm::kPatch): patch embeddings and
// the like. `patch` is choice.h's PatchGeometry.
namespace aclimb::convolution_backward {

// An embedded x as [batch, channels, kd, kh, kw, od, oh, ow]; what is behind the last window is
// left out.
TensorView PatchWindows(const Geometry& geometry, const TensorView& x);

// A dense tensor of that shape as the embedded x of the patch geometry.
TensorView PatchTensor(const Geometry& patch, const TensorView& windows);

// An embedded weight as [y channels, channels * kd * kh * kw, 1, 1, 1]; nothing when its strides do
// not allow that without a copy.
std::optional<TensorView> PatchWeight(const TensorView& weight);

}  // namespace aclimb::convolution_backward
