#pragma once

#include "aclimb/backend/backend.h"

namespace aclimb::tools {

// `backend` with its work in the order that ACLIMB_SCHEDULE asks for; `backend` itself when it asks
// for none, or is wrong (tools/problems.h tells). Once in a process.
const AclimbBackend* WrapSchedule(const AclimbBackend* backend) noexcept;

}  // namespace aclimb::tools
