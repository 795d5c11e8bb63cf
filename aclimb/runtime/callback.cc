#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/host_call.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/report_thread.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

// What a queued callback carries until the stream gets there.
struct QueuedCall {
  HostCalls call;          // one
  ReportThreadRef thread;  // null: a thread of ours
  int forks = ForkCount();

  // Without having been handed on. Whose thread waits for it in a child of fork must know.
  void Drop() const {
    if (thread == nullptr || ForkCount() == forks) return;
    std::lock_guard<std::mutex> lock(thread->mutex);
    thread->lost = true;
  }
};

void StartCall(void* payload, AclimbSuspension* suspension) {
  const std::unique_ptr<QueuedCall> queued(static_cast<QueuedCall*>(payload));
  if (suspension == nullptr) return queued->Drop();
  queued->call.front().suspension = suspension;
  if (queued->thread != nullptr) {
    queued->thread->Post(std::move(queued->call));
  } else {
    PerformElsewhere(std::move(queued->call));
  }
}

// Queues a task behind the halt of a call, which fails when the call did.
void QueueEnd(Stream& stream, std::unique_ptr<std::shared_ptr<HostCallEnd>> end) {
  using EndRef = std::shared_ptr<HostCallEnd>;
  AclimbTask task = {};
  task.name = "callback";
  task.run = [](void* payload) {
    const HostCallEnd& ended = **static_cast<EndRef*>(payload);
    if (ended.why[0] == '\0') return 0;
    aclimb_explain(ended.why);
    return static_cast<int>(kRtAicpuException);
  };
  task.release = [](void* payload) { delete static_cast<EndRef*>(payload); };
  task.payload = end.release();
  task.cost_bytes = 1;
  task.any_thread = 1;
  task.no_memory = 1;
  uint32_t id = 0;
  // The call itself is queued: without memory for this only its exception would be lost.
  if (Backend().queue_submit(stream.queue, &task, &id) == 0) NoteTask(id);
}

Status QueueBlocking(Stream& stream, HostCall call, ReportThreadRef thread) {
  if (thread == nullptr) {
    try {
      PrepareToPerformElsewhere();
    } catch (const std::system_error& error) {
      const SystemRefusal refusal =
          RefusedThread("the thread that runs callbacks", error.code().value());
      return Refuse(kRtResourceAllocFail, refusal.what, refusal.fix, "runtime/callback/thread");
    }
  }
  call.end = std::make_shared<HostCallEnd>();
  auto end = std::make_unique<std::shared_ptr<HostCallEnd>>(call.end);
  uint32_t id = 0;
  const int code = Backend().queue_suspend(
      stream.queue, StartCall, new QueuedCall{{call}, std::move(thread)}, /*uses_memory=*/0, &id);
  NoteTask(id);
  if (code != 0) return CannotQueue(code, "callback", "runtime/callback/queue");
  QueueEnd(stream, std::move(end));
  return Ok();
}

Status QueueFree(Stream& stream, const HostCall& call, ReportThreadRef thread) {
  AclimbTask task = {};
  task.name = "callback";
  task.run = [](void* payload) {
    auto* queued = static_cast<QueuedCall*>(payload);
    queued->thread->Post(std::move(queued->call));
    return 0;
  };
  task.release = [](void* payload) {
    const std::unique_ptr<QueuedCall> queued(static_cast<QueuedCall*>(payload));
    if (!queued->call.empty()) queued->Drop();
  };
  task.payload = new QueuedCall{{call}, std::move(thread)};
  task.cost_bytes = 1;
  task.no_memory = 1;
  uint32_t id = 0;
  const int code = Backend().queue_submit(stream.queue, &task, &id);
  NoteTask(id);
  return code == 0 ? Ok() : CannotQueue(code, "callback", "runtime/callback/queue");
}

Status LaunchCallback(aclrtCallback fn, void* data, aclrtCallbackBlockType block,
                      aclrtStream handle) {
  if (fn == nullptr) return NullArgument("fn");
  if (block != ACL_CALLBACK_NO_BLOCK && block != ACL_CALLBACK_BLOCK) {
    return BadValue("blockType", block, "ACL_CALLBACK_NO_BLOCK or ACL_CALLBACK_BLOCK",
                    "callback/block-type");
  }
  Result<StreamRef> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  const ReportThreadRef thread =
      FindReportThread(stream.report_thread.load(std::memory_order_relaxed));
  if (thread == nullptr) {
    return Refuse(kRtStreamNoCallback, "stream has no report thread; expected a subscribed stream.",
                  "call aclrtSubscribeReport first, or use aclrtLaunchHostFunc",
                  "runtime/callback/not-subscribed");
  }
  const HostCall call = {.fn = fn, .data = data};
  return block == ACL_CALLBACK_BLOCK ? QueueBlocking(stream, call, thread)
                                     : QueueFree(stream, call, thread);
}

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  return aclimb::Enter("aclrtLaunchCallback",
                       [&] { return aclimb::LaunchCallback(fn, userData, blockType, stream); });
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return aclimb::Enter("aclrtLaunchHostFunc", [&]() -> aclimb::Status {
    if (fn == nullptr) return aclimb::NullArgument("fn");
    aclimb::Result<aclimb::StreamRef> found = aclimb::ResolveStream(stream);
    if (!found.ok()) return found.TakeStatus();
    ACLIMB_CHECK_OK(
        aclimb::QueueBlocking(*found.value(), aclimb::HostCall{.fn = fn, .data = args}, nullptr));
    return aclimb::FinishLaunch(*found.value());
  });
}

}  // extern "C"
