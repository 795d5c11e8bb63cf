#include <memory>
#include <mutex>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/handle_table.h"
#include "aclimb/runtime/parameters.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

enum class EventMaker { kPlain, kWithFlag, kExWithFlag };

// A marker's reference, given back at the end.
class MarkerRef {
 public:
  MarkerRef() = default;
  explicit MarkerRef(AclimbMarker* owned) : marker_(owned) {}
  MarkerRef(const MarkerRef& other) : marker_(other.marker_) {
    if (marker_ != nullptr) Backend().marker_retain(marker_);
  }
  MarkerRef(MarkerRef&& other) noexcept : marker_(std::exchange(other.marker_, nullptr)) {}
  MarkerRef& operator=(MarkerRef other) noexcept {
    std::swap(marker_, other.marker_);
    return *this;
  }
  ~MarkerRef() {
    if (marker_ != nullptr) Backend().marker_release(marker_);
  }
  AclimbMarker* get() const { return marker_; }
  explicit operator bool() const { return marker_ != nullptr; }

 private:
  AclimbMarker* marker_ = nullptr;
};

// Shared with the tasks that a reset and counted waits put on a stream: the program may destroy the
// event before they run.
struct Event {
  EventMaker maker = EventMaker::kPlain;
  uint32_t flags = 0;
  Device* device = nullptr;
  std::atomic<int> open_waits{0};
  std::mutex mutex;        // guards what follows
  MarkerRef marker;        // the latest recording; empty when never recorded, or reset
  void* stream = nullptr;  // handle of the stream it was recorded on

  bool Has(uint32_t flag) const { return maker == EventMaker::kPlain || (flags & flag) != 0; }
  MarkerRef Latest() {
    std::lock_guard<std::mutex> lock(mutex);
    return marker;
  }
};
using EventRef = std::shared_ptr<Event>;

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
  Result<Context*> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  auto made = std::make_unique<EventRef>(std::make_shared<Event>());
  (*made)->maker = maker;
  (*made)->flags = flag;
  (*made)->device = context.value()->device;
  void* handle = aclimb_handle_create(ACLIMB_HANDLE_EVENT, made.get());
  if (handle == nullptr) {
    return Refuse(ACL_ERROR_RT_NO_EVENT_RESOURCE, "no handle is left for another event.",
                  "destroy events that are not needed", "runtime/handle/exhausted");
  }
  made.release();
  *event = handle;
  return Ok();
}

Result<EventRef> ResolveEvent(const char* argument, aclrtEvent handle) {
  if (handle == nullptr) return NullArgument(argument);
  const auto* event = ResolveHandle<EventRef>(handle, ACLIMB_HANDLE_EVENT);
  if (event == nullptr) return DeadHandle(argument, handle, "event");
  return *event;
}

Status WrongMaker(std::string_view use, std::string_view makers, std::string_view rule) {
  return Refuse(kRtParamInvalid,
                Cat("event was not made for ", use, "; expected an event of ", makers, "."),
                Cat("create the event with ", makers), Cat("runtime/event/", rule));
}

Status RecordEvent(aclrtEvent handle, aclrtStream stream_handle) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  Result<Stream*> stream = ResolveStream(stream_handle);
  if (!stream.ok()) return stream.TakeStatus();
  Event& event = *found.value();
  if (event.device != stream.value()->context->device) {
    return Refuse(kRtStreamContext,
                  Cat("event belongs to device ", event.device->id, " but stream to device ",
                      stream.value()->context->device->id, "; expected the same device."),
                  "create the event while the stream's device is current",
                  "runtime/event/record-device");
  }
  AclimbMarker* marker = nullptr;
  const int code = Backend().queue_record(stream.value()->queue, &marker);
  if (code != 0) {
    return Refuse(code, "the event cannot be queued.", "look at the backend's log",
                  "runtime/event/queue");
  }
  MarkerRef latest(marker);
  {
    std::lock_guard<std::mutex> lock(event.mutex);
    std::swap(event.marker, latest);
    event.stream = stream.value()->handle;
  }
  return FinishLaunch(*stream.value());
}

// What a reset takes along: only the recording of now is forgotten, not one issued after the reset.
struct Reset {
  EventRef event;
  MarkerRef marker;
};

Status ResetEvent(aclrtEvent handle, aclrtStream stream_handle) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  Result<Stream*> stream = ResolveStream(stream_handle);
  if (!stream.ok()) return stream.TakeStatus();
  const EventRef& event = found.value();
  if (event->maker != EventMaker::kWithFlag || !event->Has(ACL_EVENT_SYNC)) {
    return WrongMaker("aclrtResetEvent", "aclrtCreateEventWithFlag(ACL_EVENT_SYNC)", "reset");
  }
  AclimbTask task = {};
  task.name = "event reset";
  task.run = [](void* payload) {
    auto* reset = static_cast<Reset*>(payload);
    std::lock_guard<std::mutex> lock(reset->event->mutex);
    if (reset->event->marker.get() == reset->marker.get()) reset->event->marker = MarkerRef();
    return 0;
  };
  task.release = [](void* payload) { delete static_cast<Reset*>(payload); };
  task.payload = new Reset{event, event->Latest()};
  task.cost_bytes = 1;
  const int code = Backend().queue_submit(stream.value()->queue, &task, nullptr);
  if (code != 0) {
    return Refuse(code, "the reset cannot be queued.", "look at the backend's log",
                  "runtime/event/queue");
  }
  return FinishLaunch(*stream.value());
}

