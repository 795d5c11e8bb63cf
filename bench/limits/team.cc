#include "bench/limits/team.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

namespace aclimb::bench {
namespace {

std::vector<int> CoresOfMask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) cores.push_back(core);
    }
  }
  return cores;
}

void Pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

int AvailableCores() { return std::max(1, static_cast<int>(CoresOfMask().size())); }

Team::Team(int size) : size_(size), cores_(CoresOfMask()) {
  for (int i = 1; i < size; ++i) threads_.emplace_back([this, i] { Loop(i); });
  if (!cores_.empty()) Pin(cores_[0]);
}

Team::~Team() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
  // The caller gets its whole mask back.
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores_) CPU_SET(core, &set);
  (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

void Team::Loop(int index) {
  if (!cores_.empty()) Pin(cores_[static_cast<size_t>(index) % cores_.size()]);
  for (int seen = 0;; ++seen) {
    while (generation_.load(std::memory_order_acquire) == seen) {
      if (stop_) return;
      Pause();
    }
    (*work_)(index);
    finished_.fetch_add(1, std::memory_order_release);
  }
}

void Team::Run(const std::function<void(int)>& work) {
  work_ = &work;
  finished_ = 0;
  generation_.fetch_add(1, std::memory_order_release);
  work(0);
  while (finished_.load(std::memory_order_acquire) != size_ - 1) Pause();
}

Seconds Time(int repeats, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  work();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const Clock::time_point begin = Clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds[0]};
}

}  // namespace aclimb::bench
