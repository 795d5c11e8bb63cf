#include "aclimb/runtime/exception_info.h"

#include <atomic>

#include "acl/acl_rt.h"
#include "aclimb/core/cancel_guard.h"

// The program sees it through the getters below, inside its callback only.
struct rtExceptionInfo {
  uint32_t task;
  uint32_t stream;
  uint32_t thread;
  uint32_t device;
  uint32_t code;
};

namespace aclimb {
namespace {

std::atomic<aclrtExceptionInfoCallback> exception_callback{nullptr};

constexpr uint32_t kUnknown = 0xFFFFFFFF;

}  // namespace

void TellExceptionCallback(int32_t stream_id, int32_t device_id, const AclimbTaskFailure& failure) {
  const aclrtExceptionInfoCallback callback = exception_callback.load(std::memory_order_acquire);
  if (callback == nullptr) return;
  rtExceptionInfo info = {failure.task_id, static_cast<uint32_t>(stream_id), failure.thread_id,
                          static_cast<uint32_t>(device_id), static_cast<uint32_t>(failure.code)};
  // The call that found the failure is told of that, not of what the program throws.
  const CancelGuard uncancelled;
  try {
    callback(&info);
  } catch (...) {
  }
}

}  // namespace aclimb

extern "C" {

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  aclimb::exception_callback.store(callback, std::memory_order_release);
  return 0;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info != nullptr ? info->task : aclimb::kUnknown;
}
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info != nullptr ? info->stream : aclimb::kUnknown;
}
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info != nullptr ? info->thread : aclimb::kUnknown;
}
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info != nullptr ? info->device : aclimb::kUnknown;
}
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info != nullptr ? info->code : aclimb::kUnknown;
}

}  // extern "C"
