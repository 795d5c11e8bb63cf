#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "acl/acl_rt.h"
#include "aclimb/backend/backend.h"
#include "aclimb/core/status.h"
#include "aclimb/runtime/context.h"

namespace aclimb {

struct StreamOptions {
  uint32_t priority = 0;
  uint32_t flags = 0;
};

struct Capture;

// A stream as the program holds it. Its handle owns it, and so does every call that uses it: when
// one thread destroys a stream under another, the queue goes with the last of them.
struct Stream {
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  void* handle = nullptr;
  Device* device = nullptr;
  const void* context = nullptr;  // handle; it may be gone
  AclimbQueue* queue = nullptr;
  StreamOptions options;
  int32_t id = 0;
  bool is_default = false;
  std::atomic<bool> drain{false};                           // at its end: wait for what is queued
  static constexpr uint64_t kNoFailureMode = ~uint64_t{0};  // it was not set yet
  std::atomic<uint64_t> failure_mode{kNoFailureMode};
  std::atomic<uint32_t> overflow_switch{0};
  std::atomic<uint32_t> user_tag{0};       // the program's own
  std::atomic<uint32_t> cache_switch{0};   // what is captured keeps its description anyway
  std::atomic<uint64_t> report_thread{0};  // aclrtSubscribeReport; 0 = nobody
  std::atomic<int> loss_told{0};           // the fork of whose loss a device's wait has told
  std::atomic<Capture*> capture{nullptr};  // what it records instead of running it (capture.h)
};

using StreamRef = std::shared_ptr<Stream>;

inline constexpr uint32_t kLeastPriority = 7;

// The stream of a handle in the current context; null means the context's default stream.
//   errors  107002 no context, 107017 dead handle, 107003 another context's stream
//           107023 what it had to do stayed behind in the parent of a fork
//           107030 it records work; who queues work that can be recorded asks capture.h
Result<StreamRef> ResolveStream(const void* stream);
// As ResolveStream, but for the last two errors: for what ends the stream, or reads what it is.
Result<StreamRef> FindStream(const void* stream);
// Whether ResolveStream has the error 107023 for the stream.
bool IsLost(const Stream& stream);

// Under ProcessMutex(): a new stream of the context.
Result<StreamRef> MakeStream(Context& context, StreamOptions options);
// Without the lock, after its handle was released. With `drain` waits for the queued work, else
// drops it; other calls that still use the stream return soon. `used` says that there may be some
// which the references to the stream do not show.
void EndStream(StreamRef stream, bool drain, bool used);

// Number of the task that the calling thread queued last, for aclrtGetThreadLastTaskId.
void NoteTask(uint32_t task);

}  // namespace aclimb
