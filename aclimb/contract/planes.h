#pragma once

#include <cstddef>

#include "aclimb/contract/contract.h"

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

}  // namespace aclimb::contract
