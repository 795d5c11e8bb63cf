#pragma once

#include <atomic>
#include <cstdint>

#include "acl/acl_rt.h"
#include "aclimb/backend/backend.h"
#include "aclimb/core/status.h"
#include "aclimb/runtime/context.h"

namespace aclimb {

struct StreamOptions {
  uint32_t priority = 0;
  uint32_t flags = 0;
};

// A stream as the program holds it.
struct Stream {
  void* handle = nullptr;
  Context* context = nullptr;
  AclimbQueue* queue = nullptr;
  StreamOptions options;
  int32_t id = 0;
  bool is_default = false;
  std::atomic<bool> failure_mode_set{false};
  std::atomic<uint32_t> overflow_switch{0};
  std::atomic<uint64_t> report_thread{0};  // aclrtSubscribeReport; 0 = nobody
};

inline constexpr uint32_t kLeastPriority = 7;

// The stream of a handle in the current context; null means the context's default stream.
//   errors  107002 no context, 107017 dead handle, 107003 another context's stream
Result<Stream*> ResolveStream(const void* stream);

// Under ProcessMutex(): a new stream of the context.
Result<Stream*> MakeStream(Context& context, StreamOptions options);
// Without the lock, after its handle was released.
void FreeStream(Stream* stream, bool drain);

// Number of the task that the calling thread queued last, for aclrtGetThreadLastTaskId.
void NoteTask(uint32_t task);

}  // namespace aclimb
