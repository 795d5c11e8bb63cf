#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace aclimb::testing {

// Offsets in elements of a strided view's elements, in row-major order. No extent is negative.
inline std::vector<int64_t> ElementOffsets(const std::vector<int64_t>& shape,
                                           const std::vector<int64_t>& stride, int64_t offset) {
  // Beside an extent of 0 another one may be of any size.
  for (const int64_t extent : shape) {
    if (extent == 0) return {};
  }
  std::vector<int64_t> offsets = {offset};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(shape[d]));
    for (const int64_t at : offsets) {
      for (int64_t i = 0; i < shape[d]; ++i) next.push_back(at + i * stride[d]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace aclimb::testing
