#pragma once

#include <cstdint>

namespace aclimb {

// aclrtSetOpWaitTimeout in milliseconds; 0 = a stream may wait for an event for ever.
uint64_t EventWaitTimeoutMs();

// ACL_OPT_DETERMINISTIC of the process.
void SetProcessDeterministic(int64_t value);

}  // namespace aclimb
