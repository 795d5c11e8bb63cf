#include "aclimb/runtime/context.h"

#include <algorithm>

#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/bridge/collectives.h"
#include "aclimb/core/codes.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/handle_table.h"
#include "aclimb/runtime/init.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

// The handle of a context that is being made: ends with it unless the context is complete.
class HandleGuard {
 public:
  explicit HandleGuard(const void* handle) : handle_(handle) {}
  ~HandleGuard() {
    if (handle_ != nullptr) ReleaseShared<Context>(handle_, ACLIMB_HANDLE_CONTEXT);
  }
  HandleGuard(const HandleGuard&) = delete;
  HandleGuard& operator=(const HandleGuard&) = delete;
  void Keep() { handle_ = nullptr; }

 private:
  const void* handle_;
};

// Under ProcessMutex().
Result<ContextRef> MakeContext(Device& device, bool primary) {
  static uint64_t groups = 0;
  ACLIMB_CHECK_OK(OpenDevice(device));
  const auto context = std::make_shared<Context>();
  context->device = &device;
  context->primary = primary;
  context->group = ++groups;
  device.contexts.reserve(device.contexts.size() + 1);
  context->handle = CreateShared(ACLIMB_HANDLE_CONTEXT, context);
  if (context->handle == nullptr) {
    return Refuse(kRtMemoryAllocation, "no handle is left for another context.",
                  "destroy contexts that are not needed", "runtime/handle/exhausted");
  }
  HandleGuard guard(context->handle);
  Result<StreamRef> stream = MakeStream(*context, StreamOptions{});
  if (!stream.ok()) return stream.TakeStatus();
  context->default_stream = stream.value();
  context->default_stream->is_default = true;
  device.contexts.push_back(context.get());
  guard.Keep();
  return context;
}

// Under ProcessMutex().
Result<Context*> PrimaryContext(Device& device) {
  if (device.primary == nullptr) {
    Result<ContextRef> made = MakeContext(device, /*primary=*/true);
    if (!made.ok()) return made.TakeStatus();
    device.primary = made.value().get();
  }
  return device.primary;
}

Status CreateContext(aclrtContext* context, int32_t id) {
  if (context == nullptr) return NullArgument("context");
  ACLIMB_CHECK_OK(CheckUsable());
  Result<Device*> device = FindDevice(id, "deviceId");
  if (!device.ok()) return device.TakeStatus();
  std::lock_guard<std::mutex> lock(ProcessMutex());
  Result<ContextRef> made = MakeContext(*device.value(), /*primary=*/false);
  if (!made.ok()) return made.TakeStatus();
  *context = made.value()->handle;
  ThisThread().context = made.value()->handle;
  return Ok();
}

Status DestroyContext(aclrtContext handle) {
  if (handle == nullptr) return NullArgument("context");
  DetachedContext detached;
  {
    std::lock_guard<std::mutex> lock(ProcessMutex());
    const ContextRef context = ResolveShared<Context>(handle, ACLIMB_HANDLE_CONTEXT);
    if (context == nullptr) return DeadHandle("context", handle, "context");
    if (context->primary) {
      return Refuse(kRtParamInvalid,
                    Cat("context is the primary context of device ", context->device->id,
                        "; expected one that aclrtCreateContext made."),
                    "release it with aclrtResetDevice", "runtime/context/destroy-primary");
    }
    detached = RoomToDetach(*context);
    DetachContext(context.get(), &detached);
  }
  EndDetachedContext(std::move(detached), /*drain=*/true);
  if (ThisThread().context == handle) ThisThread().context = nullptr;
  return Ok();
}

// The handle of the thread's context, live or not.
const void* ThreadContext() {
  const int default_device = DefaultDevice();
  ThreadState& thread = ThisThread();
  if (thread.context == nullptr && default_device >= 0) {
    // The configuration asked for it: the thread's first call binds the device.
    if (!BindDevice(default_device).ok()) return nullptr;
  }
  return thread.context;
}

}  // namespace

ContextRef CurrentContextOrNull() {
  const void* handle = ThreadContext();
  return handle != nullptr ? ResolveShared<Context>(handle, ACLIMB_HANDLE_CONTEXT) : nullptr;
}

Result<const void*> CurrentContextHandle() {
  ACLIMB_CHECK_OK(CheckUsable());
  const void* handle = ThreadContext();
  if (Handles().Resolve(handle, ACLIMB_HANDLE_CONTEXT) == nullptr) return NoContext();
  return handle;
}

