#include "aclimb/runtime/host_call.h"

#include <condition_variable>
#include <cstdio>
#include <exception>
#include <iterator>
#include <mutex>

#include "aclimb/core/float_state.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/runtime/device.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

// Never destroyed; its threads end with the process.
class HelperThreads final : public ForkPart {
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

  bool TryLock(bool) override { return mutex_.try_lock(); }
  void Unlock() override { mutex_.unlock(); }
  // What waits for a thread is the parent's.
  void Renew(bool locked) override {
    if (locked) {
      calls_.clear();
      threads_ = 0;
      idle_ = 0;
      mutex_.unlock();
    }
    new (&wake_) std::condition_variable;
    new (&mutex_) std::mutex;
  }

 private:
  void StartThread() {
    QuietThread thread([this] { Loop(); });
    ++threads_;
  }

  void Loop() {
    const int forks = ForkCount();
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
        if (ThreadState* const own = ThisThreadOrNull()) own->Reset();
        Perform(mine.front());
      }
      if (ForkCount() != forks) EndForkedChild();
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
// Made while the library is loaded, so that a fork finds it.
[[maybe_unused]] const HelperThreads& helpers_made = Helpers();

//   what  the exception says, or null
void NoteException(const HostCall& call, const char* what) noexcept {
  if (call.end == nullptr) return;
  char(&why)[sizeof(call.end->why)] = call.end->why;  // there may be no memory for a string
  if (what == nullptr) {
    std::snprintf(why, sizeof(why), "its function threw an exception; expected it to return.");
  } else {
    std::snprintf(why, sizeof(why),
                  "its function threw an exception (%.*s); expected it to return.",
                  static_cast<int>(sizeof(why) / 2), what);
  }
}

}  // namespace

void Perform(const HostCall& call) noexcept {
  const int forks = ForkCount();
  try {
    call.fn(call.data);
  } catch (const std::exception& thrown) {
    NoteException(call, thrown.what());
  } catch (...) {
    NoteException(call, nullptr);
  }
  if (call.suspension != nullptr && ForkCount() == forks) Backend().queue_resume(call.suspension);
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
