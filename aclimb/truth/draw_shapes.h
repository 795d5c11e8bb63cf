#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/truth/call.h"
#include "aclimb/truth/draw.h"

namespace aclimb::truth {

// Small shapes with extents of 0 and 1 among them.
std::vector<int64_t> DrawShape(Draw& draw, int least_rank, int most_rank);
// An extent of theirs.
int64_t DrawExtent(Draw& draw);

// A shape for each tensor, or list of them, that is `present`, and the numbers of each int array
// that is one, by their patterns and by the rules about shapes. Empty for all others. The integers
// and int arrays that patterns name are in the call.
std::vector<std::vector<int64_t>> DrawShapes(Draw& draw, const Call& call,
                                             const std::vector<bool>& present);

}  // namespace aclimb::truth
