#include "aclimb/runtime/host_call.h"

#include <condition_variable>
#include <iterator>
#include <mutex>

#include "aclimb/core/float_state.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/runtime/device.h"

namespace aclimb {
namespace {

// Never destroyed; its threads end with the process.
class HelperThreads {
 public:
  // One call. False when there is no thread for it; the caller has it back then.
  bool Run(HostCalls& call) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.splice(calls_.end(), call);
    if (idle_ >= calls_.size()) {
      wake_.notify_one();
      return true;
    }
    try {
      StartThread();
    } catch (...) {
      // A thread that is busy now takes it later.
      if (threads_ > 0) return true;
      call.splice(call.end(), calls_, std::prev(calls_.end()));
      return false;
    }
    return true;
  }

  void Prepare() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (threads_ == 0) StartThread();
  }

 private:
  void StartThread() {
    QuietThread thread([this] { Loop(); });
    ++threads_;
  }

  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      ++idle_;
      wake_.wait(lock, [this] { return !calls_.empty(); });
      --idle_;
      HostCalls mine;
      mine.splice(mine.end(), calls_, calls_.begin());
      lock.unlock();
      {
        // As a new thread of a program has it, not as an earlier call left it.
        const DefaultFloatState state;
        Perform(mine.front());
      }
      mine.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  HostCalls calls_;
  size_t threads_ = 0;
  size_t idle_ = 0;  // threads that wait; some of them may be about to take a call
};

HelperThreads& Helpers() {
  static auto* const threads = new HelperThreads;
  return *threads;
}

}  // namespace

void Perform(const HostCall& call) noexcept {
  try {
    call.fn(call.data);
  } catch (...) {
  }
  if (call.suspension != nullptr) Backend().queue_resume(call.suspension);
}

void PerformElsewhere(HostCalls calls) noexcept {
  while (!calls.empty()) {
    HostCalls one;
    one.splice(one.end(), calls, calls.begin());
    if (!Helpers().Run(one)) Perform(one.front());
  }
}

void PrepareToPerformElsewhere() { Helpers().Prepare(); }

}  // namespace aclimb
