#pragma once

#include <optional>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"

// Views for windows that do not overlap (Algorithm::kPatch): patch embeddings and the like. `patch`
// is choice.h's PatchGeometry, which `folds` when it makes the images one.
namespace aclimb::convolution_backward {

// An embedded x as [batch, channels, kd, kh, kw, od, oh, ow], the channels first if it folds;
// what is between and behind the windows is left out.
TensorView PatchWindows(const Geometry& geometry, const TensorView& x, bool folds);

// An embedded y as [channels, batch, od, oh, ow], for images that become one.
TensorView PatchImages(const TensorView& y);

// A dense tensor of either shape as the embedded x or y, with `channels`, of the patch geometry.
TensorView PatchTensor(const Geometry& patch, int64_t channels, const TensorView& dense);

// A tensor of PatchWindows' shape, of windows of one element, as [batch, channels, od, oh, ow].
TensorView PatchGrid(const Geometry& geometry, const TensorView& windows, bool folds);

// An embedded weight as [y channels, channels * kd * kh * kw, 1, 1, 1]; nothing when its strides do
// not allow that without a copy.
std::optional<TensorView> PatchWeight(const TensorView& weight);

}  // namespace aclimb::convolution_backward
