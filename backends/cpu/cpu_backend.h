#pragma once

#include "aclimb/backend/backend.h"

namespace aclimb {

// The backend that runs on the processor.
const AclimbBackend* CpuBackend();

}  // namespace aclimb
