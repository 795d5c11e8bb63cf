#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::matmul {

// A block of the right factor: where its first element is, and elements from one term to the next
// and from one column to the next, of which one is 1.
struct PanelSource {
  const void* from;
  int64_t term, column;
  int64_t terms, columns;
};

// Columns of the right factor as float32, side by side for each term, in as many vectors as they
// fill. Made for the instruction set in use.
struct PanelKernels {
  int64_t lanes;    // columns of a vector
  int64_t columns;  // of a panel, at most
  // `panel` has room for those of all terms, and is aligned to 64 bytes.
  void (*pack)(const PanelSource& source, float* panel);
  // sums[r * sums_row + c] = the sum over terms of a[r * row + term] * panel[term][c], or +=. Whole
  // vectors are written: what is behind the panel's columns is anything.
  void (*multiply)(const float* a, int64_t row, int64_t rows, const float* panel, int64_t terms,
                   int64_t columns, bool add, float* sums, int64_t sums_row);
};

// For a right factor of FLOAT, FLOAT16 or BFLOAT16.
const PanelKernels& PanelKernelsFor(DType right);

}  // namespace aclimb::matmul
