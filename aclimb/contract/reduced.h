#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/contract/arguments.h"

namespace aclimb::contract {

// A set of dimensions, a bit each.
using DimensionSet = uint32_t;
constexpr bool Has(DimensionSet set, int dimension) { return (set >> dimension & 1) != 0; }

// All of a tensor's dimensions, as no entry means; or those in `dims`, which are valid and may
// count from the end.
DimensionSet DimensionsIn(const std::vector<int64_t>& dims, int rank);

// Those of the tensor `input` that the attribute `dims` names, one or an array; all when it is null
// or has no entry, or when there is no such parameter (-1).
DimensionSet ReducedDimensions(const Arguments& arguments, int input, int dims);

// The shape without them, or with 1 in their place.
std::vector<int64_t> ReducedShape(const std::vector<int64_t>& shape, DimensionSet reduced,
                                  bool keep);

}  // namespace aclimb::contract
