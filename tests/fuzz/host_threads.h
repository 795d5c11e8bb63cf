#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace aclimb::fuzz {

// A host thread that does one thing at a time on behalf of another, which waits for it: calls of
// several threads then come in an order that the byte string fixes. Lives as long as the process.
class HostThread {
 public:
  HostThread() {
    std::thread([this] { Loop(); }).detach();
  }
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;

  void Do(const std::function<void()>& work) {
    std::unique_lock<std::mutex> lock(mutex_);
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
  }

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return work_ != nullptr; });
      (*work_)();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
};

}  // namespace aclimb::fuzz
