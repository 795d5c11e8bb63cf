#include "aclimb/runtime/callback.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "acl/acl_rt.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/helper_threads.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

// A call that a stream has reached. With a suspension the stream waits for its end.
struct Call {
  void (*fn)(void* data);
  void* data;
  AclimbSuspension* suspension;
};

// The program's code: nothing it throws may reach our threads.
void Perform(const Call& call) {
  try {
    call.fn(call.data);
  } catch (...) {
  }
  if (call.suspension != nullptr) Backend().queue_resume(call.suspension);
}

void PerformElsewhere(const Call& call) {
  try {
    RunOnHelperThread(
        [](void* data) {
          const std::unique_ptr<Call> owned(static_cast<Call*>(data));
          Perform(*owned);
        },
        new Call(call));
  } catch (...) {
    Perform(call);  // Late is better than never: the stream must not hang.
  }
}

// A thread of the program that serves the callbacks of streams.
struct ReportThread {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Call> due;
  int streams = 0;  // subscribed ones
  int device = 0;

  // A call that nobody will fetch any more goes to a thread of our own.
  void Post(const Call& call) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (streams > 0) {
        due.push_back(call);
        changed.notify_one();
        return;
      }
    }
    PerformElsewhere(call);
  }
};
using ReportThreadRef = std::shared_ptr<ReportThread>;

struct ReportThreads {
  std::mutex mutex;
  std::map<uint64_t, ReportThreadRef> by_id;
};
ReportThreads& Reports() {
  static auto* const reports = new ReportThreads;
  return *reports;
}

constexpr size_t kMostReportThreads = 1024;

ReportThreadRef FindReportThread(uint64_t id) {
  ReportThreads& reports = Reports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  const auto it = reports.by_id.find(id);
  return it != reports.by_id.end() ? it->second : nullptr;
}

Status Subscribe(uint64_t thread_id, aclrtStream handle) {
  Result<Stream*> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  if (thread_id == 0) {
    return BadValue("threadId", 0, "pthread_self() of a thread", "report/thread-id");
  }
  ReportThreads& reports = Reports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  const uint64_t before = stream.report_thread.load(std::memory_order_relaxed);
  if (before != 0) {
    return Refuse(kRtStreamSubscribe,
                  Cat("stream is served by thread ", before,
                      " already; expected a stream without "
                      "a report thread."),
                  "call aclrtUnSubscribeReport first", "runtime/report/subscribed");
  }
  if (reports.by_id.size() >= kMostReportThreads && reports.by_id.count(thread_id) == 0) {
    return Refuse(kRtThreadSubscribe,
                  Cat("there are ", reports.by_id.size(), " report threads; expected fewer than ",
                      kMostReportThreads, "."),
                  "serve several streams with one thread", "runtime/report/threads");
  }
  ReportThreadRef& thread = reports.by_id[thread_id];
  const int device = stream.context->device->id;
  if (thread == nullptr) {
    thread = std::make_shared<ReportThread>();
    thread->device = device;
  }
  std::lock_guard<std::mutex> thread_lock(thread->mutex);
  if (thread->streams > 0 && thread->device != device) {
    return Refuse(kRtThreadSubscribe,
                  Cat("threadId serves streams of device ", thread->device,
                      " but stream belongs to device ", device, "; expected one device."),
                  "use one report thread for each device", "runtime/report/device");
  }
  thread->device = device;
  ++thread->streams;
  stream.report_thread.store(thread_id, std::memory_order_relaxed);
  return Ok();
}

// Under the table's lock. What was due and now has no thread is performed elsewhere, by the caller.
std::deque<Call> Leave(ReportThreads& reports, uint64_t thread_id) {
  std::deque<Call> orphans;
  const auto it = reports.by_id.find(thread_id);
  if (it == reports.by_id.end()) return orphans;
  const ReportThreadRef thread = it->second;
  std::lock_guard<std::mutex> lock(thread->mutex);
  if (--thread->streams == 0) {
    orphans.swap(thread->due);
    thread->changed.notify_all();
    reports.by_id.erase(it);
  }
  return orphans;
}

Status Unsubscribe(uint64_t thread_id, aclrtStream handle) {
  Result<Stream*> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  std::deque<Call> orphans;
  {
    ReportThreads& reports = Reports();
    std::lock_guard<std::mutex> lock(reports.mutex);
    const uint64_t serving = stream.report_thread.load(std::memory_order_relaxed);
    if (serving == 0) {
      return Refuse(kRtStreamSubscribe,
                    "stream has no report thread; expected a subscribed stream.",
                    "call aclrtSubscribeReport first", "runtime/report/not-subscribed");
    }
    if (serving != thread_id) {
      return Refuse(kRtThreadSubscribe,
                    Cat("threadId is ", thread_id, " but stream is served by thread ", serving,
                        "; expected the same."),
                    "pass the number that aclrtSubscribeReport got", "runtime/report/other-thread");
    }
    stream.report_thread.store(0, std::memory_order_relaxed);
    orphans = Leave(reports, thread_id);
  }
  for (const Call& call : orphans) PerformElsewhere(call);
  return Ok();
}

// What a queued callback carries until the stream gets there.
struct QueuedCall {
  Call call;
  ReportThreadRef thread;  // null: a thread of ours
};

