#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/executor/unit_scratch.h"

namespace aclimb::inverse {

// A matrix in float32 that becomes the product of a lower and an upper triangle: below the diagonal
// the former, whose diagonal is ones, and the latter elsewhere. Rows change places on the way, so
// that the largest element of a column is divided by.
struct LowerUpper {
  float* matrix;
  int64_t rows, row;  // LowerUpperRow(rows)
  int64_t* pivots;    // for each row, which one it changed places with, in that order
  float* columns;     // 8 * row numbers of scratch
};

// Elements from one row to the next: vectors may be written behind a row, and rows of a power of
// two would take each other's places in a cache.
constexpr int64_t LowerUpperRow(int64_t rows) { return RoundUp(rows, int64_t{16}) + 16; }

// For the instruction set in use; what is computed does not depend on the number of threads. False
// when the run was cancelled.
//   scratch  a panel of `rows` rows for each unit
[[nodiscard]] bool Factorize(const RunContext& run, const LowerUpper& matrix,
                             const UnitScratch& scratch);

// The sum of the elements of a row without their signs, each times its factor; null: all are 1.
float SumOfSizes(const float* row, const float* factors, int64_t count);

}  // namespace aclimb::inverse
