#include "aclimb/ops/convolution_backward/patch.h"

namespace aclimb::convolution_backward {

TensorView PatchWindows(const Geometry& g, const TensorView& x) {
  TensorView windows = x;
  windows.rank = 2 + 2 * kDims;
  for (int d = 0; d < kDims; ++d) {
    windows.shape[2 + d] = g.kernel[d];
    windows.stride[2 + d] = x.stride[2 + d];
    windows.shape[2 + kDims + d] = g.out[d];
    windows.stride[2 + kDims + d] = x.stride[2 + d] * g.kernel[d];
  }
  return windows;
}

TensorView PatchTensor(const Geometry& patch, const TensorView& windows) {
  TensorView tensor = windows;
  tensor.rank = 2 + kDims;
  tensor.shape[1] = patch.x_channels;
  for (int d = 0; d < kDims; ++d) tensor.shape[2 + d] = patch.in[d];
  int64_t stride = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    tensor.stride[i] = stride;
    stride *= tensor.shape[i];
  }
  return tensor;
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
