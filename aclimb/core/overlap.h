#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aclimb/core/descriptor.h"

namespace aclimb {

// The indices of two elements that are one in memory.
struct SharedElement {
  std::vector<int64_t> first;
  std::vector<int64_t> second;
};

// Finds such a pair in a tensor of at most kMaxRank dimensions whose footprint is known, as for
// stride 0 or for strides [2, 3] of shape [4, 3]. Nothing for strides so strange that the search
// would take too long: no view that comes from a dense tensor is among them.
std::optional<SharedElement> FindSharedElement(const TensorDescriptor& tensor);

}  // namespace aclimb
