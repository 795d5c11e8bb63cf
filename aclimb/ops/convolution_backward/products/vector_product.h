#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/products/product.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"

// Windows of one element as products of matrices on vectors, summed in float32 in one order,
// whatever the number of threads. x and y are packed a piece at a time, which stays in the cache,
// and converted on the way; the pixels of all images are one dimension. Depths and chunks count
// what is summed, not the elements that vectors::Factors make of it.
namespace aclimb::convolution_backward {

struct VectorProduct {
  Task task = Task::kForward;
  vectors::Factors factors = vectors::Factors::kFloat32;
  int64_t batch = 0;
  int64_t pixels = 0;    // of an image
  int64_t rows = 0;      // of the product: channels
  int64_t columns = 0;   // of the product: pixels of all images, or channels
  int64_t depth = 0;     // of its sums, where they are over channels
  bool swapped = false;  // kGradWeight: rows are channels of x

  // A unit computes some rows and columns.
  int64_t unit_rows = 0, unit_columns = 0;
  int64_t chunk = 0;   // of the sums, packed at once
  int64_t images = 0;  // kGradWeight: those of a chunk; a chunk of one has some of its pixels
  int64_t lanes = 0;   // of a vector
  int slots = 1;       // units that may run at once

  int64_t Elements(int64_t count) const { return vectors::Elements(factors, count); }
  // Of a chunk: those of kGradWeight begin anew with each image.
  int64_t ChunkElements() const {
    return task == Task::kGradWeight && images > 1 ? images * Elements(pixels) : Elements(chunk);
  }
  int64_t Units() const;
  // Packed weights, which all units share; none for kGradWeight.
  int64_t WeightBytes() const;
  int64_t SlotBytes() const;
  int64_t ScratchBytes() const;
};

// Of windows of one element that meet every element of x. `threads` is the team of the run.
VectorProduct PlanVectorProduct(const Geometry& geometry, Task task, int threads,
                                vectors::Factors factors = vectors::Factors::kFloat32);

// The views are embedded, of any dtypes (kPairs: operands of bfloat16), and as the functions of
// product.h want them. The task's result is written completely, the others are read.
//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunProduct(const VectorProduct& product, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch);

}  // namespace aclimb::convolution_backward
