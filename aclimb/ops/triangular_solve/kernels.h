#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::triangular_solve {

// A triangle, and some columns of one right side. Strides are in elements.
struct Problem {
  const void* matrix;
  const void* sides;
  void* solutions;
  int64_t rows, columns;
  int64_t matrix_row, matrix_column;  // of the matrix that is solved, transposed or not
  int64_t side_row, side_column;
  int64_t solution_row, solution_column;
  bool upper;  // the triangle of that matrix
  bool unit_diagonal;
};

// Columns that a call solves at most.
inline constexpr int64_t kMostColumns = 64;
// Rows from which a call subtracts at a time what is solved.
inline constexpr int64_t kRowsTogether = 4;

//   scratch  rows * (kMostColumns + kRowsTogether) values
using Solve = void (*)(const Problem& problem, double* scratch);

// For the instruction set in use; FLOAT or DOUBLE.
Solve SolveOf(DType dtype);

}  // namespace aclimb::triangular_solve
