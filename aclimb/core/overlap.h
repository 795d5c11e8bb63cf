#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/core/descriptor.h"
#include "aclimb/core/tensor_view.h"

namespace aclimb {

// The indices of two elements that are one in memory, or have a byte in common.
struct SharedElement {
  std::vector<int64_t> first;
  std::vector<int64_t> second;
};

// Whether there are such elements. The search is exact and bounded: it is undecided for strides of
// many sizes none of which is a multiple of others, or steps over them. No views of one dense
// tensor have such strides, nor have windows of one.
enum class Sharing : uint8_t { kNone, kFound, kUndecided };

// Looks in a tensor of at most kMaxRank dimensions whose footprint is known, as for stride 0 or for
// strides [2, 3] of shape [4, 3].
Sharing FindSharedElement(const TensorDescriptor& tensor, SharedElement& shared);

// Looks in two tensors, neither of them empty.
//   ahead  bytes from the first element of `other` to that of `one`
Sharing FindSharedElement(const TensorView& one, const TensorView& other, int64_t ahead,
                          SharedElement& shared);

}  // namespace aclimb
