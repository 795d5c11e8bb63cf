#pragma once

#include "aclimb/core/product.h"
#include "aclimb/truth/call.h"

namespace aclimb::truth {

// Whether the contract accepts the call on this chip.
//   extensions  whether reserved values are allowed
bool Obeys(const Call& call, Product product, bool extensions);

}  // namespace aclimb::truth
