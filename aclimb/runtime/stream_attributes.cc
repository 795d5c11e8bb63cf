#include "acl/acl_rt.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

// Copies one property of a stream into the program's variable.
template <typename T, typename Get>
Status GetProperty(aclrtStream handle, const char* argument, T* out, Get&& get) {
  if (out == nullptr) return NullArgument(argument);
  Result<StreamRef> stream = FindStream(handle);
  if (!stream.ok()) return stream.TakeStatus();
  *out = get(*stream.value());
  return Ok();
}

Status SetFailureMode(aclrtStream handle, uint64_t mode) {
  if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE) {
    return Refuse(kRtParamInvalid,
                  Cat("mode is ", mode,
                      "; expected ACL_CONTINUE_ON_FAILURE or "
                      "ACL_STOP_ON_FAILURE."),
                  "pass 0 or 1", "runtime/stream/failure-mode");
  }
  Result<StreamRef> stream = ResolveStream(handle);
  if (!stream.ok()) return stream.TakeStatus();
  if (stream.value()->failure_mode_set.exchange(true, std::memory_order_relaxed)) {
    return Refuse(kRtParamInvalid,
                  "the failure mode of stream was set before; expected one call for a stream.",
                  "create another stream", "runtime/stream/failure-mode-again");
  }
  if (mode == ACL_STOP_ON_FAILURE) Backend().queue_stop_on_failure(stream.value()->queue);
  return Ok();
}

// Kernels of the processor compute with infinities: nothing overflows into a status.
constexpr size_t kOverflowStatusBytes = 64;

Status GetOverflowStatus(void* address, size_t size, aclrtStream handle) {
  if (address == nullptr) return NullArgument("outputAddr");
  if (size < kOverflowStatusBytes) {
    return BadValue("outputSize", static_cast<int64_t>(size), "at least 64",
                    "stream/overflow-size");
  }
  Result<StreamRef> stream = ResolveStream(handle);
  if (!stream.ok()) return stream.TakeStatus();
  ACLIMB_CHECK_OK(CheckDevice("outputAddr", address, kOverflowStatusBytes));
  uint32_t id = 0;
  const int code =
      Backend().queue_fill(stream.value()->queue, address, 0, 1, kOverflowStatusBytes, &id);
  NoteTask(id);
  if (code != 0) return CannotQueue(code, "status", "runtime/stream/overflow-queue");
  return FinishLaunch(*stream.value());
}

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return aclimb::Enter("aclrtStreamGetId", [&] {
    return aclimb::GetProperty(stream, "streamId", streamId,
                               [](const aclimb::Stream& s) { return s.id; });
  });
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return aclimb::Enter("aclrtStreamGetPriority", [&] {
    return aclimb::GetProperty(stream, "priority", priority,
                               [](const aclimb::Stream& s) { return s.options.priority; });
  });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return aclimb::Enter("aclrtStreamGetFlags", [&] {
    return aclimb::GetProperty(stream, "flags", flags,
                               [](const aclimb::Stream& s) { return s.options.flags; });
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return aclimb::Enter("aclrtDeviceGetStreamPriorityRange", [&]() -> aclimb::Status {
    if (leastPriority == nullptr) return aclimb::NullArgument("leastPriority");
    if (greatestPriority == nullptr) return aclimb::NullArgument("greatestPriority");
    *leastPriority = static_cast<int32_t>(aclimb::kLeastPriority);
    *greatestPriority = 0;
    return aclimb::Ok();
  });
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return aclimb::Enter("aclrtSetStreamFailureMode",
                       [&] { return aclimb::SetFailureMode(stream, mode); });
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return aclimb::Enter("aclrtSetStreamOverflowSwitch", [&]() -> aclimb::Status {
    if (flag > 1) return aclimb::BadValue("flag", flag, "0 or 1", "stream/overflow-switch");
    aclimb::Result<aclimb::StreamRef> found = aclimb::ResolveStream(stream);
    if (!found.ok()) return found.TakeStatus();
    found.value()->overflow_switch.store(flag, std::memory_order_relaxed);
    return aclimb::Ok();
  });
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return aclimb::Enter("aclrtGetStreamOverflowSwitch", [&] {
    return aclimb::GetProperty(stream, "flag", flag, [](const aclimb::Stream& s) {
      return s.overflow_switch.load(std::memory_order_relaxed);
    });
  });
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
  return aclimb::Enter("aclrtGetOverflowStatus",
                       [&] { return aclimb::GetOverflowStatus(outputAddr, outputSize, stream); });
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return aclimb::Enter("aclrtResetOverflowStatus", [&]() -> aclimb::Status {
    aclimb::Result<aclimb::StreamRef> found = aclimb::ResolveStream(stream);
    return found.ok() ? aclimb::Ok() : found.TakeStatus();
  });
}

aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  return aclimb::Enter("aclrtGetThreadLastTaskId", [&]() -> aclimb::Status {
    if (taskId == nullptr) return aclimb::NullArgument("taskId");
    *taskId = aclimb::ThisThread().last_task;
    return aclimb::Ok();
  });
}

}  // extern "C"
