#include "aclimb/runtime/event.h"

#include <memory>

#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/collective.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/handle_table.h"
#include "aclimb/runtime/parameters.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

constinit std::mutex events_mutex;
ForkLock events_lock(events_mutex);

Status CreateEvent(aclrtEvent* event, EventMaker maker, uint32_t flag) {
  if (event == nullptr) return NullArgument("event");
  constexpr uint32_t kKnown = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS |
                              ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL |
                              ACL_EVENT_IPC;
  if (maker != EventMaker::kPlain && (flag == 0 || (flag & ~kKnown) != 0)) {
    return BadValue("flag", flag, "one or more ACL_EVENT_* flags", "event/flag");
  }
  if ((flag & ACL_EVENT_IPC) != 0) {
    return NotSupported(
        "flag contains ACL_EVENT_IPC, which Aclimb does not have; expected flags of "
        "events within a process.",
        "leave the flag out", "runtime/event/ipc");
  }
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  const auto made = std::make_shared<Event>();
  made->maker = maker;
  made->flags = flag;
  made->device = context.value()->device;
  void* handle = CreateShared(ACLIMB_HANDLE_EVENT, made);
  if (handle == nullptr) {
    return Refuse(ACL_ERROR_RT_NO_EVENT_RESOURCE, "no handle is left for another event.",
                  "destroy events that are not needed", "runtime/handle/exhausted");
  }
  *event = handle;
  return Ok();
}

Status RecordEvent(aclrtEvent handle, aclrtStream stream_handle) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  Result<StreamRef> stream = ResolveStream(stream_handle);
  if (!stream.ok()) return stream.TakeStatus();
  Event& event = *found.value();
  if (event.device != stream.value()->device) {
    return Refuse(kRtStreamContext,
                  Cat("event ", AddressText(handle), " belongs to device ", event.device->id,
                      " but stream ", AddressText(stream_handle), " to device ",
                      stream.value()->device->id, "; expected the same device."),
                  "create the event while the stream's device is current",
                  "runtime/event/record-device");
  }
  AclimbMarker* marker = nullptr;
  const int code = Backend().queue_record(stream.value()->queue, &marker);
  if (code != 0) return CannotQueue(code, "event", "runtime/event/queue");
  if (observe::On()) {
    observe::Each([&](observe::Observer& tool) { tool.EventRecorded(handle, marker); });
  }
  MarkerRef latest(marker);
  {
    std::lock_guard<std::mutex> lock(EventsMutex());
    std::swap(event.marker, latest);
    event.stream = stream.value()->handle;
  }
  return FinishLaunch(*stream.value());
}

// A wait that finds no recording does nothing. After a reset that is meant; before the first
// recording it is a mistake.
void NoticeUnrecorded(Event& event) {
  if (!observe::On()) return;
  {
    std::lock_guard<std::mutex> lock(EventsMutex());
    if (event.stream != nullptr) return;
  }
  observe::Each([](observe::Observer& tool) {
    tool.Noticed("check/event/wait-unrecorded",
                 "waits for an event that was never recorded, which does nothing; expected "
                 "aclrtRecordEvent before the wait.");
  });
}

// What a reset takes along: only the recording of now is forgotten, not one issued after the reset.
struct Reset {
  EventRef event;
  MarkerRef marker;
};

Status ResetEvent(aclrtEvent handle, aclrtStream stream_handle) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  Result<StreamRef> stream = ResolveStream(stream_handle);
  if (!stream.ok()) return stream.TakeStatus();
  const EventRef& event = found.value();
  if (event->maker != EventMaker::kWithFlag || !event->Has(ACL_EVENT_SYNC)) {
    return WrongMaker("event", handle, "aclrtResetEvent",
                      "aclrtCreateEventWithFlag(ACL_EVENT_SYNC)", "reset");
  }
  AclimbTask task = {};
  task.name = "event reset";
  task.run = [](void* payload) {
    auto* reset = static_cast<Reset*>(payload);
    std::lock_guard<std::mutex> lock(EventsMutex());
    if (reset->event->marker.get() == reset->marker.get()) reset->event->marker = MarkerRef();
    return 0;
  };
  task.release = [](void* payload) { delete static_cast<Reset*>(payload); };
  task.payload = new Reset{event, event->Latest()};
  task.cost_bytes = 1;
  task.no_memory = 1;
  const int code = Backend().queue_submit(stream.value()->queue, &task, nullptr);
  if (code != 0) return CannotQueue(code, "reset", "runtime/event/queue");
  return FinishLaunch(*stream.value());
}

