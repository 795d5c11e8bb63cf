#pragma once

#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/stream.h"

namespace aclimb {

// The copy itself, for calls that have checked the arguments of their own kind.

// Returns when done; unordered with streams.
Status CopyNow(const CopyShape& shape, aclrtMemcpyKind kind);
// In stream order. Waits for pageable host memory when it must; without `may_wait` refuses it.
Status CopyLater(const CopyShape& shape, aclrtMemcpyKind kind, aclrtStream stream, bool may_wait);

}  // namespace aclimb
