#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "aclimb/core/status.h"
#include "aclimb/runtime/device.h"

namespace aclimb {

struct Stream;

// One context: a device and the streams made in it. Its handle owns it, and so does every call that
// uses it.
struct Context {
  void* handle = nullptr;
  Device* device = nullptr;
  bool primary = false;
  uint64_t group = 0;  // number of this context, for the backend
  std::shared_ptr<Stream> default_stream;
  // Guarded by ProcessMutex(); the default one included. Their handles own them.
  std::vector<Stream*> streams;
  // One of its streams was set to stop on failure, and may be gone.
  std::atomic<bool> has_stop_mode{false};
  // aclrtCtxSetSysParamOpt, one per aclSysParamOpt; kUnset until set.
  static constexpr int kParameters = 4;
  static constexpr int64_t kUnset = INT64_MIN;
  std::atomic<int64_t> parameters[kParameters] = {kUnset, kUnset, kUnset, kUnset};
};

using ContextRef = std::shared_ptr<Context>;

// The calling thread's context, or 107002.
Result<ContextRef> CurrentContext();
// Its handle, which tells contexts apart: for callers that need not use the object.
Result<const void*> CurrentContextHandle();
// The calling thread's context without a message; null when there is none.
ContextRef CurrentContextOrNull();

// aclrtSetDevice: the primary context becomes current and the device's count grows by one.
Status BindDevice(int32_t device);

// A context on its way out: nobody finds it or its streams any more.
struct DetachedContext {
  ContextRef context;
  std::vector<std::shared_ptr<Stream>> streams;
};
// Under ProcessMutex(): an empty one with the memory that DetachContext needs for this context.
// Throws std::bad_alloc.
DetachedContext RoomToDetach(const Context& context);
// Under ProcessMutex(): ends the handles of the context and of its streams, and takes it from its
// device. Cannot fail.
void DetachContext(Context* context, DetachedContext* detached) noexcept;
// Without the lock: ends the streams, and with them the work that they have.
void EndDetachedContext(DetachedContext detached, bool drain);

}  // namespace aclimb
