#include "backends/cpu/queue.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/codes.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/marker.h"
#include "backends/cpu/refusal.h"

using aclimb::cpu::Scheduler;
using aclimb::cpu::SettleMarker;
using aclimb::cpu::Task;
using aclimb::cpu::TaskList;
using aclimb::cpu::WakeDependants;

namespace aclimb::cpu {

void WakeDependants() {
  for (const auto& other : Scheduler::Get().queues()) {
    other->changed.notify_all();
    for (const Task& task : other->tasks) {
      if (task.kind == Task::Kind::kMarker) task.marker->changed.notify_all();
    }
  }
}

}  // namespace aclimb::cpu

bool AclimbQueue::DependsOnDroppedWork() const {
  if (blocked_on == nullptr) return false;
  const int state = blocked_on->state.load(std::memory_order_relaxed);
  if (state == ACLIMB_MARKER_DONE) return false;
  if (state != ACLIMB_MARKER_PENDING) return true;
  const std::shared_ptr<AclimbQueue> other = blocked_on->queue.lock();
  return other != nullptr && other->DependsOnDroppedWork();
}

int AclimbQueue::TakeError(uint64_t position) {
  if (group->stop_error != 0) return group->stop_error;
  if (error == 0 || error_at > position) return 0;
  const int taken = std::exchange(error, 0);
  told_to = position;
  if (const auto* const later = failures.FirstBehind(position)) {
    error = later->failure.code;
    error_at = later->task;
  } else if (latest_at > position) {
    error = latest;
    error_at = latest_at;
  }
  return taken;
}

void AclimbQueue::Fail(const Task& task, int code, char* why, TaskList* dropped) {
  failures.Add(task.id,
               AclimbTaskFailure{task.run.name != nullptr ? task.run.name : "event wait", code,
                                 static_cast<uint32_t>(task.id), task.thread_id, why});
  latest = code;
  latest_at = task.id;
  if (error == 0) {
    error = code;
    error_at = task.id;
  }
  if (!stop_on_failure) return;
  if (group->stop_error == 0) group->stop_error = code;
  for (const auto& other : Scheduler::Get().queues()) {
    if (other->group == group) other->RemoveQueued(dropped);
  }
}

