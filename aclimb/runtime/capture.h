#pragma once

#include <functional>
#include <span>

#include "acl/acl_mdl.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/status.h"
#include "aclimb/runtime/stream.h"

// Work that a stream records instead of running it, and that runs later as often as the program
// likes. One stream at a time records into a graph; what goes by events and callbacks is not
// recorded.
namespace aclimb {

// The stream of a handle for work that can be recorded. Every other call resolves it by
// ResolveStream, which refuses one that records (107030).
Result<StreamRef> ResolveStreamForWork(const void* stream);

// Records the task when the stream does so: the graph has its payload then, and releases it at its
// end. False when the stream records nothing; throws without memory, when nothing has happened.
bool CaptureTask(Stream& stream, const AclimbTask& task);
// CaptureTask for a call that queues work: `again` queues it on the stream that a run has.
bool CaptureCall(Stream& stream, std::function<Status(aclrtStream)> again);

// Allocations that the work of the stream needs go to the graph. False when the stream records
// nothing.
bool CaptureMemory(Stream& stream, std::span<void* const> addresses);

// 107030 where a capture forbids the calling thread what is not ordered by streams.
//   what  "aclrtMemcpy copies at once"
Status CheckUncaptured(const char* what);

// At the end of a stream: what it recorded is dropped.
void DropCapture(Stream& stream);

}  // namespace aclimb
