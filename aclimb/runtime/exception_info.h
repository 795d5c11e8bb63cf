#pragma once

#include "aclimb/backend/backend.h"
#include "aclimb/runtime/stream.h"

namespace aclimb {

// Calls the function that aclrtSetExceptionInfoCallback set, if any, on the calling thread.
void TellExceptionCallback(const Stream& stream, const AclimbTaskFailure& failure);

}  // namespace aclimb
