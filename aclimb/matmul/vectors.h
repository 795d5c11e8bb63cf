#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::matmul {

// Results of a call at most.
inline constexpr int64_t kMostResults = 4096;
// Rows of the matrix that are read at once. They lie far apart, so that a processor sees as many
// streams, which memory sends faster than one.
inline constexpr int64_t kTogether = 4;

// totals[j] = sum over i < terms of matrix[j, i] * x[i] for j < results, in blocks of terms whose
// sums are added in double. FLOAT, FLOAT16 or BFLOAT16 are widened to float32.
//   stride  between results where terms are neighbours in memory, between terms where results are
using VectorSums = void (*)(const void* matrix, int64_t stride, const float* x, int64_t terms,
                            int64_t results, double* totals);

// For the instruction set in use. `results` are all of a product, which calls may share: how a
// result is summed depends on it, and not on the call.
VectorSums SumsAlongTerms(DType matrix, int64_t results);
VectorSums SumsAlongResults(DType matrix);

// Results at most of a call that has several vectors.
inline constexpr int64_t kMostShared = 512;
// The sums of kTogether vectors, of which each row of the matrix is read once for all, in float32:
// for at most kMostShared terms or results, whichever are neighbours in memory. Vectors and their
// sums begin `x_row` and `sums_row` elements apart.
using SharedSums = void (*)(const void* matrix, int64_t stride, const float* x, int64_t x_row,
                            int64_t terms, int64_t results, float* sums, int64_t sums_row);

SharedSums SharedSumsAlongTerms(DType matrix);
// Adds to the sums.
SharedSums SharedSumsAlongResults(DType matrix);

}  // namespace aclimb::matmul
