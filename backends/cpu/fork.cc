// What the backend does around a fork. No task is caught half way, unless it takes long; in the
// child the engines begin anew, and the queues that had work are lost.

#include "aclimb/core/fork.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "backends/cpu/engine.h"
#include "backends/cpu/marker.h"
#include "backends/cpu/queue.h"
#include "backends/cpu/scheduler.h"

namespace aclimb::cpu {
namespace {

// What the engine need not run for is done at the fork, as it would be a moment later.
void PassAllFinished(const Scheduler& scheduler) {
  for (bool again = true; again;) {
    again = false;
    for (const auto& queue : scheduler.queues()) again = queue->PassFinished() || again;
  }
}

// Those of the child have no waiters, and their inside may have been caught half way.
void RenewConditions(const Scheduler& scheduler) {
  for (const auto& queue : scheduler.queues()) {
    new (&queue->changed) std::condition_variable;
    for (const Task& task : queue->tasks) {
      if (task.kind == Task::Kind::kMarker) new (&task.marker->changed) std::condition_variable;
    }
  }
}

class SchedulerPart final : public ForkPart {
 public:
  bool TryLock(bool late) override {
    Scheduler& scheduler = Scheduler::Get();
    if (!scheduler.mutex.try_lock()) return false;
    if (!late && AnyTaskRuns()) {
      scheduler.fork_waits.store(true, std::memory_order_relaxed);
      scheduler.mutex.unlock();
      return false;
    }
    scheduler.fork_waits.store(false, std::memory_order_relaxed);
    PassAllFinished(scheduler);
    return true;
  }

  void Unlock() override {
    ContinueEngines();
    Scheduler::Get().mutex.unlock();
  }

  void GiveUp() override { Scheduler::Get().fork_waits.store(false, std::memory_order_relaxed); }

  void Renew(bool locked) override {
    Scheduler& scheduler = Scheduler::Get();
    if (locked) {
      ForgetThreads(scheduler);
      scheduler.mutex.unlock();
    }
    new (&scheduler.mutex) std::mutex;
  }

  // Gives back what the tasks held, which may take any lock.
  void Resume() override {
    if (dropped_ == nullptr) return;
    DropAll(*dropped_);
    delete dropped_;
    dropped_ = nullptr;
  }

 private:
  void ForgetThreads(Scheduler& scheduler) {
    ForgetThisThread();
    RenewConditions(scheduler);
    RenewEngines();
    dropped_ = new TaskList;
    const std::vector<std::shared_ptr<AclimbQueue>> queues = scheduler.queues();
    for (const auto& queue : queues) {
      queue->Lose(dropped_);
      if (queue->destroyed) scheduler.Remove(queue.get());
    }
  }

  TaskList* dropped_ = nullptr;
};
SchedulerPart scheduler_part;

}  // namespace
}  // namespace aclimb::cpu
