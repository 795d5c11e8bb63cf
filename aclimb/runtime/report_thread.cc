#include "aclimb/runtime/report_thread.h"

#include <pthread.h>

#include <chrono>
#include <map>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

struct ReportThreads {
  std::mutex mutex;
  std::map<uint64_t, ReportThreadRef> by_id;
};
ReportThreads& Reports() {
  static auto* const reports = new ReportThreads;
  return *reports;
}

class ReportsPart final : public ForkPart {
 public:
  bool TryLock(bool) override {
    ReportThreads& reports = Reports();
    if (!reports.mutex.try_lock()) return false;
    for (auto at = reports.by_id.begin(); at != reports.by_id.end(); ++at) {
      if (at->second->TryLock()) continue;
      while (at != reports.by_id.begin()) (--at)->second->Unlock();
      reports.mutex.unlock();
      return false;
    }
    return true;
  }

  void Unlock() override {
    ReportThreads& reports = Reports();
    for (const auto& [id, thread] : reports.by_id) thread->Unlock();
    reports.mutex.unlock();
  }

  // The thread that has forked goes on; the streams of others have no report thread.
  void Renew(bool locked) override {
    ReportThreads& reports = Reports();
    if (locked) {
      for (const auto& [id, thread] : reports.by_id) thread->Renew(locked);
      std::erase_if(reports.by_id, [](const auto& entry) {
        return entry.first != static_cast<uint64_t>(pthread_self());
      });
      reports.mutex.unlock();
    }
    new (&reports.mutex) std::mutex;
  }
};
ReportsPart reports_part;

constexpr size_t kMostReportThreads = 1024;

Status Subscribe(uint64_t thread_id, aclrtStream handle) {
  Result<StreamRef> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  if (thread_id == 0) {
    return BadValue("threadId", 0, "pthread_self() of a thread", "report/thread-id");
  }
  ReportThreads& reports = Reports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  const uint64_t before = stream.report_thread.load(std::memory_order_relaxed);
  // Of a stream that was subscribed before a fork, the thread may be unknown.
  if (before != 0 && reports.by_id.count(before) != 0) {
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
  const int device = stream.device->id;
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
HostCalls Leave(ReportThreads& reports, uint64_t thread_id) {
  HostCalls orphans;
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
  Result<StreamRef> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  HostCalls orphans;
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
  PerformElsewhere(std::move(orphans));
  return Ok();
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
  const CancelGuard uncancelled;
  HostCalls due;
  {
    std::unique_lock<std::mutex> lock(thread->mutex);
    if (std::exchange(thread->lost, false)) return LostCallbacks();
    const auto ready = [&] { return !thread->due.empty() || thread->streams == 0; };
    {
      const CancelPoint here(uncancelled);
      if (timeout == -1) {
        thread->changed.wait(lock, ready);
      } else {
        thread->changed.wait_until(
            lock, std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout), ready);
      }
    }
    if (thread->due.empty() && thread->streams == 0) return NotAReportThread();
    due.swap(thread->due);
  }
  if (due.empty()) {
    return Refuse(
        kRtReportTimeout, Cat("no callback was due within ", timeout, " ms; expected one."),
        "call again: this code is the normal end of an idle wait", "runtime/report/timeout");
  }
  const int forks = ForkCount();
  for (const HostCall& call : due) {
    Perform(call);
    // One has forked, and this is the child: the others are the parent's.
    if (ForkCount() != forks) break;
  }
  return Ok();
}

}  // namespace

void ReportThread::Renew(bool locked) {
  lost = lost || !due.empty();
  due.clear();
  new (&changed) std::condition_variable;
  if (locked) mutex.unlock();
  new (&mutex) std::mutex;
}

ReportThreadRef FindReportThread(uint64_t id) {
  ReportThreads& reports = Reports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  const auto it = reports.by_id.find(id);
  return it != reports.by_id.end() ? it->second : nullptr;
}

void ForgetReportThread(Stream& stream) {
  HostCalls orphans;
  {
    ReportThreads& reports = Reports();
    std::lock_guard<std::mutex> lock(reports.mutex);
    const uint64_t serving = stream.report_thread.exchange(0, std::memory_order_relaxed);
    if (serving != 0) orphans = Leave(reports, serving);
  }
  PerformElsewhere(std::move(orphans));
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
  return aclimb::EnterWait("aclrtProcessReport", [&] { return aclimb::ProcessReport(timeout); });
}

}  // extern "C"
