#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace aclimb::bench {

// Threads pinned to the first cores of the process's affinity mask, the caller being the first.
// They spin between pieces of work: a team lives for a measurement, not longer.
class Team {
 public:
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }
  // Calls work(i) on every thread i and waits for all.
  void Run(const std::function<void(int)>& work);

 private:
  void Loop(int index);

  const int size_;
  std::vector<int> cores_;
  std::atomic<int> generation_{0};
  std::atomic<int> finished_{0};
  std::atomic<bool> stop_{false};
  const std::function<void(int)>* work_ = nullptr;
  std::vector<std::thread> threads_;
};

// Cores that the process may use.
int AvailableCores();

// Seconds of the median and the best of `repeats` calls, after one that does not count.
struct Seconds {
  double median;
  double best;
};
Seconds Time(int repeats, const std::function<void()>& work);

}  // namespace aclimb::bench
