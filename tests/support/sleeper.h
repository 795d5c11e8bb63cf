#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace aclimb::testing {

// A thread that is about to wait in a call, for another one that must act while it does.
class Sleeper {
 public:
  // For the thread, right before the call.
  void Begins() { thread_ = gettid(); }
  // For the other one: returns once the thread sleeps. False if it has ended, or does not sleep
  // within a minute. The call may sleep for a moment before its wait, for a lock: that is over at
  // the next looks.
  [[nodiscard]] bool Sleeps() const {
    constexpr int kLooks = 3;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int asleep = 0; asleep < kLooks;) {
      if (std::chrono::steady_clock::now() > end) return false;
      const char state = State();
      if (state == kEnded) return false;
      asleep = state == 'S' ? asleep + 1 : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  static constexpr char kNotYet = '-', kEnded = 'X';

  // As proc(5) has it.
  char State() const {
    const pid_t thread = thread_;
    if (thread == 0) return kNotYet;
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    const size_t name_end = stat.rfind(')');
    return name_end + 2 < stat.size() ? stat[name_end + 2] : kEnded;
  }

  std::atomic<pid_t> thread_{0};
};

}  // namespace aclimb::testing
