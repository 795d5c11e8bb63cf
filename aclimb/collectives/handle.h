#pragma once

#include "aclimb/collectives/make.h"
#include "aclimb/core/status.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

// Handles of communicators, as all that a program holds.

// HCCL_E_UNAVAIL when no handle is left.
Result<HcclComm> MakeHandle(CommunicatorRef communicator);
// HCCL_E_PTR for null, HCCL_E_PARA for what is no live communicator, HCCL_E_UNAVAIL for one that
// the parent of a fork goes on with.
Result<CommunicatorRef> Resolve(HcclComm comm);
// Ends the handle; of two racing callers one gets the communicator.
Result<CommunicatorRef> Release(HcclComm comm);

}  // namespace aclimb::collectives
