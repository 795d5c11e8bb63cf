#include "aclimb/runtime/refusals.h"

#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/device.h"

namespace aclimb {

Status NullArgument(std::string_view name) {
  return Refuse(kInvalidParam, Cat(name, " is null; expected an address."),
                Cat("pass the address that ", name, " stands for"), Cat("runtime/null/", name));
}

Status ZeroSize(std::string_view name) {
  return Refuse(kInvalidParam, Cat(name, " is 0; expected at least 1."),
                "leave the call out when there is nothing to do", Cat("runtime/zero-size/", name));
}

Status BadValue(std::string_view name, int64_t value, std::string_view expected,
                std::string_view rule) {
  return Refuse(kRtParamInvalid, Cat(name, " is ", value, "; expected ", expected, "."),
                Cat("pass ", expected), Cat("runtime/", rule));
}

Status DeadHandle(std::string_view name, const void* handle, std::string_view kind) {
  return Refuse(kRtInvalidHandle,
                Cat(name, " is ", AddressText(handle), ", which is no live ", kind, " (",
                    aclimb_handle_state_text(handle), "); expected a ", kind,
                    " that was created and not destroyed."),
                aclimb_handle_fix_text(handle, "destroy it after its last use"),
                Cat("runtime/handle/", kind));
}

Status NoSuchDevice(std::string_view name, int64_t device, int64_t count) {
  return Refuse(kRtInvalidDevice,
                count == 0
                    ? Cat(name, " is ", device, " but no device is visible; expected one.")
                    : Cat(name, " is ", device, "; expected ",
                          count == 1 ? std::string("0, the one device of this process")
                                     : Cat("0 to ", count - 1, ", the devices of this process"),
                          "."),
                "ask aclrtGetDeviceCount (ACLIMB_DEVICES and ASCEND_RT_VISIBLE_DEVICES set it)",
                "runtime/device/range");
}

Status NoContext() {
  return Refuse(kRtContextNull,
                "the calling thread has no current context; expected a device or a context to be "
                "set in this very thread.",
                "call aclrtSetDevice or aclrtSetCurrentContext in this thread first",
                "runtime/context/none");
}

Status ForeignStream(std::string_view name, const void* stream, const void* current_context) {
  return Refuse(kRtStreamContext,
                Cat(name, " is ", AddressText(stream),
                    ", which belongs to another context than the current one (",
                    AddressText(current_context), "); expected a stream of the current context."),
                "call aclrtSetCurrentContext with the context in which the stream was created",
                "runtime/stream/context");
}

SystemRefusal TakeSystemRefusal() noexcept {
  AclimbRefusal refused = {};
  if (Backend().take_refusal(&refused) == 0) return {};
  return refused.resource == ACLIMB_REFUSED_THREAD
             ? RefusedThread(refused.whose, refused.error)
             : RefusedMemory(refused.whose, refused.call, refused.bytes, refused.error);
}

Status CannotQueue(int code, std::string_view what, std::string rule) {
  const SystemRefusal refusal = TakeSystemRefusal();
  if (!refusal) {
    return Refuse(code, Cat("the ", what, " cannot be queued."), "look at the backend's log",
                  std::move(rule));
  }
  return Refuse(code, Cat("the ", what, " cannot be queued: ", refusal.what), refusal.fix,
                std::move(rule));
}

Status LostStream(std::string_view name, const void* stream) {
  return Refuse(kRtStreamAbort,
                Cat(name, " is ", AddressText(stream),
                    ", which had unfinished work when this process was forked off; that work is "
                    "the parent's. Expected a stream that was idle at the fork."),
                "synchronize the stream before the fork; or, in the child, create a new stream, or "
                "clear this one with aclrtStreamAbort",
                "runtime/fork/stream");
}

Status LostEvent(std::string_view name, const void* event) {
  return Refuse(kRtStreamAbort,
                Cat(name, " is ", AddressText(event),
                    ", which was recorded behind work that was unfinished when this process was "
                    "forked off; that work is the parent's. Expected an event that was complete at "
                    "the fork."),
                "synchronize the event before the fork, or record it again in the child, on a "
                "stream that works there",
                "runtime/fork/event");
}

Status LostCallbacks() {
  return Refuse(kRtStreamAbort,
                "callbacks were due when this process was forked off; they are the parent's. "
                "Expected none to be due at the fork.",
                "process all callbacks before the fork, or launch them again in the child",
                "runtime/fork/callback");
}

Status NotSupported(std::string what, std::string fix, std::string rule) {
  return Refuse(kRtFeatureNotSupport, std::move(what), std::move(fix), std::move(rule));
}

}  // namespace aclimb