Status WaitEvent(aclrtStream stream_handle, aclrtEvent handle, uint64_t timeout_ms) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  Result<StreamRef> stream = ResolveStream(stream_handle);
  if (!stream.ok()) return stream.TakeStatus();
  const EventRef& event = found.value();
  if (!event->Has(ACL_EVENT_SYNC)) {
    return WrongMaker("event", handle, "stream waits",
                      "aclrtCreateEvent, or with the flag ACL_EVENT_SYNC", "wait");
  }
  const MarkerRef marker = event->Latest();
  if (!marker) {
    NoticeUnrecorded(*event);
    return Ok();
  }
  if (IsLost(marker)) return LostEvent("event", handle);
  // Tools are told of the wait whether or not it is over already.
  if (!observe::On() && Backend().marker_state(marker.get()) == ACLIMB_MARKER_DONE) return Ok();
  // Before anything is queued: what lacks memory must change nothing.
  auto waiting = std::make_unique<EventRef>(event);
  AclimbQueue* queue = stream.value()->queue;
  const int code =
      Backend().queue_wait_marker(queue, marker.get(), static_cast<int64_t>(timeout_ms));
  if (code != 0) return CannotQueue(code, "wait", "runtime/event/queue");
  if (event->maker == EventMaker::kExWithFlag) return FinishLaunch(*stream.value());
  // For aclrtQueryEventWaitStatus: a task right behind the wait tells that it is over.
  event->open_waits.fetch_add(1, std::memory_order_relaxed);
  AclimbTask task = {};
  task.name = "event wait";
  task.run = [](void*) { return 0; };
  task.release = [](void* payload) {
    const std::unique_ptr<EventRef> ended(static_cast<EventRef*>(payload));
    (*ended)->open_waits.fetch_sub(1, std::memory_order_release);
  };
  task.payload = waiting.release();
  task.cost_bytes = 1;
  task.no_memory = 1;
  const int counted = Backend().queue_submit(queue, &task, nullptr);
  if (counted != 0) return CannotQueue(counted, "wait", "runtime/event/queue");
  return FinishLaunch(*stream.value());
}

Status SynchronizeEvent(aclrtEvent handle, int64_t timeout_ms) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  Event& event = *found.value();
  MarkerRef marker;
  void* stream_handle;
  {
    std::lock_guard<std::mutex> lock(EventsMutex());
    marker = event.marker;
    stream_handle = event.stream;
  }
  if (!marker) {
    NoticeUnrecorded(event);
    return Ok();
  }
  HurryCollectives();
  // The work's own error may have the code of a time-out, so a wait that may time out takes none.
  const bool may_time_out = timeout_ms >= 0;
  int code = Backend().marker_wait(marker.get(), timeout_ms, may_time_out ? 0 : 1);
  if (may_time_out && code == kRtEventSyncTimeout &&
      Backend().marker_state(marker.get()) == ACLIMB_MARKER_PENDING) {
    return Refuse(code,
                  Cat("event ", AddressText(handle), " is not complete after ", timeout_ms,
                      " ms; expected its work to take less."),
                  "wait longer; the work goes on", "runtime/event/timeout");
  }
  // The work may have come to its end just after the time-out.
  if (may_time_out && (code == 0 || code == kRtEventSyncTimeout)) {
    code = Backend().marker_wait(marker.get(), 0, /*take_error=*/1);
  }
  if (code == 0) return Ok();
  if (IsLost(marker)) return LostEvent("event", handle);
  const StreamRef stream = ResolveShared<Stream>(stream_handle, ACLIMB_HANDLE_STREAM);
  if (stream != nullptr) return TaskError(*stream, code);
  if (code == kRtStreamAbort) {
    return Refuse(code,
                  Cat("event ", AddressText(handle),
                      " was recorded on a stream that was destroyed before it got there; expected "
                      "the work before the event to be done."),
                  "synchronize the stream before it is destroyed, and record the event again",
                  "runtime/event/dropped");
  }
  return Refuse(
      code, Cat("the work before event ", AddressText(handle), " failed; expected it to succeed."),
      "look at the tasks of its stream", "runtime/event/task-failed");
}

}  // namespace

