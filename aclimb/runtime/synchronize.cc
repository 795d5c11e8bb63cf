#include "aclimb/runtime/synchronize.h"

#include <chrono>
#include <cstdlib>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/environment.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/collective.h"
#include "aclimb/runtime/exception_info.h"
#include "aclimb/runtime/handle_table.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {

Status CheckTimeout(int32_t timeout) {
  if (timeout == -1 || timeout > 0) return Ok();
  return BadValue("timeout", timeout, "-1 (for ever) or a positive number of milliseconds",
                  "synchronize/timeout-range");
}

Status StreamTimeout(int32_t stream_id, int64_t timeout_ms) {
  return Refuse(kRtStreamSyncTimeout,
                Cat("stream ", stream_id, " is not done after the timeout of ", timeout_ms,
                    " ms; expected its work to take less."),
                "wait longer; the work goes on", "runtime/synchronize/timeout");
}

namespace {

// Oldest first.
class TaskFailures {
 public:
  TaskFailures() = default;
  TaskFailures(const TaskFailures&) = delete;
  TaskFailures& operator=(const TaskFailures&) = delete;
  ~TaskFailures() {
    for (const AclimbTaskFailure& failure : failures_) std::free(failure.why);
  }

  // All that the stream has.
  void Take(const Stream& stream) {
    failures_.emplace_back();
    while (Backend().queue_take_failure(stream.queue, &failures_.back()) != 0) {
      failures_.emplace_back();
    }
    failures_.pop_back();
  }
  const std::vector<AclimbTaskFailure>& All() const { return failures_; }

 private:
  std::vector<AclimbTaskFailure> failures_;
};

std::string FixOf(const AclimbTaskFailure& failure) {
  const bool told = failure.why != nullptr;
  switch (failure.code) {
    case kRtMemoryAllocation:
      return "free host memory, or raise the limit of the process (ulimit -v, ulimit -d)";
    case kRtResourceAllocFail:
      return "end other threads, or raise the limit of threads (ulimit -u; pids.max of the cgroup)";
    case kRtAicoreException:
      if (told) return "correct that value in the data that the task was given";
      break;
    case kRtEventSyncTimeout:
      if (told) break;
      return "look at what is queued in front of the event's recording, or allow the wait more "
             "time (aclrtStreamWaitEventWithTimeout, aclrtSetOpWaitTimeout)";
    default:
      break;
  }
  const std::string task = Cat("task ", failure.task_id, " (", failure.task, ")");
  if (!told) return Cat("look at the arguments of ", task);
  return Cat("remove the cause that the message gives for ", task, ", and queue it again");
}

// Numbers, not the stream: it may be gone when the program is told.
//   stopped  whether one failure stops all streams of the context
Status TaskError(int32_t stream_id, int32_t device_id, int code, bool stopped,
                 const TaskFailures& failures) {
  if (code == kRtStreamAbort) {
    return Refuse(code,
                  Cat("stream ", stream_id,
                      " was aborted, or waits for an event whose work was; "
                      "expected its work to be done."),
                  "abort this stream too, and queue the work again", "runtime/stream/aborted");
  }
  for (const AclimbTaskFailure& failure : failures.All()) {
    TellExceptionCallback(stream_id, device_id, failure);
  }
  if (failures.All().empty() && !stopped) {
    return Refuse(code,
                  Cat("a task of stream ", stream_id, " failed with ", CodeText(code),
                      ", and which one is not known any more; expected it to succeed."),
                  "synchronise more often, and look at the first failure",
                  "runtime/stream/task-failed");
  }
  if (failures.All().empty()) {
    return Refuse(code,
                  Cat("the streams of this context stopped after a task failed with ",
                      CodeText(code), " (ACL_STOP_ON_FAILURE); expected no failure."),
                  "create a new context", "runtime/stream/stopped");
  }
  const AclimbTaskFailure& first = failures.All().front();
  const char* const blocking = aclimb_settings()->launch_blocking == 0
                                   ? "; ASCEND_LAUNCH_BLOCKING=1 reports it at its call"
                                   : "";
  const char* const injected =
      ReadEnvironment("ACLIMB_FAULT") ? "; ACLIMB_FAULT is set, and may have made it fail" : "";
  return Refuse(
      code,
      Cat("task ", first.task_id, " (", first.task, ") of stream ", stream_id, " failed with ",
          CodeText(first.code), first.why == nullptr ? "; expected it to succeed." : ": ",
          first.why == nullptr ? "" : first.why),
      Cat(FixOf(first), blocking, injected), "runtime/stream/task-failed");
}

// What failed on a live stream. Of a context that has stopped (ACL_STOP_ON_FAILURE) the first call
// is told what stopped it, whichever of its streams it asks.
Status TaskErrorOf(const Stream& stream, int code) {
  TaskFailures failures;
  int32_t stream_id = stream.id;
  if (code != kRtStreamAbort) failures.Take(stream);
  bool stopped = false;
  if (code != kRtStreamAbort && failures.All().empty()) {
    const std::lock_guard<std::mutex> lock(ProcessMutex());
    for (const Context* context : stream.device->contexts) {
      if (context->handle != stream.context) continue;
      stopped = context->has_stop_mode.load(std::memory_order_relaxed);
      for (const Stream* const other : context->streams) {
        if (other->failure_mode.load() != ACL_STOP_ON_FAILURE) continue;
        if (failures.All().empty()) failures.Take(*other);
        if (!failures.All().empty()) stream_id = other->id;
      }
    }
  }
  return TaskError(stream_id, stream.device->id, code, stopped, failures);
}

// How far a stream had come when a wait for the device began. Holds no pointer to the stream, which
// another thread may destroy meanwhile: its recording tells then how the work ended.
struct Target {
  const void* handle;
  int32_t stream_id;
  AclimbMarker* marker;
};

struct Targets {
  std::vector<Target> streams;
  const void* lost = nullptr;  // handle of a stream whose loss nobody was told of
  Targets() = default;
  Targets(const Targets&) = delete;
  Targets& operator=(const Targets&) = delete;
  ~Targets() {
    for (const Target& target : streams) Backend().marker_release(target.marker);
  }
};

// Under ProcessMutex(), which keeps the streams.
Status RecordAll(const Device& device, Targets& targets) {
  for (const Context* context : device.contexts) {
    for (Stream* const stream : context->streams) {
      if (IsLost(*stream)) {
        if (targets.lost == nullptr && stream->loss_told.exchange(ForkCount()) != ForkCount()) {
          targets.lost = stream->handle;
        }
        continue;
      }
      if (stream->capture.load(std::memory_order_acquire) != nullptr) {
        return Refuse(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                      Cat("stream ", stream->id,
                          " of the device records work; expected no wait for all streams until "
                          "it ends."),
                      "call aclmdlRICaptureEnd first", "runtime/capture/device");
      }
      targets.streams.reserve(targets.streams.size() + 1);
      AclimbMarker* marker = nullptr;
      const int code = Backend().queue_record(stream->queue, &marker);
      if (code != 0) {
        return Refuse(code, Cat("the end of stream ", stream->id, " cannot be marked."),
                      "look at the backend's log", "runtime/synchronize/record");
      }
      targets.streams.push_back(Target{stream->handle, stream->id, marker});
    }
  }
  return Ok();
}

// Whether the stream's work ended, well or badly, in time.
bool Ended(const Target& target, int64_t left_ms) {
  const int code = Backend().marker_wait(target.marker, left_ms, /*take_error=*/0);
  return code != kRtEventSyncTimeout ||
         Backend().marker_state(target.marker) != ACLIMB_MARKER_PENDING;
}

// The error of a stream whose work ended, which is returned by this call alone.
Status TakeError(const Target& target, const Device& device) {
  const int code = Backend().marker_wait(target.marker, 0, /*take_error=*/1);
  if (code == 0) return Ok();
  const StreamRef stream = ResolveShared<Stream>(target.handle, ACLIMB_HANDLE_STREAM);
  return stream != nullptr
             ? TaskErrorOf(*stream, code)
             : TaskError(target.stream_id, device.id, code, /*stopped=*/false, TaskFailures());
}

}  // namespace

