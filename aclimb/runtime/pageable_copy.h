#pragma once

#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/stream.h"

namespace aclimb {

// Copies in stream order of host memory that the program did not page-lock: it may change or free
// it as soon as the call returns.

// Sources up to this size are copied aside, so that the call need not wait for the stream.
inline constexpr uint64_t kStagedBytes = uint64_t{1} << 20;

// Takes the source over and returns.
Status QueueStagedCopy(Stream& stream, const CopyShape& shape);

// Returns when the copy is done, or when it is certain that it never will be: nobody touches the
// memory afterwards. Errors of earlier work stay with the stream.
//   errors  107023 the stream was aborted or destroyed meanwhile, or waits for work that was;
//           the failed task's code when the context stopped on a failure
Status CopyInStreamOrder(Stream& stream, const CopyShape& shape);

}  // namespace aclimb
