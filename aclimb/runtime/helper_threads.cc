#include "aclimb/runtime/helper_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace aclimb {
namespace {

struct Job {
  void (*fn)(void*);
  void* data;
};

// Never destroyed; its threads end with the process.
class HelperThreads {
 public:
  void Run(Job job) {
    std::unique_lock<std::mutex> lock(mutex_);
    jobs_.push_back(job);
    if (idle_ >= jobs_.size()) {
      wake_.notify_one();
      return;
    }
    try {
      std::thread([this] { Loop(); }).detach();
    } catch (...) {
      jobs_.pop_back();
      throw;
    }
  }

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      ++idle_;
      wake_.wait(lock, [this] { return !jobs_.empty(); });
      --idle_;
      const Job job = jobs_.front();
      jobs_.pop_front();
      lock.unlock();
      job.fn(job.data);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  size_t idle_ = 0;  // threads that wait; some of them may be about to take a job
};

}  // namespace

void RunOnHelperThread(void (*fn)(void* data), void* data) {
  static auto* const threads = new HelperThreads;
  threads->Run(Job{fn, data});
}

}  // namespace aclimb
