#include "aclimb/ops/convolution_backward/products/product.h"

namespace aclimb::convolution_backward {

bool HasDensePlanes(const TensorView& channels) {
  TensorView plane = channels;
  plane.shape[0] = plane.shape[1] = 1;
  return plane.IsContiguous();
}

bool HasDenseRows(const TensorView& weight) {
  TensorView row = weight;
  row.shape[0] = 1;
  return row.IsContiguous();
}

Matrix ChannelsOf(const TensorView& view) {
  return {view.As<char>(), view.dtype, view.stride[0], view.stride[1]};
}

Matrix WeightsOf(const TensorView& view) {
  return {view.As<char>(), view.dtype, 0, view.stride[0]};
}

}  // namespace aclimb::convolution_backward
