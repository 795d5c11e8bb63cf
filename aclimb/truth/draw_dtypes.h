#pragma once

#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/dtype.h"
#include "aclimb/truth/draw.h"

namespace aclimb::truth {

// One of the dtypes of the mask; FLOAT of an empty one.
DType DrawDType(Draw& draw, contract::DTypeMask mask);

// A dtype for each tensor and scalar that is `present`, by what its parameter accepts and by the
// rules about dtypes. kUndefined for all others.
std::vector<DType> DrawDTypes(Draw& draw, const contract::Contract& contract,
                              const std::vector<bool>& present);

}  // namespace aclimb::truth
