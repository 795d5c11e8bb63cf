#pragma once

namespace aclimb {

// Processor cores in the process's affinity mask, at least 1. The mask of its first thread counts:
// callers may be pinned to a part of it.
int CoreCount();

}  // namespace aclimb
