#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

// Products of float32 matrices on vectors. A product is computed in blocks of kRows rows and up to
// kMostVectors vectors of columns, which the registers hold. Operands and results may be half types
// in memory; they are converted on the way.
//
// A right operand is a panel [depth][width], aligned to a vector, its width whole vectors. Strides
// are in elements.
namespace aclimb::convolution_backward::vectors {

inline constexpr int64_t kRows = 8;
inline constexpr int64_t kMostVectors = 3;

// Elements of a vector on this processor.
int64_t Lanes();

// A left operand of up to kRows rows: a panel [depth][kRows], or rows of float32 in memory.
struct Left {
  const float* data;
  bool is_panel;
  int64_t stride;  // of rows in memory, from one to the next
  int64_t rows;

  static Left Panel(const float* panel) { return {panel, true, 1, kRows}; }
  static Left Rows(const float* from, int64_t stride, int64_t rows) {
    return {from, false, stride, rows};
  }
};

// Rows of from[row][depth], in panels of kRows one behind the other; rows that the last one lacks
// become zero.
void PackLeft(DType dtype, const void* from, int64_t stride, int64_t rows, int64_t depth,
              float* panels);
// The same of from[depth][row].
void PackLeftTransposed(DType dtype, const void* from, int64_t stride, int64_t rows, int64_t depth,
                        float* panels);

// from[depth][count] becomes the columns [first, first + count) of a right operand of so many
// columns. It is cut into panels of kMostVectors vectors, one behind the other, the last as narrow
// as the columns allow.
void PackRight(DType dtype, const void* from, int64_t stride, int64_t first, int64_t count,
               int64_t columns, int64_t depth, float* panels);
// Some columns of one panel, from[column][depth], to the column that `panel` points to.
void PackRightTransposed(DType dtype, const void* from, int64_t stride, int64_t columns,
                         int64_t depth, float* panel, int64_t width);

// `count` elements side by side.
void ToFloat(DType dtype, const void* from, int64_t count, float* to);

// sums[row][column] = left * right, or is increased by it, for kRows rows and so many vectors of
// columns. Rows that the left operand lacks repeat its last.
void Multiply(const Left& left, const float* right, int64_t vectors, int64_t depth, bool add,
              float* sums, int64_t stride);

// A part of the sums of a block: `depth` products of each row.
struct Segment {
  int32_t left[kRows];  // where a row's elements begin; any valid place for rows that are absent
  int32_t right;        // row of the right operand
  int32_t depth;
};

// sums[to[r]][column] = the sum of the segments, or is increased by it, for up to kRows rows.
void MultiplySegments(const float* left, const Segment* segments, int64_t count, const float* right,
                      int64_t vectors, bool add, float* sums, int64_t stride, const int32_t* to,
                      int64_t rows);

// A part of each row: zeros, elements, zeros.
struct Piece {
  int64_t from;  // the first element
  int32_t to, before, count, after;
};

// The pieces of so many rows, every step-th element of each, as rows of float32.
void PackPieces(DType dtype, const void* from, int64_t stride, int64_t step, int64_t rows,
                const Piece* pieces, int64_t count, float* to, int64_t to_stride);

// to[row][column] = sums[row][column], rounded to nearest even.
void StoreRows(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns, DType dtype,
               void* to, int64_t stride);
// to[column][row].
void StoreColumns(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns,
                  DType dtype, void* to, int64_t stride);

}  // namespace aclimb::convolution_backward::vectors
