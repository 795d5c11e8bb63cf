// The engine's thread: how it starts, sleeps, spins, watches the time and stops at exit.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>

#include "aclimb/core/codes.h"
#include "aclimb/core/cores.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/core/spin_lock.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/marker.h"

namespace aclimb::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Waking a sleeping thread costs about 45 microseconds, so spinning for as long can at most double
// the cost; not longer, because a spinning thread takes a core from the compute team.
constexpr auto kEngineSpin = std::chrono::microseconds(50);
constexpr auto kWaiterSpin = std::chrono::microseconds(20);
constexpr auto kTick = std::chrono::milliseconds(1);
constexpr auto kExitWait = std::chrono::seconds(2);

thread_local bool is_engine_thread = false;

bool SpinPays() {
  static constinit std::atomic<int> cores{0};
  int known = cores.load(std::memory_order_relaxed);
  if (known == 0) {
    known = CoreCount();
    cores.store(known, std::memory_order_relaxed);
  }
  return known > 1;
}

// Until `done` says so or the time is up. Without the lock.
template <typename Done>
void SpinUntil(Clock::time_point end, Done&& done) {
  while (!done() && Clock::now() < end) Pause();
}

std::map<int, Engine*>& Engines() {
  static auto* const engines = new std::map<int, Engine*>;
  return *engines;
}

}  // namespace

// At exit the libraries that a kernel uses are torn down under it. So the engines stop between two
// tasks, and exit waits a bounded time for the task that runs.
void ParkEngines() {
  if (is_engine_thread || CaughtByFork()) return;
  const auto deadline = Clock::now() + kExitWait;
  std::unique_lock<std::mutex> lock(Scheduler::Get().mutex);
  for (const auto& [device, engine] : Engines()) {
    engine->parked_ = true;
    while (engine->executing_ && Clock::now() < deadline) {
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      lock.lock();
    }
  }
}

bool AnyTaskRuns() {
  const auto runs = [](const auto& entry) { return entry.second->TaskRuns(); };
  return std::any_of(Engines().begin(), Engines().end(), runs);
}

void ContinueEngines() noexcept {
  for (const auto& [device, engine] : Engines()) engine->Continue();
}

void RenewEngines() {
  for (const auto& [device, engine] : Engines()) engine->Renew();
}

void ForgetThisThread() {
  is_engine_thread = false;
  ForgetThreadId();
}

Engine* EngineOf(int device) {
  std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
  Engine*& engine = Engines()[device];
  if (engine == nullptr) engine = new Engine;
  return engine;
}

void Engine::Start() {
  if (started_) return;
  // Reads the control groups on first use, which takes memory: not in the middle of a program.
  (void)SpinPays();
  static const bool registered = std::atexit([] { ParkEngines(); }) == 0;
  (void)registered;
  QuietThread([this] { Loop(); }).Name("aclimb-engine");
  started_ = true;
}

void Engine::Wake() noexcept {
  EndDeferral();
  signals_.store(signals_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (sleeping_) wake_.notify_one();
}

void Engine::Unpark() {
  if (!parked_) return;
  parked_ = false;
  Wake();
}

bool Engine::MayRun() const { return !executing_ && HaltsAtOnce(); }

bool Engine::HaltsAtOnce() const {
  return !parked_ && !Scheduler::Get().fork_waits.load(std::memory_order_relaxed);
}

void Engine::Continue() noexcept {
  if (ready_count_ != 0) Wake();
}

void Engine::Renew() {
  new (&wake_) std::condition_variable;
  started_ = false;
  sleeping_ = false;
  executing_ = false;
  worked_ = false;
  spinning_ = false;
  ticking_ = false;
  deferred_ = false;
  expects_waiter_ = false;
  run_inline_ = nullptr;
  ticks_left_ = 0;
  next_deadline_ = Clock::time_point::max();
}

void Engine::SpinFor(const AclimbQueue& queue, uint64_t target, Clock::time_point deadline,
                     std::unique_lock<std::mutex>& lock) {
  if (!SpinPays() || queue.suspended || queue.blocked_on != nullptr) return;
  // The team of a long task needs the core that the waiter has.
  if (queue.tasks.front().run.cost_bytes > kLongBytes) return;
  lock.unlock();
  SpinUntil(std::min(deadline, Clock::now() + kWaiterSpin),
            [&] { return queue.finished.load(std::memory_order_acquire) >= target; });
  lock.lock();
}

// Waits for events that ran out of time become the queue's error, and the queue goes on.
void Engine::ExpireWaits(std::unique_lock<std::mutex>& lock) {
  if (next_deadline_ == Clock::time_point::max()) return;
  const auto now = Clock::now();
  if (now < next_deadline_) return;
  next_deadline_ = Clock::time_point::max();
  TaskList dropped;
  for (const auto& queue : Scheduler::Get().queues()) {
    if (queue->engine != this || queue->blocked_on == nullptr) continue;
    const Task wait = queue->tasks.front();
    if (wait.deadline > now) {
      next_deadline_ = std::min(next_deadline_, wait.deadline);
      continue;
    }
    AclimbMarker* marker = queue->blocked_on;
    queue->blocked_on = nullptr;
    marker->blocked.Erase(queue.get());
    queue->PopFront();
    queue->Fail(wait, kRtEventSyncTimeout, nullptr, &dropped);
    marker->Release();
    MakeReady(queue.get());
  }
  if (dropped.empty()) return;
  lock.unlock();
  DropAll(dropped);
  lock.lock();
}

void Engine::Idle(std::unique_lock<std::mutex>& lock) {
  if (SpinPays() && worked_) {
    worked_ = false;
    spinning_ = true;
    const uint64_t seen = signals_.load(std::memory_order_acquire);
    const auto end = std::min(next_deadline_, Clock::now() + kEngineSpin);
    lock.unlock();
    SpinUntil(end, [&] { return signals_.load(std::memory_order_acquire) != seen; });
    lock.lock();
    spinning_ = false;
    deferred_ = false;
  }
  if (ready_count_ != 0 && MayRun()) return;
  auto deadline = next_deadline_;
  if (ticks_left_ > 0) {
    --ticks_left_;
    ticking_ = true;
    deadline = std::min(deadline, Clock::now() + kTick);
  }
  // A fork that gave up waking nobody must not leave work lying.
  if (ready_count_ != 0 && !parked_) deadline = std::min(deadline, Clock::now() + kTick);
  sleeping_ = true;
  if (deadline == Clock::time_point::max()) {
    wake_.wait(lock);
  } else {
    wake_.wait_until(lock, deadline);
  }
  sleeping_ = false;
  ticking_ = false;
  EndDeferral();
}

void Engine::Loop() {
  is_engine_thread = true;
  const int forks = ForkCount();
  std::unique_lock<std::mutex> lock(Scheduler::Get().mutex);
  for (;;) {
    ExpireWaits(lock);
    AclimbQueue* const queue = MayRun() ? PickNext() : nullptr;
    if (queue == nullptr) {
      Idle(lock);
    } else {
      RunTurn(queue, lock, /*small_only=*/false);
      // A callback of the program that no other thread could make has forked.
      if (ForkCount() != forks) {
        lock.unlock();
        EndForkedChild();
      }
      worked_ = true;
    }
  }
}

}  // namespace aclimb::cpu
