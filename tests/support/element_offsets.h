#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/truth/elements.h"

namespace aclimb::testing {

// Offsets in elements of a strided view's elements, in row-major order. No extent is negative.
inline std::vector<int64_t> ElementOffsets(const std::vector<int64_t>& shape,
                                           const std::vector<int64_t>& stride, int64_t offset) {
  std::vector<int64_t> offsets = truth::PlacesOf(shape, stride);
  for (int64_t& at : offsets) at += offset;
  return offsets;
}

}  // namespace aclimb::testing
