#pragma once

#include <cstdint>

namespace aclimb::cpu {

// Bytes of main memory that this process may use: the machine's, or its control group's limit when
// that is lower.
uint64_t UsableMachineMemory();

// Bytes of the last-level-but-one cache of a core; 0 when the system does not tell.
int64_t L2CacheBytes();

}  // namespace aclimb::cpu
