#pragma once

#include <cstdint>
#include <vector>

namespace aclimb::testing {

// Offsets in elements of a strided view's elements, in row-major order. No extent is negative.
inline std::vector<int64_t> ElementOffsets(const std::vector<int64_t>& shape,
                                           const std::vector<int64_t>& stride, int64_t offset) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  std::vector<int64_t> offsets(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    int64_t at = offset;
    for (size_t d = shape.size(); d-- > 0;) {
      at += rest % shape[d] * stride[d];
      rest /= shape[d];
    }
    offsets[static_cast<size_t>(i)] = at;
  }
  return offsets;
}

}  // namespace aclimb::testing