void StartCall(void* payload, AclimbSuspension* suspension) {
  const std::unique_ptr<QueuedCall> queued(static_cast<QueuedCall*>(payload));
  if (suspension == nullptr) return;  // dropped
  queued->call.suspension = suspension;
  if (queued->thread != nullptr) {
    queued->thread->Post(queued->call);
  } else {
    PerformElsewhere(queued->call);
  }
}

Status CannotQueue(int code) {
  return Refuse(code, "the callback cannot be queued.", "look at the backend's log",
                "runtime/callback/queue");
}

Status QueueBlocking(Stream& stream, const Call& call, ReportThreadRef thread) {
  uint32_t id = 0;
  const int code = Backend().queue_suspend(stream.queue, StartCall,
                                           new QueuedCall{call, std::move(thread)}, &id);
  NoteTask(id);
  return code == 0 ? Ok() : CannotQueue(code);
}

Status QueueFree(Stream& stream, const Call& call, ReportThreadRef thread) {
  AclimbTask task = {};
  task.name = "callback";
  task.run = [](void* payload) {
    const auto* queued = static_cast<QueuedCall*>(payload);
    queued->thread->Post(queued->call);
    return 0;
  };
  task.release = [](void* payload) { delete static_cast<QueuedCall*>(payload); };
  task.payload = new QueuedCall{call, std::move(thread)};
  task.cost_bytes = 1;
  uint32_t id = 0;
  const int code = Backend().queue_submit(stream.queue, &task, &id);
  NoteTask(id);
  return code == 0 ? Ok() : CannotQueue(code);
}

Status LaunchCallback(aclrtCallback fn, void* data, aclrtCallbackBlockType block,
                      aclrtStream handle) {
  if (fn == nullptr) return NullArgument("fn");
  if (block != ACL_CALLBACK_NO_BLOCK && block != ACL_CALLBACK_BLOCK) {
    return BadValue("blockType", block, "ACL_CALLBACK_NO_BLOCK or ACL_CALLBACK_BLOCK",
                    "callback/block-type");
  }
  Result<Stream*> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  const ReportThreadRef thread =
      FindReportThread(stream.report_thread.load(std::memory_order_relaxed));
  if (thread == nullptr) {
    return Refuse(kRtStreamNoCallback, "stream has no report thread; expected a subscribed stream.",
                  "call aclrtSubscribeReport first, or use aclrtLaunchHostFunc",
                  "runtime/callback/not-subscribed");
  }
  const Call call = {fn, data, nullptr};
  return block == ACL_CALLBACK_BLOCK ? QueueBlocking(stream, call, thread)
                                     : QueueFree(stream, call, thread);
}

Status NotAReportThread() {
  return Refuse(kRtThreadSubscribe,
                "the calling thread serves no stream; expected a subscribed thread.",
                "call aclrtSubscribeReport with pthread_self() of this thread first",
                "runtime/report/not-a-report-thread");
}

Status ProcessReport(int32_t timeout) {
  ACLIMB_CHECK_OK(CheckTimeout(timeout));
  const ReportThreadRef thread = FindReportThread(static_cast<uint64_t>(pthread_self()));
  if (thread == nullptr) return NotAReportThread();
  std::deque<Call> due;
  {
    std::unique_lock<std::mutex> lock(thread->mutex);
    const auto ready = [&] { return !thread->due.empty() || thread->streams == 0; };
    if (timeout == -1) {
      thread->changed.wait(lock, ready);
    } else {
      thread->changed.wait_until(
          lock, std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout), ready);
    }
    if (thread->due.empty() && thread->streams == 0) return NotAReportThread();
    due.swap(thread->due);
  }
  if (due.empty()) {
    return Refuse(
        kRtReportTimeout, Cat("no callback was due within ", timeout, " ms; expected one."),
        "call again: this code is the normal end of an idle wait", "runtime/report/timeout");
  }
  for (const Call& call : due) Perform(call);
  return Ok();
}

}  // namespace

void ForgetReportThread(Stream& stream) {
  std::deque<Call> orphans;
  {
    ReportThreads& reports = Reports();
    std::lock_guard<std::mutex> lock(reports.mutex);
    const uint64_t serving = stream.report_thread.exchange(0, std::memory_order_relaxed);
    if (serving != 0) orphans = Leave(reports, serving);
  }
  for (const Call& call : orphans) PerformElsewhere(call);
}

}  // namespace aclimb

extern "C" {

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return aclimb::Enter("aclrtSubscribeReport", [&] { return aclimb::Subscribe(threadId, stream); });
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return aclimb::Enter("aclrtUnSubscribeReport",
                       [&] { return aclimb::Unsubscribe(threadId, stream); });
}

aclError aclrtProcessReport(int32_t timeout) {
  return aclimb::Enter("aclrtProcessReport", [&] { return aclimb::ProcessReport(timeout); });
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  return aclimb::Enter("aclrtLaunchCallback",
                       [&] { return aclimb::LaunchCallback(fn, userData, blockType, stream); });
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return aclimb::Enter("aclrtLaunchHostFunc", [&]() -> aclimb::Status {
    if (fn == nullptr) return aclimb::NullArgument("fn");
    aclimb::Result<aclimb::Stream*> found = aclimb::ResolveStream(stream);
    if (!found.ok()) return found.TakeStatus();
    ACLIMB_CHECK_OK(
        aclimb::QueueBlocking(*found.value(), aclimb::Call{fn, args, nullptr}, nullptr));
    return aclimb::FinishLaunch(*found.value());
  });
}

}  // extern "C"
