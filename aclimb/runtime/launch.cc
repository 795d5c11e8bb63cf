#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace {

// The caller words its own refusal: it gets what was found, not what would have been expected.
std::string Finding(const aclimb::Status& status) {
  const std::string& what = status.refusal().what;
  return what.substr(0, what.find("; expected"));
}

// Gives the payload back unless somebody took it over, also when an exception passes.
struct Payload {
  const AclimbTask* task;
  ~Payload() {
    if (task != nullptr && task->release != nullptr) task->release(task->payload);
  }
};

// The code; `reason` gets the text of a refusal, which the thread keeps.
int Launch(void* handle, const AclimbTask* task, const char** reason) {
  Payload payload{task};
  std::string& kept = aclimb::ThisThread().launch_reason;
  const auto refused = [&](int code, std::string text) {
    kept = std::move(text);
    *reason = kept.c_str();
    return code;
  };
  aclimb::Result<aclimb::StreamRef> stream = aclimb::ResolveStream(handle);
  if (!stream.ok()) return refused(stream.status().code(), Finding(stream.status()));
  uint32_t id = 0;
  payload.task = nullptr;  // the queue's from here, whatever the result
  const int code = aclimb::Backend().queue_submit(stream.value()->queue, task, &id);
  if (code != 0) {
    return refused(code, code == aclimb::kRtMemoryAllocation ? "host memory is exhausted"
                                                             : "the task cannot be queued");
  }
  aclimb::NoteTask(id);
  const aclimb::Status finished = aclimb::FinishLaunch(*stream.value());
  return finished.ok() ? 0 : refused(finished.code(), Finding(finished));
}

}  // namespace

extern "C" {

int aclimb_launch(void* stream, const AclimbTask* task, const char** reason) {
  const char* unused = nullptr;
  if (reason == nullptr) reason = &unused;
  try {
    return Launch(stream, task, reason);
  } catch (...) {
    *reason = "host memory is exhausted";
    return aclimb::kRtMemoryAllocation;
  }
}

int aclimb_cancelled() {
  aclimb::Result<const AclimbBackend*> backend = aclimb::LoadedBackend();
  return backend.ok() ? backend.value()->cancelled() : 0;
}

}  // extern "C"
