#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "backends/cpu/queue.h"
#include "backends/cpu/queue_list.h"

namespace aclimb::cpu {

// Runs the ready tasks of one device's queues, one at a time, on a thread of its own that starts
// with the first task. A task may open an OpenMP team, which only this thread may; others are also
// run by threads that wait for them. Never destroyed.
class Engine {
 public:
  // 0 is the highest priority.
  static constexpr uint32_t kPriorities = 8;
  // Traffic of a task that takes a hundred microseconds or more.
  static constexpr uint64_t kLongBytes = 8 * ACLIMB_INLINE_BYTES;

  // ---- Under the scheduler's lock ----

  // Starts the thread, once; throws when the system has none. No other function here throws or
  // needs memory: the thread could not tell anybody.
  void Start();
  // Puts the queue into the ready list if it has something to run.
  void MakeReady(AclimbQueue* queue) noexcept;
  // Takes the queue, which has lost its tasks, out of the ready list again.
  void Unready(AclimbQueue* queue) noexcept;
  // Runs the queue's front tasks on the calling thread, one after the other until `done()`, as long
  // as the engine is idle, nothing else is ready and they need no engine. Says whether it ran any.
  // The lock is released meanwhile; the caller keeps the queue from being destroyed.
  template <typename Done>
  bool TryRunInline(AclimbQueue* queue, std::unique_lock<std::mutex>& lock, const Done& done) {
    if (!RunOneInline(queue, lock)) return false;
    while (!done() && RunOneInline(queue, lock)) {
    }
    // What is left, or became ready meanwhile, found somebody at work.
    Continue();
    return true;
  }
  // The queue's front task, a halt, begins. The lock is released meanwhile.
  void Halt(AclimbQueue* queue, std::unique_lock<std::mutex>& lock);
  // Whether a halt that nothing is in front of begins on the thread that submits it, which saves
  // waking the engine's.
  bool HaltsAtOnce() const;
  // The queue's front task, a wait, begins to wait for the marker, and its time begins to run.
  void Block(AclimbQueue* queue, AclimbMarker* marker) noexcept;
  // Has the engine look at its queues.
  void Wake() noexcept;
  // Somebody is about to wait or to look: a task whose wake-up was put off must start now.
  void FlushDeferred();
  // Work may run again after the process began to exit.
  void Unpark();
  bool TaskRuns() const { return executing_; }
  // How often Wake() was called.
  uint64_t wakes() const { return signals_.load(std::memory_order_relaxed); }
  // Has the engine run what is ready and whose wake-up was left out.
  void Continue() noexcept;
  // In a child of fork: there is no thread, and nobody waits.
  void Renew();

  // Waits without the lock, for a short while and not past the deadline, until the queue has
  // finished `target` tasks: cheaper than sleeping when the work is about to end.
  void SpinFor(const AclimbQueue& queue, uint64_t target,
               std::chrono::steady_clock::time_point deadline, std::unique_lock<std::mutex>& lock);

 private:
  bool MayRun() const;
  AclimbQueue* PickNext();
  bool RunOneInline(AclimbQueue* queue, std::unique_lock<std::mutex>& lock);
  // These two may leave a destroyed queue gone.
  void RunTurn(AclimbQueue* queue, std::unique_lock<std::mutex>& lock, bool small_only);
  // Returns whether the queue is still there. `dropped` as in AclimbQueue::Fail.
  bool RunTask(AclimbQueue* queue, std::unique_lock<std::mutex>& lock, TaskList* dropped);
  void Loop();
  void Idle(std::unique_lock<std::mutex>& lock);
  void ExpireWaits(std::unique_lock<std::mutex>& lock);
  // The engine's thread has the task that was left to a thread that waits: there was none.
  void EndDeferral() noexcept {
    if (deferred_) expects_waiter_ = false;
    deferred_ = false;
  }

  // For a while after work the engine spins, and then looks around by itself, once a millisecond.
  // It is not told of a lone task while it spins, nor between two looks of a lone one that is short
  // or follows one that a waiting thread has run: either a synchronising call runs the task, which
  // saves waking its thread at the end, or the engine finds it.
  static constexpr int kTicks = 50;

  std::array<QueueList, kPriorities> ready_;
  size_t ready_count_ = 0;
  std::condition_variable wake_;
  std::atomic<uint64_t> signals_{0};  // changed under the lock, read by the spinning engine
  bool started_ = false;
  bool sleeping_ = false;
  bool executing_ = false;  // on any thread
  bool worked_ = false;     // more may follow soon: worth a spin
  bool spinning_ = false;
  bool ticking_ = false;   // sleeps for one tick at most
  bool deferred_ = false;  // a task is ready and the engine's thread was not told
  // The last task was run by a thread that waited for it, so the next one may be.
  bool expects_waiter_ = false;
  // Whose tasks a thread runs that waits for them: it goes on with the next one itself.
  const AclimbQueue* run_inline_ = nullptr;
  int ticks_left_ = 0;
  // No wait expires before; it may be of a wait that has ended.
  std::chrono::steady_clock::time_point next_deadline_ =
      std::chrono::steady_clock::time_point::max();
  bool parked_ = false;

  friend void ParkEngines();
};

// The engine of a device, created on first use.
Engine* EngineOf(int device);

// ---- Around a fork, under the scheduler's lock ----
bool AnyTaskRuns();
void ContinueEngines() noexcept;
void RenewEngines();
// The thread that has forked is the child's only one, whatever it was before.
void ForgetThisThread();

// True while the calling thread runs a task whose queue was aborted.
bool Cancelled();
// What the task that the calling thread runs says about its failure; see AclimbBackend.
void Explain(const char* text);

}  // namespace aclimb::cpu
