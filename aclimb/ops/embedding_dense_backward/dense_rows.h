#pragma once

#include <cstddef>
#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::embedding_dense_backward {

// The elements of a row are not side by side: summing rows in the order of the indices would then
// read a cache line for each element.
bool RowsAreScattered(const TensorView& grad);

// Copies `from` row-major into `to`, which holds its elements. False when the run was cancelled.
bool CopyDense(const TensorView& from, void* to);

}  // namespace aclimb::embedding_dense_backward
