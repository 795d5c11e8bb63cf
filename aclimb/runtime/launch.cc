#include <new>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/capture.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace {

constexpr AclimbReason kNoMemory = {
    "host memory is exhausted; expected some for the task of the call.", "free host memory"};
constexpr AclimbReason kNotTaken = {"the task cannot be queued; expected the backend to take it.",
                                    "look at the backend's log"};

// Gives the payload back unless somebody took it over, also when an exception passes.
struct Payload {
  const AclimbTask* task;
  ~Payload() {
    if (task != nullptr && task->release != nullptr) task->release(task->payload);
  }
};

// The code; `reason` gets what the system refused, where it was the system.
int RefusedBySystem(int code, AclimbReason* reason) noexcept {
  // A call that finds no memory for this keeps the reason that it has.
  try {
    const aclimb::SystemRefusal refusal = aclimb::TakeSystemRefusal();
    if (!refusal) return code;
    aclimb::Status& kept = aclimb::ThisThread().launch_refusal;
    kept = aclimb::Refuse(code, refusal.what, refusal.fix, "");
    *reason = {kept.refusal().what.c_str(), kept.refusal().fix.c_str()};
  } catch (...) {
  }
  return code;
}

// The code; `reason` gets the texts of a refusal, which the thread keeps.
int Launch(void* handle, const AclimbTask* task, AclimbReason* reason) {
  Payload payload{task};
  const auto refused = [&](aclimb::Status status) {
    aclimb::Status& kept = aclimb::ThisThread().launch_refusal;
    kept = std::move(status);
    *reason = {kept.refusal().what.c_str(), kept.refusal().fix.c_str()};
    return kept.code();
  };
  aclimb::Result<aclimb::StreamRef> stream = aclimb::ResolveStreamForWork(handle);
  if (!stream.ok()) return refused(stream.TakeStatus());
  if (aclimb::CaptureTask(*stream.value(), *task)) {
    payload.task = nullptr;
    return 0;
  }
  uint32_t id = 0;
  payload.task = nullptr;  // the queue's from here, whatever the result
  const int code = aclimb::Backend().queue_submit(stream.value()->queue, task, &id);
  if (code != 0) {
    *reason = code == aclimb::kRtMemoryAllocation ? kNoMemory : kNotTaken;
    return RefusedBySystem(code, reason);
  }
  aclimb::NoteTask(id);
  aclimb::Status finished = aclimb::FinishLaunch(*stream.value());
  return finished.ok() ? 0 : refused(std::move(finished));
}

}  // namespace

extern "C" {

int aclimb_launch(void* stream, const AclimbTask* task, AclimbReason* reason) {
  AclimbReason unused;
  if (reason == nullptr) reason = &unused;
  try {
    return Launch(stream, task, reason);
  } catch (const std::bad_alloc&) {
    *reason = kNoMemory;
    return aclimb::kRtMemoryAllocation;
  } catch (...) {
    *reason = kNotTaken;
    return aclimb::kInternalError;
  }
}

int aclimb_cancelled() {
  aclimb::Result<const AclimbBackend*> backend = aclimb::LoadedBackend();
  return backend.ok() ? backend.value()->cancelled() : 0;
}

void aclimb_explain(const char* text) {
  aclimb::Result<const AclimbBackend*> backend = aclimb::LoadedBackend();
  if (backend.ok()) backend.value()->explain(text);
}

}  // extern "C"
