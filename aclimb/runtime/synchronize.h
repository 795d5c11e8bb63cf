#pragma once

#include <cstdint>

#include "aclimb/core/status.h"
#include "aclimb/runtime/stream.h"

namespace aclimb {

// 107000 unless the timeout is -1 (for ever) or positive.
Status CheckTimeout(int32_t timeout);

// Waits for the stream's work; the refusal of a failed task names it. The thread may be cancelled
// meanwhile, here and below, unless the caller has a CancelGuard.
Status SynchronizeStream(Stream& stream, int64_t timeout_ms);
// Waits for every stream of the current device, and returns the first error; those of further
// streams stay with them. That a stream's work stayed behind in the parent of a fork is returned
// once.
Status SynchronizeCurrentDevice(int64_t timeout_ms);
Status SynchronizeDevice(Device& device, int64_t timeout_ms);

// The refusal for a code that a synchronising call got from the stream's queue. Tells the program's
// exception callback about every failed task that it has not heard of.
Status TaskError(Stream& stream, int code);
// The refusal (507046) for a stream whose work outlasted a wait of so many milliseconds.
Status StreamTimeout(int32_t stream_id, int64_t timeout_ms);

// With ASCEND_LAUNCH_BLOCKING: waits for what was just queued and returns its error.
Status FinishLaunch(Stream& stream);

}  // namespace aclimb
