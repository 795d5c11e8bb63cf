#pragma once

#include <cstdint>

#include "aclimb/core/status.h"

namespace aclimb::tools {

// ACLIMB_RECORD_LIMIT: the most bytes that the file of a tensor may have, 64 MiB when it is not
// set; what is wrong with it otherwise.
Result<uint64_t> ReadRecordLimit();
inline constexpr uint64_t kDefaultRecordLimit = uint64_t{64} << 20;

}  // namespace aclimb::tools
