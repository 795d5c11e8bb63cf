#include <string_view>

#include "acl/acl_rt.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/handle_table.h"
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

//   name  of the argument
Status SetFailureMode(aclrtStream handle, std::string_view name, uint64_t mode) {
  if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE) {
    return Refuse(kRtParamInvalid,
                  Cat(name, " is ", mode,
                      "; expected ACL_CONTINUE_ON_FAILURE or "
                      "ACL_STOP_ON_FAILURE."),
                  "pass 0 or 1", "runtime/stream/failure-mode");
  }
  Result<StreamRef> stream = ResolveStream(handle);
  if (!stream.ok()) return stream.TakeStatus();
  uint64_t before = Stream::kNoFailureMode;
  if (!stream.value()->failure_mode.compare_exchange_strong(before, mode)) {
    // A program may give back what it has read.
    if (before == mode) return Ok();
    return Refuse(kRtParamInvalid,
                  Cat(name, " is ", mode, " but the failure mode of stream was set to ", before,
                      " before; expected ", before, ", since it is set once for a stream."),
                  "create another stream", "runtime/stream/failure-mode-again");
  }
  if (mode != ACL_STOP_ON_FAILURE) return Ok();
  if (const ContextRef context =
          ResolveShared<Context>(stream.value()->context, ACLIMB_HANDLE_CONTEXT)) {
    context->has_stop_mode.store(true, std::memory_order_relaxed);
  }
  Backend().queue_stop_on_failure(stream.value()->queue);
  return Ok();
}

Status SetOverflowSwitch(aclrtStream handle, std::string_view name, uint32_t flag) {
  if (flag > 1) return BadValue(name, flag, "0 or 1", "stream/overflow-switch");
  Result<StreamRef> stream = ResolveStream(handle);
  if (!stream.ok()) return stream.TakeStatus();
  stream.value()->overflow_switch.store(flag, std::memory_order_relaxed);
  return Ok();
}

Status NoAttribute(aclrtStreamAttr attribute) {
  return BadValue("stmAttrType", attribute, "an aclrtStreamAttr", "stream/attribute");
}

Status SetAttribute(aclrtStream handle, aclrtStreamAttr attribute,
                    const aclrtStreamAttrValue* value) {
  if (value == nullptr) return NullArgument("value");
  switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
      return SetFailureMode(handle, "failureMode", value->failureMode);
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
      return SetOverflowSwitch(handle, "overflowSwitch", value->overflowSwitch);
    case ACL_STREAM_ATTR_PRIORITY:
      return NotSupported(
          "stmAttrType is ACL_STREAM_ATTR_PRIORITY; expected another attribute, "
          "since a stream keeps the priority that it was created with.",
          "give the priority to aclrtCreateStreamWithConfig", "runtime/stream/priority-set");
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
      break;
    default:
      return NoAttribute(attribute);
  }
  const bool tag = attribute == ACL_STREAM_ATTR_USER_CUSTOM_TAG;
  if (!tag && value->cacheOpInfoSwitch > 1) {
    return BadValue("cacheOpInfoSwitch", value->cacheOpInfoSwitch, "0 or 1", "stream/cache-switch");
  }
  // A stream that records work may have them too: they change nothing that is recorded.
  Result<StreamRef> stream = FindStream(handle);
  if (!stream.ok()) return stream.TakeStatus();
  (tag ? stream.value()->user_tag : stream.value()->cache_switch)
      .store(tag ? value->userCustomTag : value->cacheOpInfoSwitch, std::memory_order_relaxed);
  return Ok();
}

Status GetAttribute(aclrtStream handle, aclrtStreamAttr attribute, aclrtStreamAttrValue* value) {
  if (value == nullptr) return NullArgument("value");
  Result<StreamRef> found = FindStream(handle);
  if (!found.ok()) return found.TakeStatus();
  const Stream& stream = *found.value();
  aclrtStreamAttrValue read = {};
  switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
      read.failureMode = stream.failure_mode.load() == ACL_STOP_ON_FAILURE
                             ? ACL_STOP_ON_FAILURE
                             : ACL_CONTINUE_ON_FAILURE;
      break;
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
      read.overflowSwitch = stream.overflow_switch.load(std::memory_order_relaxed);
      break;
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
      read.userCustomTag = stream.user_tag.load(std::memory_order_relaxed);
      break;
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
      read.cacheOpInfoSwitch = stream.cache_switch.load(std::memory_order_relaxed);
      break;
    case ACL_STREAM_ATTR_PRIORITY:
      read.streamPriority = stream.options.priority;
      break;
    default:
      return NoAttribute(attribute);
  }
  *value = read;
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
                       [&] { return aclimb::SetFailureMode(stream, "mode", mode); });
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return aclimb::Enter("aclrtSetStreamOverflowSwitch",
                       [&] { return aclimb::SetOverflowSwitch(stream, "flag", flag); });
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return aclimb::Enter("aclrtGetStreamOverflowSwitch", [&] {
    return aclimb::GetProperty(stream, "flag", flag, [](const aclimb::Stream& s) {
      return s.overflow_switch.load(std::memory_order_relaxed);
    });
  });
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  return aclimb::Enter("aclrtSetStreamAttribute",
                       [&] { return aclimb::SetAttribute(stream, stmAttrType, value); });
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  return aclimb::Enter("aclrtGetStreamAttribute",
                       [&] { return aclimb::GetAttribute(stream, stmAttrType, value); });
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
