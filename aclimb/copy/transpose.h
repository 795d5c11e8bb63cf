#pragma once

#include <cstddef>
#include <cstdint>

namespace aclimb::copy {

// to[c * to_stride + r] = from[r * stride + c] for r < rows and c < columns, through registers.
// Elements have 1, 2, 4 or 8 bytes; the two do not overlap.
void Transpose(size_t element, const void* from, int64_t stride, int64_t rows, int64_t columns,
               void* to, int64_t to_stride);

}  // namespace aclimb::copy
