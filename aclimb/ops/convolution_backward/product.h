#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/slots.h"

// What our own products of matrices have in common (tile_product.h, vector_product.h,
// vector_windows.h), and with the sums of tile_windows.h.
namespace aclimb::convolution_backward {

// Whether a product takes a tensor as it is: x or y with the pixels of each channel side by side,
// images and channels anywhere; weights with those of an output channel side by side, and
// the elements of each window.
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

// Calls body(unit, memory) for all units of a plan, each with the memory of a slot of its own.
template <typename Plan, typename Body>
void RunUnits(const Plan& plan, char* memory, const Body& body) {
  Slots slots(plan.slots);
  const int64_t bytes = plan.SlotBytes();
  ForEach(plan.Units(), plan.slots > 1, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    body(unit, static_cast<void*>(memory + slot.number() * bytes));
  });
}

}  // namespace aclimb::convolution_backward
