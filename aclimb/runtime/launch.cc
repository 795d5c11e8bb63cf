#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"

namespace {

// The caller words the refusal itself; it gets the code and one static sentence.
const char* ReasonOf(int code) {
  switch (code) {
    case aclimb::kRtContextNull:
      return "the calling thread has no current context";
    case aclimb::kRtInvalidHandle:
      return "the stream is no live stream";
    case aclimb::kRtStreamContext:
      return "the stream belongs to another context";
    case aclimb::kUninitialized:
      return "aclInit was not called (ACLIMB_STRICT=1)";
    case aclimb::kRtMemoryAllocation:
      return "host memory is exhausted";
    default:
      return "the task failed";
  }
}

// Gives the payload back unless somebody took it over, also when an exception passes.
struct Payload {
  const AclimbTask* task;
  ~Payload() {
    if (task != nullptr && task->release != nullptr) task->release(task->payload);
  }
};

int Launch(void* handle, const AclimbTask* task) {
  Payload payload{task};
  aclimb::Result<aclimb::Stream*> stream = aclimb::ResolveStream(handle);
  if (!stream.ok()) return stream.status().code();
  uint32_t id = 0;
  payload.task = nullptr;  // the queue's from here, whatever the result
  const int code = aclimb::Backend().queue_submit(stream.value()->queue, task, &id);
  if (code != 0) return code;
  aclimb::NoteTask(id);
  return aclimb::FinishLaunch(*stream.value()).code();
}

}  // namespace

extern "C" {

int aclimb_launch(void* stream, const AclimbTask* task, const char** reason) {
  int code;
  try {
    code = Launch(stream, task);
  } catch (...) {
    code = aclimb::kRtMemoryAllocation;
  }
  if (code != 0 && reason != nullptr) *reason = ReasonOf(code);
  return code;
}

int aclimb_cancelled() {
  aclimb::Result<const AclimbBackend*> backend = aclimb::LoadedBackend();
  return backend.ok() ? backend.value()->cancelled() : 0;
}

}  // extern "C"