std::mutex& EventsMutex() { return events_mutex; }

bool IsLost(const MarkerRef& marker) {
  return ForkCount() != 0 && Backend().marker_state(marker.get()) == ACLIMB_MARKER_LOST;
}

Result<EventRef> ResolveEvent(const char* argument, aclrtEvent handle) {
  if (handle == nullptr) return NullArgument(argument);
  EventRef event = ResolveShared<Event>(handle, ACLIMB_HANDLE_EVENT);
  if (event == nullptr) return DeadHandle(argument, handle, "event");
  return event;
}

Status WrongMaker(const char* argument, aclrtEvent handle, std::string_view use,
                  std::string_view makers, std::string_view rule) {
  return Refuse(kRtParamInvalid,
                Cat(argument, " is ", AddressText(handle), ", which was not made for ", use,
                    "; expected an event of ", makers, "."),
                Cat("create the event with ", makers), Cat("runtime/event/", rule));
}

}  // namespace aclimb

extern "C" {

aclError aclrtCreateEvent(aclrtEvent* event) {
  return aclimb::Enter("aclrtCreateEvent",
                       [&] { return aclimb::CreateEvent(event, aclimb::EventMaker::kPlain, 0); });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return aclimb::Enter("aclrtCreateEventWithFlag", [&] {
    return aclimb::CreateEvent(event, aclimb::EventMaker::kWithFlag, flag);
  });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return aclimb::Enter("aclrtCreateEventExWithFlag", [&] {
    return aclimb::CreateEvent(event, aclimb::EventMaker::kExWithFlag, flag);
  });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return aclimb::Enter("aclrtDestroyEvent", [&]() -> aclimb::Status {
    if (event == nullptr) return aclimb::NullArgument("event");
    if (aclimb::ReleaseShared<aclimb::Event>(event, ACLIMB_HANDLE_EVENT) == nullptr) {
      return aclimb::DeadHandle("event", event, "event");
    }
    return aclimb::Ok();
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return aclimb::Enter("aclrtRecordEvent", [&] { return aclimb::RecordEvent(event, stream); });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return aclimb::Enter("aclrtResetEvent", [&] { return aclimb::ResetEvent(event, stream); });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return aclimb::Enter("aclrtStreamWaitEvent", [&] {
    return aclimb::WaitEvent(stream, event, aclimb::EventWaitTimeoutMs());
  });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return aclimb::Enter("aclrtStreamWaitEventWithTimeout", [&]() -> aclimb::Status {
    if (timeout < 0) {
      return aclimb::BadValue("timeout", timeout, "0 (for ever) or a number of seconds",
                              "event/wait-timeout");
    }
    return aclimb::WaitEvent(stream, event, static_cast<uint64_t>(timeout) * 1000);
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return aclimb::EnterWait("aclrtSynchronizeEvent",
                           [&] { return aclimb::SynchronizeEvent(event, -1); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return aclimb::EnterWait("aclrtSynchronizeEventWithTimeout", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckTimeout(timeout));
    return aclimb::SynchronizeEvent(event, timeout);
  });
}

}  // extern "C"