Status WaitEvent(aclrtStream stream_handle, aclrtEvent handle, uint64_t timeout_ms) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  Result<Stream*> stream = ResolveStream(stream_handle);
  if (!stream.ok()) return stream.TakeStatus();
  const EventRef& event = found.value();
  if (!event->Has(ACL_EVENT_SYNC)) {
    return WrongMaker("stream waits", "aclrtCreateEvent, or with the flag ACL_EVENT_SYNC", "wait");
  }
  const MarkerRef marker = event->Latest();
  if (!marker || Backend().marker_state(marker.get()) == ACLIMB_MARKER_DONE) return Ok();
  AclimbQueue* queue = stream.value()->queue;
  const int code =
      Backend().queue_wait_marker(queue, marker.get(), static_cast<int64_t>(timeout_ms));
  if (code != 0) {
    return Refuse(code, "the wait cannot be queued.", "look at the backend's log",
                  "runtime/event/queue");
  }
  if (event->maker == EventMaker::kExWithFlag) return Ok();
  // For aclrtQueryEventWaitStatus: a task right behind the wait tells that it is over.
  event->open_waits.fetch_add(1, std::memory_order_relaxed);
  AclimbTask task = {};
  task.name = "event wait";
  task.run = [](void*) { return 0; };
  task.release = [](void* payload) {
    auto* waiting = static_cast<EventRef*>(payload);
    (*waiting)->open_waits.fetch_sub(1, std::memory_order_release);
    delete waiting;
  };
  task.payload = new EventRef(event);
  task.cost_bytes = 1;
  return Backend().queue_submit(queue, &task, nullptr) == 0
             ? Ok()
             : Refuse(kInternalError, "the wait cannot be counted.", "look at the backend's log",
                      "runtime/event/queue");
}

Status SynchronizeEvent(aclrtEvent handle, int64_t timeout_ms) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  Event& event = *found.value();
  MarkerRef marker;
  void* stream_handle;
  {
    std::lock_guard<std::mutex> lock(event.mutex);
    marker = event.marker;
    stream_handle = event.stream;
  }
  if (!marker) return Ok();
  const int code = Backend().marker_wait(marker.get(), timeout_ms, /*take_error=*/1);
  if (code == 0) return Ok();
  if (code == kRtEventSyncTimeout &&
      Backend().marker_state(marker.get()) == ACLIMB_MARKER_PENDING) {
    return Refuse(
        code,
        Cat("event is not complete after ", timeout_ms, " ms; expected its work to take less."),
        "wait longer; the work goes on", "runtime/event/timeout");
  }
  Stream* stream = ResolveHandle<Stream>(stream_handle, ACLIMB_HANDLE_STREAM);
  if (stream != nullptr) return TaskError(*stream, code);
  return Refuse(code, "the work before the event failed; expected it to succeed.",
                "look at the tasks of its stream", "runtime/event/task-failed");
}

// Whether the event's work is done; a dropped recording never is.
Result<bool> IsComplete(aclrtEvent handle, std::string_view refused_use) {
  Result<EventRef> found = ResolveEvent("event", handle);
  if (!found.ok()) return found.TakeStatus();
  if (!refused_use.empty() && found.value()->maker == EventMaker::kExWithFlag) {
    return WrongMaker(refused_use, "aclrtCreateEvent or aclrtCreateEventWithFlag", "query-ex");
  }
  const MarkerRef marker = found.value()->Latest();
  return !marker || Backend().marker_state(marker.get()) == ACLIMB_MARKER_DONE;
}

// Nanoseconds of a complete event with time stamps.
Result<uint64_t> TimeOf(const char* argument, aclrtEvent handle) {
  Result<EventRef> found = ResolveEvent(argument, handle);
  if (!found.ok()) return found.TakeStatus();
  if (!found.value()->Has(ACL_EVENT_TIME_LINE)) {
    return Refuse(kRtEventTimestampInvalid,
                  Cat(argument,
                      " was made without ACL_EVENT_TIME_LINE; expected an event with time "
                      "stamps."),
                  "create it with aclrtCreateEvent, or with that flag", "runtime/event/no-timing");
  }
  const MarkerRef marker = found.value()->Latest();
  if (!marker) {
    return Refuse(kRtEventTimestampInvalid,
                  Cat(argument, " was never recorded; expected a recorded event."),
                  "record it on a stream first", "runtime/event/not-recorded");
  }
  const uint64_t time = Backend().marker_time(marker.get());
  if (time == 0) {
    return Refuse(kRtEventNotComplete,
                  Cat(argument, " is not complete; expected its stream to have reached it."),
                  "call aclrtSynchronizeEvent first", "runtime/event/not-complete");
  }
  return time;
}

Status ElapsedTime(float* ms, aclrtEvent start, aclrtEvent end) {
  if (ms == nullptr) return NullArgument("ms");
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
    void* object = aclimb_handle_release(event, ACLIMB_HANDLE_EVENT);
    if (object == nullptr) return aclimb::DeadHandle("event", event, "event");
    delete static_cast<aclimb::EventRef*>(object);
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
  return aclimb::Enter("aclrtSynchronizeEvent",
                       [&] { return aclimb::SynchronizeEvent(event, -1); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return aclimb::Enter("aclrtSynchronizeEventWithTimeout", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckTimeout(timeout));
    return aclimb::SynchronizeEvent(event, timeout);
  });
}

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
