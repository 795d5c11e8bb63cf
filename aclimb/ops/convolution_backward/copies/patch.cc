#include "aclimb/ops/convolution_backward/copies/patch.h"

#include <algorithm>

namespace aclimb::convolution_backward {
namespace {

// Moves the first dimension behind the next `count`.
void MoveFirst(TensorView& view, int count) {
  std::rotate(view.shape, view.shape + 1, view.shape + 1 + count);
  std::rotate(view.stride, view.stride + 1, view.stride + 1 + count);
}

}  // namespace

TensorView PatchWindows(const Geometry& g, const TensorView& x, bool folds) {
  TensorView windows = x;
  windows.rank = 2 + 2 * kDims;
  for (int d = 0; d < kDims; ++d) {
    windows.shape[2 + d] = g.kernel[d];
    windows.stride[2 + d] = x.stride[2 + d];
    windows.shape[2 + kDims + d] = g.out[d];
    // One window's stride may be of any size.
    windows.stride[2 + kDims + d] = x.stride[2 + d] * (g.out[d] > 1 ? g.stride[d] : 1);
  }
  if (folds) MoveFirst(windows, 1 + kDims);
  return windows;
}

TensorView PatchImages(const TensorView& y) {
  TensorView images = y;
  MoveFirst(images, 1);
  return images;
}

TensorView PatchTensor(const Geometry& patch, int64_t channels, const TensorView& dense) {
  TensorView tensor = dense;
  tensor.rank = 2 + kDims;
  tensor.shape[0] = patch.batch;
  tensor.shape[1] = channels;
  for (int d = 0; d < kDims; ++d) tensor.shape[2 + d] = patch.out[d];
  return DenseLike(tensor, dense.data);
}

TensorView PatchGrid(const Geometry& g, const TensorView& windows, bool folds) {
  TensorView grid = windows;
  grid.rank = 2 + kDims;
  grid.shape[0] = g.batch;
  grid.stride[0] = windows.stride[folds ? 1 + kDims : 0];
  grid.shape[1] = g.x_channels;
  grid.stride[1] = windows.stride[folds ? 0 : 1];
  for (int d = 0; d < kDims; ++d) {
    grid.shape[2 + d] = g.out[d];
    grid.stride[2 + d] = windows.stride[2 + kDims + d];
  }
  return grid;
}

std::optional<TensorView> PatchWeight(const TensorView& weight) {
  TensorView inner = weight;
  inner.shape[0] = 1;
  if (!inner.IsContiguous()) return std::nullopt;
  TensorView merged = weight;
  for (int d = 0; d < kDims; ++d) {
    merged.shape[1] *= weight.shape[2 + d];
    merged.shape[2 + d] = 1;
    merged.stride[2 + d] = 1;
  }
  merged.stride[1] = 1;
  return merged;
}

}  // namespace aclimb::convolution_backward
