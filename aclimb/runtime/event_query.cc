#include "acl/acl_rt.h"
#include "aclimb/core/float_state.h"
#include "aclimb/runtime/collective.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/event.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

// Whether the event's work is done; a dropped recording never is.
Result<bool> IsComplete(aclrtEvent handle, std::string_view refused_use) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  if (!refused_use.empty() && found.value()->maker == EventMaker::kExWithFlag) {
    return WrongMaker("event", handle, refused_use, "aclrtCreateEvent or aclrtCreateEventWithFlag",
                      "query-ex");
  }
  HurryCollectives();
  const MarkerRef marker = found.value()->Latest();
  if (marker && IsLost(marker)) return LostEvent("event", handle);
  return !marker || Backend().marker_state(marker.get()) == ACLIMB_MARKER_DONE;
}

// Nanoseconds of a complete event with time stamps.
Result<uint64_t> TimeOf(const char* argument, aclrtEvent handle) {
  Result<EventRef> found = ResolveEvent(argument, handle);
  if (!found.ok()) return found.TakeStatus();
  if (!found.value()->Has(ACL_EVENT_TIME_LINE)) {
    return Refuse(kRtEventTimestampInvalid,
                  Cat(argument, " is ", AddressText(handle),
                      ", which was made without ACL_EVENT_TIME_LINE; expected an event with time "
                      "stamps."),
                  "create it with aclrtCreateEvent, or with that flag", "runtime/event/no-timing");
  }
  const MarkerRef marker = found.value()->Latest();
  if (!marker) {
    return Refuse(kRtEventTimestampInvalid,
                  Cat(argument, " is ", AddressText(handle),
                      ", which was never recorded; expected a recorded event."),
                  "record it on a stream first", "runtime/event/not-recorded");
  }
  if (IsLost(marker)) return LostEvent(argument, handle);
  const uint64_t time = Backend().marker_time(marker.get());
  if (time == 0) {
    return Refuse(kRtEventNotComplete,
                  Cat(argument, " is ", AddressText(handle),
                      ", which is not complete; expected its stream to have reached it."),
                  "call aclrtSynchronizeEvent first", "runtime/event/not-complete");
  }
  return time;
}

Status ElapsedTime(float* ms, aclrtEvent start, aclrtEvent end) {
  if (ms == nullptr) return NullArgument("ms");
  const DefaultFloatState state;
  Result<uint64_t> from = TimeOf("startEvent", start);
  if (!from.ok()) return from.TakeStatus();
  Result<uint64_t> to = TimeOf("endEvent", end);
  if (!to.ok()) return to.TakeStatus();
  if (to.value() < from.value()) {
    return Refuse(kRtEventTimestampReversal,
                  Cat("endEvent lies ", from.value() - to.value(),
                      " ns before startEvent; expected it to be later."),
                  "exchange the two events", "runtime/event/reversed");
  }
  *ms = static_cast<float>(static_cast<double>(to.value() - from.value()) * 1e-6);
  return Ok();
}

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return aclimb::Enter("aclrtQueryEvent", [&]() -> aclimb::Status {
    if (status == nullptr) return aclimb::NullArgument("status");
    aclimb::Result<bool> complete = aclimb::IsComplete(event, "aclrtQueryEvent");
    if (!complete.ok()) return complete.TakeStatus();
    *status = complete.value() ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return aclimb::Ok();
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return aclimb::Enter("aclrtQueryEventStatus", [&]() -> aclimb::Status {
    if (status == nullptr) return aclimb::NullArgument("status");
    aclimb::Result<bool> complete = aclimb::IsComplete(event, "");
    if (!complete.ok()) return complete.TakeStatus();
    *status =
        complete.value() ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return aclimb::Ok();
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return aclimb::Enter("aclrtQueryEventWaitStatus", [&]() -> aclimb::Status {
    if (status == nullptr) return aclimb::NullArgument("status");
    aclimb::Result<bool> allowed = aclimb::IsComplete(event, "aclrtQueryEventWaitStatus");
    if (!allowed.ok()) return allowed.TakeStatus();
    aclimb::Result<aclimb::EventRef> found = aclimb::ResolveEvent("event", event);
    if (!found.ok()) return found.TakeStatus();
    *status = found.value()->open_waits.load(std::memory_order_acquire) == 0
                  ? ACL_EVENT_WAIT_STATUS_COMPLETE
                  : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return aclimb::Ok();
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return aclimb::Enter("aclrtEventElapsedTime",
                       [&] { return aclimb::ElapsedTime(ms, startEvent, endEvent); });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return aclimb::Enter("aclrtEventGetTimestamp", [&]() -> aclimb::Status {
    if (timestamp == nullptr) return aclimb::NullArgument("timestamp");
    aclimb::Result<uint64_t> time = aclimb::TimeOf("event", event);
    if (!time.ok()) return time.TakeStatus();
    *timestamp = time.value() / 1000;
    return aclimb::Ok();
  });
}

}  // extern "C"
