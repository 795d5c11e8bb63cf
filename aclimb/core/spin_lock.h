#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace aclimb {

// Between two looks of a thread that keeps its core.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Lets others run, to be called until what is waited for is there: first by yielding, then by
// sleeping, since a thread of higher priority would not yield to the one that it waits for.
class Backoff {
 public:
  void Wait() {
    constexpr int kYields = 16;
    if (turns_ < kYields) {
      ++turns_;
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  int turns_ = 0;
};

// For sections of a few instructions that take no other lock: half of what std::mutex costs when
// nobody waits.
class SpinLock {
 public:
  void lock() {
    Backoff backoff;
    while (taken_.test_and_set(std::memory_order_acquire)) backoff.Wait();
  }
  bool try_lock() { return !taken_.test_and_set(std::memory_order_acquire); }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

}  // namespace aclimb
