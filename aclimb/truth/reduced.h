#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aclimb/contract/reduced.h"
#include "aclimb/truth/call.h"

namespace aclimb::truth {

// The dimensions that a rule of kind Reduces reduces; nothing when the input has not all of them.
std::optional<contract::DimensionSet> ReducedDimensions(const Call& call,
                                                        const contract::Rule& rule);
// What the rule asks of the output's shape.
std::optional<std::vector<int64_t>> ReducedShapeOf(const Call& call, const contract::Rule& rule);

// The elements of the tensor that come together, for each result in row-major order, as they follow
// each other along the dimensions of the set.
std::vector<std::vector<double>> Groups(const Call& call, int tensor,
                                        contract::DimensionSet reduced);
// Groups of a tensor of integers or BOOL, exactly.
std::vector<std::vector<int64_t>> IntegerGroups(const Call& call, int tensor,
                                                contract::DimensionSet reduced);

}  // namespace aclimb::truth
