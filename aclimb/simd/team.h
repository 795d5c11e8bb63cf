#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace aclimb {

// Moves the calling thread from the core to another one of those that it may use. It may use the
// same ones afterwards.
void LeaveCore(int core);

// The compute threads of the process, beside the thread that has work for them. Nobody waits for a
// thread that is late or missing: the caller begins at once, threads join while it is at work, and
// the caller returns when it has ended and those that joined have left. So a loop has to be shared
// out by taking its pieces, never by assigning them.
//
// Threads start when they are first needed. Where the system refuses one, the team is smaller. A
// thread that has just worked looks for more for a short while, so that the next loop finds it
// awake, and then sleeps. In a child of fork the team starts anew.
class Team {
 public:
  // `member` is 0 on the caller and positive elsewhere: the same on the same thread of the team.
  using Body = void (*)(void* context, int member);

  // Waking a sleeping thread takes as long as a short loop does. So short loops leave them asleep,
  // unless one follows the other so closely that the next one will gain.
  enum class Length { kShort, kLong };

  static Team& Get();

  // Runs the body on the caller and on up to `members - 1` threads. One loop of the process has the
  // team at a time; another one's caller works alone. The body throws nothing.
  void Run(int members, Length length, Body body, void* context);

 private:
  friend class TeamForkPart;
  constexpr Team() = default;

  void Grow(int threads);
  // Whether threads slept.
  bool Wake(int places, Length length);
  void Loop(int member);
  uint32_t AwaitRound(uint32_t seen);
  bool Join();
  void Leave();

  // state_: whether threads may join, how many more, how many are inside, whether the caller
  // sleeps.
  static constexpr uint32_t kOpen = 1;
  static constexpr uint32_t kCallerSleeps = 2;
  static constexpr uint32_t kPlace = 4;
  static constexpr uint32_t kPlaces = 0x3FFF * kPlace;
  static constexpr uint32_t kInside = 0x10000;

  std::atomic<bool> busy_{false};
  Body body_ = nullptr;
  void* context_ = nullptr;
  std::atomic<int> core_{-1};  // where the caller began
  // Changed by the caller that has the team.
  int threads_ = 0;                                // started
  std::chrono::steady_clock::time_point refused_;  // when the system last had no thread
  std::chrono::steady_clock::time_point asleep_;   // when a loop that found threads asleep ended

  // On cache lines of their own: idle threads look at the one all the time.
  alignas(64) std::atomic<uint32_t> round_{0};
  std::atomic<uint32_t> sleepers_{0};
  alignas(64) std::atomic<uint32_t> state_{0};
};

}  // namespace aclimb