Status TaskError(Stream& stream, int code) { return TaskErrorOf(stream, code); }

Status SynchronizeStream(Stream& stream, int64_t timeout_ms) {
  if (timeout_ms >= 0) {
    HurryCollectives();
  } else if (!HelpCollective(stream)) {
    return TaskError(stream, kRtStreamAbort);
  }
  const int code = Backend().queue_wait(stream.queue, timeout_ms);
  if (code == 0) return Ok();
  return code == kRtStreamSyncTimeout ? StreamTimeout(stream.id, timeout_ms)
                                      : TaskError(stream, code);
}

Status SynchronizeDevice(Device& device, int64_t timeout_ms) {
  HurryCollectives();
  Targets targets;
  {
    std::lock_guard<std::mutex> lock(ProcessMutex());
    ACLIMB_CHECK_OK(RecordAll(device, targets));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (const Target& target : targets.streams) {
    int64_t left = -1;
    if (timeout_ms >= 0) {
      left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline -
                                                                   std::chrono::steady_clock::now())
                 .count();
      if (left < 0) left = 0;
    }
    if (!Ended(target, left)) return StreamTimeout(target.stream_id, timeout_ms);
  }
  // The first error is returned; the others stay with their streams, as all do after a timeout.
  for (const Target& target : targets.streams) {
    ACLIMB_CHECK_OK(TakeError(target, device));
  }
  return targets.lost == nullptr ? Ok() : LostStream("a stream of the device", targets.lost);
}

Status SynchronizeCurrentDevice(int64_t timeout_ms) {
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  return SynchronizeDevice(*context.value()->device, timeout_ms);
}

Status FinishLaunch(Stream& stream) {
  HurryCollectives();
  if (aclimb_settings()->launch_blocking == 0) return Ok();
  return SynchronizeStream(stream, -1);
}

}  // namespace aclimb
