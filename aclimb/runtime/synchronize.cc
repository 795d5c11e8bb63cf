#include "aclimb/runtime/synchronize.h"

#include <chrono>

#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/exception_info.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {

Status CheckTimeout(int32_t timeout) {
  if (timeout == -1 || timeout > 0) return Ok();
  return BadValue("timeout", timeout, "-1 (for ever) or a positive number of milliseconds",
                  "synchronize/timeout-range");
}

Status TaskError(Stream& stream, int code) {
  switch (code) {
    case kRtStreamSyncTimeout:
      return Refuse(code,
                    Cat("stream ", stream.id,
                        " is not done when the timeout ends; expected "
                        "its work to take less."),
                    "wait longer; the work goes on", "runtime/synchronize/timeout");
    case kRtStreamAbort:
      return Refuse(code,
                    Cat("stream ", stream.id,
                        " was aborted, or waits for an event whose work was; "
                        "expected its work to be done."),
                    "abort this stream too, and queue the work again", "runtime/stream/aborted");
    default:
      break;
  }
  AclimbTaskFailure failure;
  AclimbTaskFailure first = {"", 0, 0, 0};
  while (Backend().queue_take_failure(stream.queue, &failure) != 0) {
    if (first.code == 0) first = failure;
    TellExceptionCallback(stream, failure);
  }
  if (first.code == 0) {
    return Refuse(code,
                  Cat("the streams of this context stopped after a task failed with ",
                      CodeText(code), " (ACL_STOP_ON_FAILURE); expected no failure."),
                  "create a new context", "runtime/stream/stopped");
  }
  return Refuse(
      code,
      Cat("task ", first.task_id, " (", first.task, ") of stream ", stream.id, " failed with ",
          CodeText(first.code), "; expected it to succeed."),
      "look at the arguments of that task; ASCEND_LAUNCH_BLOCKING=1 reports it at its call",
      "runtime/stream/task-failed");
}

Status SynchronizeStream(Stream& stream, int64_t timeout_ms) {
  const int code = Backend().queue_wait(stream.queue, timeout_ms);
  return code == 0 ? Ok() : TaskError(stream, code);
}

Status SynchronizeDevice(Device& device, int64_t timeout_ms) {
  // Handles, not pointers: another thread may destroy a stream while this one waits for the one
  // before it.
  std::vector<void*> handles;
  {
    std::lock_guard<std::mutex> lock(ProcessMutex());
    for (const Context* context : device.contexts) {
      for (const Stream* stream : context->streams) handles.push_back(stream->handle);
    }
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  Status first;
  for (const void* handle : handles) {
    auto* stream = static_cast<Stream*>(aclimb_handle_resolve(handle, ACLIMB_HANDLE_STREAM));
    if (stream == nullptr) continue;
    int64_t left = -1;
    if (timeout_ms >= 0) {
      left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline -
                                                                   std::chrono::steady_clock::now())
                 .count();
      if (left < 0) left = 0;
    }
    Status status = SynchronizeStream(*stream, left);
    if (status.code() == kRtStreamSyncTimeout) return status;
    if (first.ok()) first = std::move(status);
  }
  return first;
}

Status SynchronizeCurrentDevice(int64_t timeout_ms) {
  Result<Context*> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  return SynchronizeDevice(*context.value()->device, timeout_ms);
}

Status FinishLaunch(Stream& stream) {
  if (aclimb_settings()->launch_blocking == 0) return Ok();
  return SynchronizeStream(stream, -1);
}

}  // namespace aclimb
