#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

// What our own products of matrices have in common (tile_product.h, vector_product.h).
namespace aclimb::convolution_backward {

// Whether a product takes a tensor as it is: x or y with the pixels of each channel side by side,
// images and channels anywhere; weights with those of an output channel side by side.
bool HasDensePlanes(const TensorView& channels);
bool HasDenseRows(const TensorView& weight);

// A matrix, or one for each image, with the elements of a row side by side. Strides in elements.
struct Matrix {
  char* data;
  DType dtype;
  int64_t image, row;

  void* At(int64_t i, int64_t r, int64_t c = 0) const {
    return data + (i * image + r * row + c) * static_cast<int64_t>(SizeOf(dtype));
  }
  template <typename T>
  T* As(int64_t i, int64_t r, int64_t c = 0) const {
    return static_cast<T*>(At(i, r, c));
  }
};

// Of x or y: a row for each channel. Of a weight: a row for each output channel.
Matrix ChannelsOf(const TensorView& view);
Matrix WeightsOf(const TensorView& view);

}  // namespace aclimb::convolution_backward
