#pragma once

#include <cstdint>

#include "aclimb/core/half.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"

// The functions of vector_kernels.h in bfloat16, by the dot products of AVX-512 (AVX512_BF16): an
// element of an operand is a pair of neighbours in the sum, with a zero behind the last of an odd
// number. A subnormal number counts as zero, as it does for oneDNN. Depths of what is packed count
// scalars, those of what is multiplied elements.
//
// Callers make sure that the processor has the instructions (IsSupported).
namespace aclimb::convolution_backward::vectors::dots {

inline constexpr int64_t kLanes = 16;  // pairs, and sums, of a vector
bool IsSupported();

void PackRightTransposed(const BFloat16* from, int64_t stride, int64_t columns, int64_t depth,
                         float* panel, int64_t width);
void PackPieces(const BFloat16* from, int64_t stride, int64_t step, int64_t rows,
                const Piece* pieces, int64_t count, float* to, int64_t to_stride);
// To a result of bfloat16.
void StoreRows(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns, BFloat16* to,
               int64_t stride);
void MultiplySegments(const float* left, const Segment* segments, int64_t count, const float* right,
                      int64_t vectors, bool add, float* sums, int64_t stride, const int32_t* to,
                      int64_t rows);

}  // namespace aclimb::convolution_backward::vectors::dots
