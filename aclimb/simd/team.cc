#include "aclimb/simd/team.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "aclimb/core/cores.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/futex.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/core/spin_lock.h"

namespace aclimb {
namespace {

using Clock = std::chrono::steady_clock;

// What it takes to wake a sleeping thread, about.
constexpr auto kWakeTime = std::chrono::microseconds(50);
// Loops of one operator follow each other faster, and so do the operators of a program that waits
// for each.
constexpr auto kSpin = 2 * kWakeTime;
// A piece of a loop is short, unless its thread lost the core.
constexpr auto kCallerSpin = std::chrono::microseconds(20);

// Asking for a thread in vain costs as much as a short loop.
constexpr auto kTeamRetry = std::chrono::milliseconds(100);

// Looks at `done` until it says yes or the time is up; what it said last.
template <typename Done>
bool SpinUntil(Clock::duration patience, Done&& done) {
  // On one core, what is waited for cannot happen meanwhile.
  if (CoreCount() == 1) return done();
  constexpr int kLooks = 32;  // between two looks at the clock
  const auto end = Clock::now() + patience;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      Pause();
    }
  } while (Clock::now() < end);
  return false;
}

}  // namespace

void LeaveCore(int core) {
  cpu_set_t all, now;
  if (sched_getaffinity(0, sizeof(all), &all) != 0 || CPU_COUNT(&all) < 2) return;
  cpu_set_t others = all;
  CPU_CLR(core, &others);
  if (sched_setaffinity(0, sizeof(others), &others) != 0) return;
  // Somebody else may have changed the thread's cores meanwhile: theirs count.
  if (sched_getaffinity(0, sizeof(now), &now) != 0 || !CPU_EQUAL(&now, &others)) return;
  (void)sched_setaffinity(0, sizeof(all), &all);
}

// A child of fork has none of the threads, and whatever they were doing will never end there: it
// begins with a new team in the same place.
class TeamForkPart final : public ForkPart {
 public:
  static Team& Get() { return team_; }

  // A task that has the team is waited for as a task.
  bool TryLock(bool) override { return true; }
  void Unlock() override {}
  void Renew(bool) override { new (&team_) Team; }

 private:
  static constinit inline Team team_;
};

namespace {
TeamForkPart team_fork_part;
}

Team& Team::Get() { return TeamForkPart::Get(); }

void Team::Run(int members, Length length, Body body, void* context) {
  const int places = std::min(members - 1, static_cast<int>(kPlaces / kPlace));
  if (places < 1 || busy_.exchange(true, std::memory_order_acquire)) {
    body(context, 0);
    return;
  }
  Grow(places);
  body_ = body;
  context_ = context;
  core_.store(sched_getcpu(), std::memory_order_relaxed);
  state_.store(kOpen + static_cast<uint32_t>(places) * kPlace, std::memory_order_release);
  const bool slept = Wake(places, length);
  body(context, 0);
  const auto all_left = [&] { return state_.load(std::memory_order_acquire) < kInside; };
  state_.fetch_and(~kOpen, std::memory_order_acq_rel);
  if (!all_left() && !SpinUntil(kCallerSpin, all_left)) {
    uint32_t state = state_.fetch_or(kCallerSleeps, std::memory_order_acq_rel) | kCallerSleeps;
    while (state >= kInside) {
      FutexWait(state_, state);
      state = state_.load(std::memory_order_acquire);
    }
  }
  if (slept) asleep_ = Clock::now();
  busy_.store(false, std::memory_order_release);
}

bool Team::Wake(int places, Length length) {
  // In this order, which AwaitRound has the other way round: who goes to sleep now sees the round,
  // or is seen to sleep.
  round_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return false;
  if (length == Length::kLong || Clock::now() < asleep_ + kWakeTime) FutexWake(round_, places);
  return true;
}

void Team::Grow(int threads) {
  if (threads_ >= threads || Clock::now() < refused_ + kTeamRetry) return;
  try {
    for (; threads_ < threads; ++threads_) {
      QuietThread thread([this, member = threads_ + 1] { Loop(member); });
      thread.Name("aclimb-team");
    }
  } catch (...) {  // The system has no thread or no memory now.
    refused_ = Clock::now();
  }
}

void Team::Loop(int member) {
  // A new thread joins the round that it was started for.
  for (uint32_t seen = round_.load(std::memory_order_acquire);; seen = AwaitRound(seen)) {
    if (!Join()) continue;
    body_(context_, member);
    Leave();
  }
}

uint32_t Team::AwaitRound(uint32_t seen) {
  const auto has_come = [&] { return round_.load(std::memory_order_acquire) != seen; };
  if (!SpinUntil(kSpin, has_come)) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    while (!has_come()) FutexWait(round_, seen);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
    // The system wakes a thread on the core of the thread that wakes it where the other cores have
    // just been busy. There it would wait for that thread, which does not wait, to the end of a
    // time slice, loop after loop.
    const int core = sched_getcpu();
    if (core >= 0 && core == core_.load(std::memory_order_relaxed)) LeaveCore(core);
  }
  return round_.load(std::memory_order_acquire);
}

bool Team::Join() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  do {
    if ((state & kOpen) == 0 || (state & kPlaces) == 0) return false;
  } while (!state_.compare_exchange_weak(state, state - kPlace + kInside, std::memory_order_acquire,
                                         std::memory_order_relaxed));
  return true;
}

void Team::Leave() {
  const uint32_t state = state_.fetch_sub(kInside, std::memory_order_acq_rel) - kInside;
  if (state < kInside && (state & kCallerSleeps) != 0) FutexWake(state_, 1);
}

}  // namespace aclimb
