#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "aclimb/core/status.h"
#include "aclimb/runtime/device.h"

namespace aclimb {

struct Stream;

// One context: a device and the streams made in it.
struct Context {
  void* handle = nullptr;
  Device* device = nullptr;
  bool primary = false;
  uint64_t group = 0;  // number of this context, for the backend
  Stream* default_stream = nullptr;
  std::vector<Stream*> streams;  // guarded by ProcessMutex(); the default one included
  // aclrtCtxSetSysParamOpt, one per aclSysParamOpt; kUnset until set.
  static constexpr int kParameters = 4;
  static constexpr int64_t kUnset = INT64_MIN;
  std::atomic<int64_t> parameters[kParameters] = {kUnset, kUnset, kUnset, kUnset};
};

// The calling thread's context, or 107002.
Result<Context*> CurrentContext();
// The same without a message; null when there is none.
Context* CurrentContextOrNull();

// aclrtSetDevice: the primary context becomes current and the device's count grows by one.
Status BindDevice(int32_t device);

// Under ProcessMutex(): ends the handles of the context and of its streams, so that nobody finds
// them any more, and takes it from its device.
void DetachContext(Context* context);
// Without the lock: destroys the streams and the context.
void DestroyDetachedContext(Context* context, bool drain);

}  // namespace aclimb
