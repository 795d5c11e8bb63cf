#include "backends/cpu/engine.h"

#include <utility>

#include "aclimb/core/codes.h"
#include "backends/cpu/marker.h"

namespace aclimb::cpu {
namespace {

thread_local const std::atomic<int>* running_cancel_flag = nullptr;

bool IsSmall(const Task& task) {
  if (task.kind == Task::Kind::kSuspend) return false;
  if (task.kind != Task::Kind::kRun) return true;
  // A task of unknown cost does not count as small.
  return task.run.cost_bytes != 0 && task.run.cost_bytes <= ACLIMB_INLINE_BYTES;
}

}  // namespace

bool Cancelled() {
  return running_cancel_flag != nullptr &&
         running_cancel_flag->load(std::memory_order_relaxed) != 0;
}

void Engine::MakeReady(AclimbQueue* queue) noexcept {
  if (queue->Blocked() || queue->tasks.empty()) {
    FlushDeferred();
    return;
  }
  ready_[queue->options.priority].PushBack(queue->shared_from_this());
  ++ready_count_;
  queue->ready = true;
  signals_.fetch_add(1, std::memory_order_release);
  if (ticking_ && !deferred_ && ready_count_ == 1 && queue->tasks.size() == 1 &&
      IsSmall(queue->tasks.front())) {
    deferred_ = true;
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
  marker->blocked.PushBack(queue->shared_from_this());
  queue->blocked_on = marker;
  Task& wait = queue->tasks.front();
  if (wait.timeout.count() <= 0) return;
  wait.deadline = std::chrono::steady_clock::now() + wait.timeout;
  if (wait.deadline >= next_deadline_) return;
  next_deadline_ = wait.deadline;
  Wake();
}

// The highest priority that has work; within it every ready queue gets one task in turn.
std::shared_ptr<AclimbQueue> Engine::PickNext() {
  for (QueueList& line : ready_) {
    std::shared_ptr<AclimbQueue> queue = line.PopFront();
    if (queue == nullptr) continue;
    --ready_count_;
    queue->ready = false;
    return queue;
  }
  return nullptr;
}

void Engine::RunTask(AclimbQueue* queue, std::unique_lock<std::mutex>& lock) {
  const Task& task = queue->tasks.front();  // stays there while it runs
  executing_ = true;
  queue->running = true;
  lock.unlock();
  running_cancel_flag = &queue->cancel;
  int code = 0;
  try {
    code = task.run.run(task.run.payload);
  } catch (...) {
    code = kRtAicoreException;
  }
  running_cancel_flag = nullptr;
  if (task.run.release != nullptr) task.run.release(task.run.payload);
  lock.lock();
  executing_ = false;
  ticks_left_ = kTicks;
  TaskList dropped;
  if (code != 0 && queue->cancel.load(std::memory_order_relaxed) == 0) {
    queue->Fail(task, code, &dropped);
  }
  queue->PopFront();
  queue->running = false;
  if (queue->destroyed && queue->tasks.empty()) Scheduler::Get().Remove(queue);
  if (!dropped.empty()) {
    lock.unlock();
    DropAll(dropped);
    lock.lock();
  }
}

// One turn: the markers and waits at the front, and at most one task.
void Engine::RunTurn(AclimbQueue* queue, std::unique_lock<std::mutex>& lock, bool small_only) {
  while (!queue->tasks.empty()) {
    Task& task = queue->tasks.front();
    if (small_only && !IsSmall(task)) break;
    if (task.kind == Task::Kind::kMarker) {
      queue->PassMarker();
    } else if (task.kind == Task::Kind::kWait) {
      AclimbMarker* marker = task.marker;
      if (marker->state.load(std::memory_order_relaxed) != ACLIMB_MARKER_DONE) {
        Block(queue, marker);
        if (queue->DependsOnDroppedWork()) WakeDependants();
        return;
      }
      queue->PopFront();
      marker->Release();
    } else if (task.kind == Task::Kind::kSuspend) {
      queue->suspended = true;
      const auto start = task.start;
      void* const payload = task.payload;
      queue->suspension.queue = queue->shared_from_this();
      lock.unlock();
      start(payload, &queue->suspension);
      lock.lock();
      return;
    } else {
      RunTask(queue, lock);
      break;
    }
  }
  MakeReady(queue);
}

bool Engine::TryRunInline(AclimbQueue* queue, std::unique_lock<std::mutex>& lock) {
  if (executing_ || parked_ || ready_count_ != 1 || !queue->ready) return false;
  if (!IsSmall(queue->tasks.front())) return false;
  const std::shared_ptr<AclimbQueue> picked = PickNext();
  deferred_ = false;
  RunTurn(queue, lock, /*small_only=*/true);
  // What became ready meanwhile found the engine busy and must be told that it is not any more.
  if (ready_count_ != 0 && sleeping_) wake_.notify_one();
  return true;
}

}  // namespace aclimb::cpu
