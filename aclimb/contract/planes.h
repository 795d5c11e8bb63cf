#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"

// What the contracts of operators on planes, or on volumes, share: kDims is 2 or 3.
namespace aclimb::contract {

template <size_t kDims>
inline constexpr const char* kPlanesShape =
    kDims == 2 ? "[N, C, H, W] or [C, H, W]" : "[N, C, D, H, W] or [C, D, H, W]";
template <size_t kDims>
inline constexpr const char* kForwardPlanesShape =
    kDims == 2 ? "the forward input, [N, C, H, W] or [C, H, W]: its shape alone matters"
               : "the forward input, [N, C, D, H, W] or [C, D, H, W]: its shape alone matters";

// Of the rank of such a shape.
template <size_t kDims>
constexpr Parameter WithPlanes(Parameter parameter) {
  return WithRank(parameter, static_cast<int>(kDims) + 1, static_cast<int>(kDims) + 2);
}

// For predicates of rules: what is wrong with a tensor that has to have the shape of `self` with
// `size`, which is outputSize, in place of the last dimensions.
inline std::optional<std::string> OtherOutputSize(const char* name, const TensorDescriptor& tensor,
                                                  const TensorDescriptor& self,
                                                  const IntArrayValue& size) {
  std::vector<int64_t> expected = self.shape;
  std::ranges::copy(size, expected.end() - static_cast<std::ptrdiff_t>(size.size()));
  return OtherShape(name, tensor, expected,
                    Cat("self.shape ", ShapeText(self), " and outputSize ", IntsText(size)));
}

}  // namespace aclimb::contract