void AclimbQueue::CountFinished() {
  Scheduler::Get().TaskDone();
  finished.store(finished.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void AclimbQueue::PopFront() {
  if (memory_user == tasks.begin()) ++memory_user;
  Scheduler::Get().PopTask(tasks);
  CountFinished();
  if (finished.load(std::memory_order_relaxed) < awaited) return;
  awaited = kNothingAwaited;
  changed.notify_all();
}

void AclimbQueue::PassMarker() {
  AclimbMarker* marker = tasks.front().marker;
  PopFront();
  SettleMarker(marker, ACLIMB_MARKER_DONE);
  marker->Release();
}

bool AclimbQueue::PassFinished() {
  if (running || suspended || blocked_on != nullptr) return false;
  bool any = false;
  for (; !tasks.empty(); any = true) {
    const Task& task = tasks.front();
    if (task.kind == Task::Kind::kMarker) {
      PassMarker();
    } else if (task.kind == Task::Kind::kWait && task.marker->IsDone()) {
      AclimbMarker* const marker = task.marker;
      PopFront();
      marker->Release();
    } else {
      break;
    }
  }
  if (tasks.empty()) engine->Unready(this);
  return any;
}

void AclimbQueue::RemoveQueued(TaskList* dropped, AclimbMarkerState state) {
  if (blocked_on != nullptr) {
    blocked_on->blocked.Erase(this);
    blocked_on = nullptr;
  }
  // Or the next wait would put it into a second list.
  engine->Unready(this);
  auto first = tasks.begin();
  if (running || suspended) ++first;
  for (auto it = first; it != tasks.end(); ++it) {
    if (it->kind == Task::Kind::kMarker) SettleMarker(it->marker, state);
    CountFinished();
  }
  const bool any = first != tasks.end();
  dropped->splice(dropped->end(), tasks, first, tasks.end());
  memory_user = tasks.begin();
  changed.notify_all();
  if (any) WakeDependants();
}

TaskList::iterator AclimbQueue::FirstMemoryUser() {
  while (memory_user != tasks.end() && !memory_user->UsesMemory()) ++memory_user;
  return memory_user;
}

void AclimbQueue::Lose(TaskList* dropped) {
  cancel.store(0, std::memory_order_relaxed);
  if (tasks.empty()) return;
  lost = true;
  if (running || suspended) {
    // Never given back: a thread that only the parent has was in the middle of it.
    static auto* const started = new TaskList;
    started->splice(started->end(), tasks, tasks.begin());
    CountFinished();
    running = false;
    suspended = false;
    suspension.queue.reset();
  }
  RemoveQueued(dropped, ACLIMB_MARKER_LOST);
}

namespace aclimb::cpu {
namespace {

[[gnu::tls_model("initial-exec")]] thread_local uint32_t thread_id = 0;

uint32_t ThreadId() {
  if (thread_id == 0) thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  return thread_id;
}

// Under the lock. The task is behind everything submitted before. Takes all that running it will
// need, memory and the engine's thread; without them it throws and nothing changed.
void Append(AclimbQueue* queue, const Task& task) {
  queue->engine->Start();
  Task& added = Scheduler::Get().PushTask(queue->tasks, task);
  if (queue->memory_user == queue->tasks.end()) --queue->memory_user;
  added.id = ++queue->submitted;
  added.thread_id = ThreadId();
}

// Appends the task, and returns a code where Append throws. If it is not 0, nothing happened and
// the caller still owns the task.
int AppendOrCode(AclimbQueue* queue, const Task& task) {
  try {
    Append(queue, task);
  } catch (...) {
    return CodeOfException();
  }
  return 0;
}

// Appends the task and has the engine run it. The code is that of AppendOrCode.
int Enqueue(AclimbQueue* queue, const Task& task) {
  if (const int code = AppendOrCode(queue, task)) return code;
  queue->engine->MakeReady(queue);
  return 0;
}

}  // namespace

void ForgetThreadId() { thread_id = 0; }

std::shared_ptr<AclimbQueue> CreateQueue(Engine* engine, const AclimbQueueOptions& options) {
  auto queue = std::make_shared<AclimbQueue>();
  queue->engine = engine;
  queue->options = options;
  queue->options.priority = std::min(options.priority, Engine::kPriorities - 1);
  Scheduler& scheduler = Scheduler::Get();
  std::lock_guard<std::mutex> lock(scheduler.mutex);
  queue->group = scheduler.GroupOf(options.group);
  scheduler.Add(queue);
  return queue;
}

void DestroyQueue(AclimbQueue* queue, bool drain) {
  TaskList dropped;
  Scheduler& scheduler = Scheduler::Get();
  {
    std::unique_lock<std::mutex> lock(scheduler.mutex);
    const std::shared_ptr<AclimbQueue> self = queue->shared_from_this();
    queue->engine->Unpark();
    if (drain) {
      const auto is_drained = [&] {
        return queue->finished.load(std::memory_order_relaxed) >= queue->submitted ||
               queue->DependsOnDroppedWork();
      };
      while (!is_drained()) {
        if (queue->engine->TryRunInline(queue, lock, is_drained)) continue;
        queue->engine->FlushDeferred();
        queue->Await(queue->submitted);
        queue->changed.wait(lock);
      }
    }
    queue->destroyed = true;
    queue->PassFinished();
    if (!queue->tasks.empty()) {
      ++queue->aborts;
      queue->cancel.store(1, std::memory_order_relaxed);
      queue->RemoveQueued(&dropped);
    }
    // The task that still runs keeps its place in the list: memory it may use must not be reused.
    if (queue->tasks.empty()) scheduler.Remove(queue);
  }
  DropAll(dropped);
}

int Submit(AclimbQueue* queue, const Task& task, uint32_t* task_id) {
  std::unique_lock<std::mutex> lock(Scheduler::Get().mutex);
  const auto drop = [&](int code) {
    lock.unlock();
    task.Drop();
    return code;
  };
  if (queue->group->stop_error != 0 || queue->destroyed) return drop(0);
  if (queue->lost) return drop(kRtStreamAbort);
  const bool halts =
      task.kind == Task::Kind::kSuspend && queue->tasks.empty() && queue->engine->HaltsAtOnce();
  if (const int code = halts ? AppendOrCode(queue, task) : Enqueue(queue, task)) return drop(code);
  if (task_id != nullptr) *task_id = static_cast<uint32_t>(queue->submitted);
  if (halts) queue->engine->Halt(queue, lock);
  return 0;
}

int WaitQueue(AclimbQueue* queue, int64_t timeout_ms) {
  const CancelGuard uncancelled;
  std::unique_lock<std::mutex> lock(Scheduler::Get().mutex);
  if (queue->lost) return kRtStreamAbort;
  Engine* engine = queue->engine;
  engine->Unpark();
  const uint64_t target = queue->submitted;
  const uint32_t aborts = queue->aborts;
  using std::chrono::steady_clock;
  const auto deadline = timeout_ms < 0
                            ? steady_clock::time_point::max()
                            : steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  const auto is_over = [&] {
    return queue->finished.load(std::memory_order_relaxed) >= target || queue->aborts != aborts ||
           queue->DependsOnDroppedWork();
  };
  bool spins = true;
  while (queue->finished.load(std::memory_order_relaxed) < target) {
    // An abort does not wait for a callback of the program, so neither does a waiter.
    if (queue->aborts != aborts || queue->DependsOnDroppedWork()) return kRtStreamAbort;
    if (timeout_ms < 0 && engine->TryRunInline(queue, lock, is_over)) continue;
    engine->FlushDeferred();
    if (std::exchange(spins, false)) {
      engine->SpinFor(*queue, target, deadline, lock);
      continue;
    }
    queue->Await(target);
    const CancelPoint here(uncancelled);
    if (timeout_ms < 0) {
      queue->changed.wait(lock);
    } else if (queue->changed.wait_until(lock, deadline) == std::cv_status::timeout &&
               queue->finished.load(std::memory_order_relaxed) < target) {
      return queue->aborts != aborts ? kRtStreamAbort : kRtStreamSyncTimeout;
    }
  }
  if (queue->aborts != aborts) return kRtStreamAbort;
  return queue->TakeError(target);
}

int QueryQueue(AclimbQueue* queue, int* idle) {
  std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
  if (queue->lost) return kRtStreamAbort;
  queue->engine->Unpark();
  queue->engine->FlushDeferred();
  if (queue->DependsOnDroppedWork()) return kRtStreamAbort;
  *idle = queue->finished.load(std::memory_order_relaxed) == queue->submitted ? 1 : 0;
  return queue->TakeError(queue->finished.load(std::memory_order_relaxed));
}

int AbortQueue(AclimbQueue* queue) {
  TaskList dropped;
  std::unique_lock<std::mutex> lock(Scheduler::Get().mutex);
  const std::shared_ptr<AclimbQueue> self = queue->shared_from_this();
  ++queue->aborts;
  queue->RemoveQueued(&dropped);
  queue->error = 0;
  queue->failures.Clear();
  queue->lost = false;
  if (queue->running) {
    queue->cancel.store(1, std::memory_order_relaxed);
    const uint64_t id = queue->tasks.front().id;
    while (queue->running && queue->tasks.front().id == id) {
      queue->Await(0);
      queue->changed.wait(lock);
    }
  }
  lock.unlock();
  DropAll(dropped);
  return 0;
}

int QueueIsLost(AclimbQueue* queue) {
  std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
  return queue->lost ? 1 : 0;
}

void Resume(AclimbSuspension* suspension) {
  const std::shared_ptr<AclimbQueue> queue = std::move(suspension->queue);
  Scheduler& scheduler = Scheduler::Get();
  std::lock_guard<std::mutex> lock(scheduler.mutex);
  queue->suspended = false;
  queue->PopFront();
  if (queue->destroyed && queue->tasks.empty()) scheduler.Remove(queue.get());
  queue->engine->MakeReady(queue.get());
}

int Record(AclimbQueue* queue, AclimbMarker** result) {
  auto* marker = new (std::nothrow) AclimbMarker;
  if (marker == nullptr) return NoHostMemory();
  std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
  if (queue->lost) {
    delete marker;
    return kRtStreamAbort;
  }
  marker->queue = queue->weak_from_this();
  marker->position = queue->submitted;
  if (queue->group->stop_error != 0 || queue->destroyed) {
    SettleMarker(marker, ACLIMB_MARKER_DROPPED);
    *result = marker;
    return 0;
  }
  if (queue->tasks.empty()) {
    SettleMarker(marker, ACLIMB_MARKER_DONE);
    *result = marker;
    return 0;
  }
  marker->Retain();
  Task task;
  task.kind = Task::Kind::kMarker;
  task.marker = marker;
  if (const int code = Enqueue(queue, task)) {
    delete marker;
    return code;
  }
  *result = marker;
  return 0;
}

int WaitForMarker(AclimbQueue* queue, AclimbMarker* marker, int64_t timeout_ms) {
  std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
  if (queue->lost) return kRtStreamAbort;
  if (queue->group->stop_error != 0 || queue->destroyed) return 0;
  if (marker->IsDone()) return 0;
  const bool idle = queue->tasks.empty();
  marker->Retain();
  Task task;
  task.kind = Task::Kind::kWait;
  task.marker = marker;
  task.timeout = std::chrono::milliseconds(timeout_ms);
  try {
    Append(queue, task);
  } catch (...) {
    marker->Release();
    return CodeOfException();
  }
  // Nothing to run before the wait: the engine need not wake up for it, except to watch the time.
  if (idle) queue->engine->Block(queue, marker);
  return 0;
}

}  // namespace aclimb::cpu