Result<ContextRef> CurrentContext() {
  ACLIMB_CHECK_OK(CheckUsable());
  ContextRef context = CurrentContextOrNull();
  if (context == nullptr) return NoContext();
  return context;
}

Status BindDevice(int32_t id) {
  ACLIMB_CHECK_OK(CheckUsable());
  Result<Device*> found = FindDevice(id, "deviceId");
  if (!found.ok()) return found.TakeStatus();
  std::lock_guard<std::mutex> lock(ProcessMutex());
  Result<Context*> primary = PrimaryContext(*found.value());
  if (!primary.ok()) return primary.TakeStatus();
  ++found.value()->set_count;
  ThisThread().context = primary.value()->handle;
  return Ok();
}

DetachedContext RoomToDetach(const Context& context) {
  DetachedContext room;
  room.streams.reserve(context.streams.size());
  return room;
}

void DetachContext(Context* context, DetachedContext* detached) noexcept {
  Device& device = *context->device;
  std::erase(device.contexts, context);
  if (device.primary == context) device.primary = nullptr;
  // The streams first: who finds a live one takes its context for live too.
  for (const Stream* stream : context->streams) {
    detached->streams.push_back(ReleaseShared<Stream>(stream->handle, ACLIMB_HANDLE_STREAM));
  }
  context->streams.clear();
  detached->context = ReleaseShared<Context>(context->handle, ACLIMB_HANDLE_CONTEXT);
}

void EndDetachedContext(DetachedContext detached, bool drain) {
  // Who has the context may be about to use its default stream.
  const bool used = detached.context.use_count() > 1;
  for (StreamRef& stream : detached.streams) {
    const bool is_default = stream->is_default;
    EndStream(std::move(stream), drain, used && is_default);
  }
}

}  // namespace aclimb

extern "C" {

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return aclimb::Enter("aclrtCreateContext",
                       [&] { return aclimb::CreateContext(context, deviceId); });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return aclimb::Enter("aclrtDestroyContext", [&] { return aclimb::DestroyContext(context); });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return aclimb::Enter("aclrtSetCurrentContext", [&]() -> aclimb::Status {
    if (context == nullptr) return aclimb::NullArgument("context");
    if (aclimb_handle_resolve(context, ACLIMB_HANDLE_CONTEXT) == nullptr) {
      return aclimb::DeadHandle("context", context, "context");
    }
    aclimb::ThisThread().context = context;
    return aclimb::Ok();
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return aclimb::Enter("aclrtGetCurrentContext", [&]() -> aclimb::Status {
    if (context == nullptr) return aclimb::NullArgument("context");
    aclimb::Result<aclimb::ContextRef> current = aclimb::CurrentContext();
    if (!current.ok()) return current.TakeStatus();
    *context = current.value()->handle;
    return aclimb::Ok();
  });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return aclimb::Enter("aclrtCtxGetCurrentDefaultStream", [&]() -> aclimb::Status {
    if (stream == nullptr) return aclimb::NullArgument("stream");
    aclimb::Result<aclimb::ContextRef> current = aclimb::CurrentContext();
    if (!current.ok()) return current.TakeStatus();
    *stream = current.value()->default_stream->handle;
    return aclimb::Ok();
  });
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return aclimb::Enter("aclrtGetPrimaryCtxState", [&]() -> aclimb::Status {
    if (active == nullptr) return aclimb::NullArgument("active");
    aclimb::Result<aclimb::Device*> device = aclimb::FindDevice(deviceId, "deviceId");
    if (!device.ok()) return device.TakeStatus();
    std::lock_guard<std::mutex> lock(aclimb::ProcessMutex());
    *active = device.value()->primary != nullptr ? 1 : 0;
    if (flags != nullptr) *flags = 0;
    return aclimb::Ok();
  });
}

void* aclimb_current_context(void) {
  try {
    const aclimb::Result<const void*> current = aclimb::CurrentContextHandle();
    return current.ok() ? const_cast<void*>(current.value()) : nullptr;
  } catch (...) {
    return nullptr;
  }
}

int aclimb_make_context_current(void* context) {
  try {
    if (context != nullptr && aclimb_handle_resolve(context, ACLIMB_HANDLE_CONTEXT) == nullptr) {
      return 1;
    }
    aclimb::ThisThread().context = context;
    return 0;
  } catch (...) {
    return 1;
  }
}

}  // extern "C"
