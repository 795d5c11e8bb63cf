#pragma once

#include "aclimb/core/status.h"

namespace aclimb {

// Whether runtime calls are allowed now.
//   errors  100000 the environment is wrong, 100001 before aclInit with ACLIMB_STRICT=1
Status CheckUsable();

// defaultDevice.default_device of the configuration; -1 when there is none.
int DefaultDevice();

}  // namespace aclimb
