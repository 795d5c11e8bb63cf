#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/simd/factors.h"

// Products of matrices on vectors, summed in float32. A product is computed in blocks of kRows rows
// and up to kMostVectors vectors of columns, which the registers hold. Operands and results may be
// of any dtype in memory; they are converted on the way. Operands of pairs
// (simd/factors.h) are bfloat16; behind the last of an odd number stands a zero.
//
// A left operand is rows of elements, a right operand a panel [depth][width], aligned to a vector,
// its width whole vectors. Depths of what is packed count numbers, those of what is multiplied
// elements. Strides in memory count what is there, those of operands and sums their elements.
namespace aclimb::convolution_backward::vectors {

inline constexpr int64_t kRows = 8;
inline constexpr int64_t kMostVectors = 3;

// Sums over blocks of up to so many terms, as many of which are added in float32 again.
inline constexpr int64_t kMostBlockSums = BlockTerms(DType::kFloat32) / 2;

// Elements of a vector on this processor.
int64_t Lanes();

// from[column][depth] becomes some columns of a right operand, from the one on that `panel` points
// to.
void PackRightTransposed(Factors factors, DType dtype, const void* from, int64_t stride,
                         int64_t columns, int64_t depth, float* panel, int64_t width);

// Terms of a block's sums that stand side by side in both operands, in elements.
struct Terms {
  int32_t left[kRows];  // where those of a row begin; any valid place for rows that are absent
  int32_t right;        // row of the right operand
  int32_t count;
};

// sums[to[r]][column] = the sum of the terms, or is increased by it, for up to kRows rows.
void MultiplyTerms(Factors factors, const float* left, const Terms* terms, int64_t count,
                   const float* right, int64_t vectors, bool add, float* sums, int64_t stride,
                   const int32_t* to, int64_t rows);

// A line of what is packed, counted in numbers: zeros, what is in memory, zeros up to its length.
struct Line {
  int64_t from;  // the first element in memory
  int64_t to, before, count, length;
};
// Elements of four bytes that may be written behind the last line of a row.
inline constexpr int64_t kBeyondLine = 16;

// Lines in order of places, every step-th of what is in memory, of so many rows.
void PackLines(Factors factors, DType dtype, const void* from, int64_t stride, int64_t step,
               int64_t rows, const Line* lines, int64_t count, float* to, int64_t to_stride);

// to[row][column] = sums[row][column], rounded to nearest even.
void StoreRows(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns, DType dtype,
               void* to, int64_t stride);
// to[column][row].
void StoreColumns(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns,
                  DType dtype, void* to, int64_t stride);

}  // namespace aclimb::convolution_backward::vectors
