#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/products/product.h"

// Windows of one element in bfloat16 as products of matrices on tiles (AMX), of x and y as programs
// have them. oneDNN's product packs and converts whole images on the way, and its direct kernels
// want copies in other layouts; here x and y are packed a piece at a time, which stays in the
// cache. Sums are in float32 and in one order, whatever the number of threads.
namespace aclimb::convolution_backward {

struct TileProduct {
  Task task = Task::kForward;
  int64_t batch = 0;
  int64_t rows = 0;      // of the product: channels
  int64_t columns = 0;   // of the product: pixels of an image, or channels
  int64_t depth = 0;     // of its sums: channels, or pixels of an image
  bool swapped = false;  // kGradWeight: rows are channels of x

  // A unit computes some rows and columns, of one image where columns are pixels.
  int64_t unit_rows = 0, unit_columns = 0;
  int64_t chunk = 0;  // kGradWeight: steps packed at once
  int slots = 1;      // units that may run at once

  int64_t Units() const;
  // Packed weights, which all units share; none for kGradWeight.
  int64_t WeightBytes() const;
  int64_t SlotBytes() const;
  int64_t ScratchBytes() const;
};

// Of windows of one element that meet every element of x. `threads` is the team of the run.
TileProduct PlanTileProduct(const Geometry& geometry, Task task, int threads);

// The views are embedded, all bfloat16, and as the functions of product.h want them. The task's
// result is written completely, the others are read.
//   scratch  ScratchBytes() bytes, 64-byte aligned
void RunProduct(const TileProduct& product, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch);

}  // namespace aclimb::convolution_backward
