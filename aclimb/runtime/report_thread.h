#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "aclimb/runtime/host_call.h"
#include "aclimb/runtime/stream.h"

namespace aclimb {

// A thread of the program that serves the callbacks of streams.
struct ReportThread {
  std::mutex mutex;
  std::condition_variable changed;
  HostCalls due;
  bool lost = false;  // calls that were due, to the parent of a fork
  int streams = 0;    // subscribed ones
  int device = 0;

  // A call that nobody will fetch any more goes to a thread of our own.
  void Post(HostCalls call) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (streams > 0) {
        due.splice(due.end(), call);
        changed.notify_one();
        return;
      }
    }
    PerformElsewhere(std::move(call));
  }

  // Around a fork; as those of ForkPart.
  bool TryLock() { return mutex.try_lock(); }
  void Unlock() { mutex.unlock(); }
  void Renew(bool locked);
};
using ReportThreadRef = std::shared_ptr<ReportThread>;

// The thread of aclrtSubscribeReport with this number; null when it serves no stream.
ReportThreadRef FindReportThread(uint64_t id);
// The stream goes: its report thread, if any, serves it no more.
void ForgetReportThread(Stream& stream);

}  // namespace aclimb
