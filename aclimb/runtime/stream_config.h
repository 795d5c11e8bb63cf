#pragma once

#include "acl/acl_rt.h"
#include "aclimb/core/status.h"

namespace aclimb {

// Programs hold a stream configuration by its real address, because its fields are public.
//   errors  107017 not made by aclrtCreateStreamConfigHandle, or destroyed
Status CheckStreamConfig(const aclrtStreamConfigHandle* handle);

}  // namespace aclimb
