#pragma once

#include <cstdint>

#include "aclimb/backend/backend.h"

namespace aclimb {

// Calls the function that aclrtSetExceptionInfoCallback set, if any, on the calling thread. Nothing
// that it throws gets out.
void TellExceptionCallback(int32_t stream_id, int32_t device_id, const AclimbTaskFailure& failure);

}  // namespace aclimb
