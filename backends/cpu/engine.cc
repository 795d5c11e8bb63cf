#include "backends/cpu/engine.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>

#include "aclimb/core/codes.h"
#include "aclimb/core/cores.h"
#include "backends/cpu/marker.h"

namespace aclimb::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Waking a sleeping thread costs about 45 microseconds, so spinning for as long can at most double
// the cost; not longer, because a spinning thread takes a core from the compute team.
constexpr auto kEngineSpin = std::chrono::microseconds(50);
constexpr auto kWaiterSpin = std::chrono::microseconds(20);
// Kernels below this traffic do not open a team (aclimb/simd), so any thread may run them. A task
// of unknown cost (0) does not count as small.
constexpr uint64_t kInlineBytes = 64 * 1024;
// For a while after work the sleeping engine looks around by itself, this often. Meanwhile a lone
// small task need not pay for waking it: either a synchronising call runs the task, or the engine
// finds it.
constexpr auto kTick = std::chrono::milliseconds(1);
constexpr int kTicks = 50;
constexpr auto kExitWait = std::chrono::seconds(2);

thread_local const std::atomic<int>* running_cancel_flag = nullptr;
thread_local bool is_engine_thread = false;

bool SpinPays() {
  static const bool several_cores = CoreCount() > 1;
  return several_cores;
}

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool IsSmall(const Task& task) {
  if (task.kind == Task::Kind::kSuspend) return false;
  if (task.kind != Task::Kind::kRun) return true;
  return task.run.cost_bytes != 0 && task.run.cost_bytes <= kInlineBytes;
}

std::map<int, Engine*>& Engines() {
  static auto* const engines = new std::map<int, Engine*>;
  return *engines;
}

}  // namespace

bool Cancelled() {
  return running_cancel_flag != nullptr &&
         running_cancel_flag->load(std::memory_order_relaxed) != 0;
}

// At exit the libraries that a kernel uses are torn down under it. So the engines stop between two
// tasks, and exit waits a bounded time for the task that runs.
void ParkEngines() {
  if (is_engine_thread) return;
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

Engine* EngineOf(int device) {
  std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
  Engine*& engine = Engines()[device];
  if (engine == nullptr) engine = new Engine;
  return engine;
}

void Engine::Start() {
  if (started_) return;
  static const bool registered = std::atexit([] { ParkEngines(); }) == 0;
  (void)registered;
  // Signals belong to the program's own threads; only faults of the engine's code reach it.
  sigset_t all, old;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_SETMASK, &all, &old);
  try {
    std::thread thread([this] { Loop(); });
    pthread_setname_np(thread.native_handle(), "aclimb-engine");
    thread.detach();
    started_ = true;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
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

void Engine::FlushDeferred() {
  if (deferred_) Wake();
}

void Engine::Block(AclimbQueue* queue, AclimbMarker* marker) noexcept {
  marker->blocked.PushBack(queue->shared_from_this());
  queue->blocked_on = marker;
  Task& wait = queue->tasks.front();
  if (wait.timeout.count() <= 0) return;
  wait.deadline = Clock::now() + wait.timeout;
  if (wait.deadline >= next_deadline_) return;
  next_deadline_ = wait.deadline;
  Wake();
}

void Engine::Wake() noexcept {
  deferred_ = false;
  if (sleeping_) wake_.notify_one();
}

void Engine::Unpark() {
  if (!parked_) return;
  parked_ = false;
  signals_.fetch_add(1, std::memory_order_release);
  wake_.notify_one();
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
  const Task task = queue->tasks.front();
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
      AclimbMarker* marker = task.marker;
      queue->PopFront();
      SettleMarker(marker, ACLIMB_MARKER_DONE);
      marker->Release();
    } else if (task.kind == Task::Kind::kWait) {
      AclimbMarker* marker = task.marker;
      if (marker->state.load(std::memory_order_relaxed) != ACLIMB_MARKER_DONE) {
        Block(queue, marker);
        if (queue->DependsOnDroppedWork()) queue->changed.notify_all();
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

void Engine::SpinFor(const AclimbQueue& queue, uint64_t target,
                     std::unique_lock<std::mutex>& lock) {
  if (!SpinPays() || queue.suspended || queue.blocked_on != nullptr) return;
  lock.unlock();
  const auto end = Clock::now() + kWaiterSpin;
  while (queue.finished.load(std::memory_order_acquire) < target && Clock::now() < end) Pause();
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
    queue->Fail(wait, kRtEventSyncTimeout, &dropped);
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
    const uint64_t seen = signals_.load(std::memory_order_acquire);
    lock.unlock();
    const auto end = Clock::now() + kEngineSpin;
    while (signals_.load(std::memory_order_acquire) == seen && Clock::now() < end) Pause();
    lock.lock();
  }
  if (ready_count_ != 0 && !executing_ && !parked_) return;
  auto deadline = next_deadline_;
  if (ticks_left_ > 0) {
    --ticks_left_;
    ticking_ = true;
    deadline = std::min(deadline, Clock::now() + kTick);
  }
  sleeping_ = true;
  if (deadline == Clock::time_point::max()) {
    wake_.wait(lock);
  } else {
    wake_.wait_until(lock, deadline);
  }
  sleeping_ = false;
  ticking_ = false;
  deferred_ = false;
}

void Engine::Loop() {
  is_engine_thread = true;
  std::unique_lock<std::mutex> lock(Scheduler::Get().mutex);
  for (;;) {
    ExpireWaits(lock);
    const std::shared_ptr<AclimbQueue> queue = executing_ || parked_ ? nullptr : PickNext();
    if (queue == nullptr) {
      Idle(lock);
    } else {
      RunTurn(queue.get(), lock, /*small_only=*/false);
      worked_ = true;
    }
  }
}

}  // namespace aclimb::cpu
