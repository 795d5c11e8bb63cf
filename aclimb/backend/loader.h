#pragma once

#include <string_view>

#include "aclimb/backend/backend.h"
#include "aclimb/core/status.h"

namespace aclimb {

// Whether a backend of that name is built in or installed.
bool HasBackend(std::string_view name);

// The backend of that name: the built-in one, or lib64/aclimb/libaclimb_<name>.so beside our own
// library. A plug-in stays loaded for the life of the process.
//   errors  207000 no such plug-in, 500000 a plug-in of another interface version or without an
//           entry that is required
Result<const AclimbBackend*> LoadBackend(std::string_view name);

}  // namespace aclimb
