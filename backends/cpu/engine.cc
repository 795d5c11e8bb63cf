#include "backends/cpu/engine.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "aclimb/core/codes.h"
#include "aclimb/core/float_state.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/stack.h"
#include "backends/cpu/marker.h"

namespace aclimb::cpu {
namespace {

[[gnu::tls_model("initial-exec")]] thread_local const std::atomic<int>* running_cancel_flag =
    nullptr;
// What the running task says about its failure; its memory is malloc's.
[[gnu::tls_model("initial-exec")]] thread_local char* running_text = nullptr;

// A task of unknown cost does not count as small.
bool CostsAtMost(const Task& task, uint64_t bytes) {
  if (task.kind == Task::Kind::kSuspend) return false;
  if (task.kind != Task::Kind::kRun) return true;
  return task.run.cost_bytes != 0 && task.run.cost_bytes <= bytes;
}

// Whether any thread may run it.
bool NeedsNoEngine(const Task& task) {
  return CostsAtMost(task, ACLIMB_INLINE_BYTES) ||
         (task.kind == Task::Kind::kRun && task.run.any_thread != 0);
}

}  // namespace

bool Cancelled() {
  return running_cancel_flag != nullptr &&
         running_cancel_flag->load(std::memory_order_relaxed) != 0;
}

void Explain(const char* text) {
  if (running_cancel_flag == nullptr) return;
  char* const copy = strdup(text);
  if (copy != nullptr) std::free(std::exchange(running_text, copy));
}

void Engine::MakeReady(AclimbQueue* queue) noexcept {
  if (queue->Blocked() || queue->tasks.empty()) {
    FlushDeferred();
    return;
  }
  ready_[queue->options.priority].PushBack(queue);
  ++ready_count_;
  queue->ready = true;
  if (queue == run_inline_) return;
  const Task& next = queue->tasks.front();
  // At the end of its spin, or at its next tick: a long task must not lose that much, unless the
  // program waits for each.
  const bool looks_soon = (spinning_ && !executing_) ||
                          (ticking_ && (expects_waiter_ || CostsAtMost(next, kLongBytes)));
  if (looks_soon && NeedsNoEngine(next) && !deferred_ && ready_count_ == 1 &&
      queue->tasks.size() == 1) {
    deferred_ = true;
    // A thread that waits for the queue already.
    queue->changed.notify_all();
    return;
  }
  Wake();
}

void Engine::Unready(AclimbQueue* queue) noexcept {
  if (!queue->ready) return;
  ready_[queue->options.priority].Erase(queue);
  --ready_count_;
  queue->ready = false;
}

void Engine::FlushDeferred() {
  if (deferred_) Wake();
}

void Engine::Block(AclimbQueue* queue, AclimbMarker* marker) noexcept {
  marker->blocked.PushBack(queue);
  queue->blocked_on = marker;
  Task& wait = queue->tasks.front();
  if (wait.timeout.count() <= 0) return;
  wait.deadline = std::chrono::steady_clock::now() + wait.timeout;
  if (wait.deadline >= next_deadline_) return;
  next_deadline_ = wait.deadline;
  Wake();
}

// The highest priority that has work; within it every ready queue gets one task in turn.
AclimbQueue* Engine::PickNext() {
  for (QueueList& line : ready_) {
    AclimbQueue* const queue = line.PopFront();
    if (queue == nullptr) continue;
    --ready_count_;
    queue->ready = false;
    return queue;
  }
  return nullptr;
}

bool Engine::RunTask(AclimbQueue* queue, std::unique_lock<std::mutex>& lock, TaskList* dropped) {
  const Task& task = queue->tasks.front();  // stays there while it runs
  executing_ = true;
  queue->running = true;
  lock.unlock();
  running_cancel_flag = &queue->cancel;
  int code = 0;
  char* why = nullptr;
  const int forks = ForkCount();
  {
    // Of the program's thread, or as the engine's inherited it from one.
    const DefaultFloatState state;
    try {
      code = task.run.run(task.run.payload);
    } catch (const std::bad_alloc&) {
      code = kRtMemoryAllocation;
    } catch (...) {
      code = kRtAicoreException;
    }
    running_cancel_flag = nullptr;
    why = std::exchange(running_text, nullptr);
    // A callback of the program has forked: the child's engines and queues are new, and what the
    // task held was given back.
    if (ForkCount() != forks) {
      std::free(why);
      lock.lock();
      return false;
    }
    if (task.run.release != nullptr) task.run.release(task.run.payload);
  }
  lock.lock();
  executing_ = false;
  ticks_left_ = kTicks;
  const bool aborted = queue->cancel.exchange(0, std::memory_order_relaxed) != 0;
  // What was submitted since the abort goes too: the abort lasts until the task has ended. Who
  // waits for it hears of an abort.
  if (aborted && queue->tasks.size() > 1) {
    queue->RemoveQueued(dropped);
    ++queue->aborts;
  }
  if (code != 0 && !aborted) {
    queue->Fail(task, code, why, dropped);
  } else {
    std::free(why);
  }
  queue->PopFront();
  queue->running = false;
  if (!queue->destroyed || !queue->tasks.empty()) return true;
  Scheduler::Get().Remove(queue);
  return false;
}

void Engine::Halt(AclimbQueue* queue, std::unique_lock<std::mutex>& lock) {
  const Task& task = queue->tasks.front();
  queue->suspended = true;
  const auto start = task.start;
  void* const payload = task.payload;
  queue->suspension.queue = queue->shared_from_this();
  lock.unlock();
  start(payload, &queue->suspension);
  lock.lock();
}

// One turn: the markers and waits at the front, and at most one task.
void Engine::RunTurn(AclimbQueue* queue, std::unique_lock<std::mutex>& lock, bool small_only) {
  TaskList dropped;
  bool lives = true;
  while (!queue->tasks.empty()) {
    const Task& task = queue->tasks.front();
    if (small_only && !NeedsNoEngine(task)) break;
    if (task.kind == Task::Kind::kMarker) {
      queue->PassMarker();
    } else if (task.kind == Task::Kind::kWait) {
      AclimbMarker* marker = task.marker;
      if (!marker->IsDone()) {
        Block(queue, marker);
        if (queue->DependsOnDroppedWork()) WakeDependants();
        return;
      }
      queue->PopFront();
      marker->Release();
    } else if (task.kind == Task::Kind::kSuspend) {
      return Halt(queue, lock);
    } else {
      lives = RunTask(queue, lock, &dropped);
      break;
    }
  }
  if (lives) MakeReady(queue);
  if (dropped.empty()) return;
  lock.unlock();
  DropAll(dropped);
  lock.lock();
}

bool Engine::RunOneInline(AclimbQueue* queue, std::unique_lock<std::mutex>& lock) {
  if (!MayRun() || ready_count_ != 1 || !queue->ready) return false;
  if (!NeedsNoEngine(queue->tasks.front()) || !HasRoomForKernels()) return false;
  deferred_ = false;
  expects_waiter_ = true;
  run_inline_ = queue;
  RunTurn(PickNext(), lock, /*small_only=*/true);
  run_inline_ = nullptr;
  return true;
}

}  // namespace aclimb::cpu
