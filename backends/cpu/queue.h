#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>

#include "aclimb/backend/backend.h"
#include "backends/cpu/failure_log.h"
#include "backends/cpu/scheduler.h"
#include "backends/cpu/task.h"

namespace aclimb::cpu {

class Engine;

// Under the lock. Markers were dropped, or a queue has come to a dropped one: whoever waits for
// work that waits for them must look again.
void WakeDependants();

}  // namespace aclimb::cpu

// Part of its queue, which has one at a time. Keeps the queue until it is resumed.
struct AclimbSuspension {
  std::shared_ptr<AclimbQueue> queue;
};

// One stream on the processor. Everything is guarded by the scheduler's lock, except where noted.
struct AclimbQueue : std::enable_shared_from_this<AclimbQueue> {
  aclimb::cpu::Engine* engine = nullptr;
  std::shared_ptr<aclimb::cpu::QueueGroup> group;
  AclimbQueueOptions options = {};

  aclimb::cpu::TaskList tasks;  // the running or suspended one stays in front
  // No task in front of it uses memory. The look for one that does goes on from here, as there may
  // be thousands that do not.
  aclimb::cpu::TaskList::iterator memory_user = tasks.end();
  AclimbQueue* next_in_list = nullptr;  // for QueueList
  AclimbSuspension suspension;
  bool ready = false;  // in the engine's list
  bool running = false;
  bool suspended = false;
  bool destroyed = false;
  bool lost = false;                   // its work stayed behind in the parent of a fork
  AclimbMarker* blocked_on = nullptr;  // the front task waits for it
  std::atomic<int> cancel{0};          // read by the running task, whose end clears it

  uint64_t submitted = 0;
  std::atomic<uint64_t> finished{0};  // changed under the lock, read by spinning waiters
  uint32_t aborts = 0;
  bool stop_on_failure = false;
  int error = 0;          // the first one that no synchronising call has returned
  uint64_t error_at = 0;  // number of the failed task
  uint64_t told_to = 0;   // the failures of tasks up to that one have been returned
  int latest = 0;         // the newest error, for which the log may have no room
  uint64_t latest_at = 0;
  aclimb::cpu::FailureLog failures;
  // Told of when `finished` reaches `awaited`, and of whatever else a thread that waits looks at:
  // told of each task, it would take a core from the team only to wait on.
  std::condition_variable changed;
  uint64_t awaited = kNothingAwaited;
  static constexpr uint64_t kNothingAwaited = std::numeric_limits<uint64_t>::max();

  // ---- Under the lock ----
  // What a thread says before it waits for `changed`: how many tasks are to have finished.
  void Await(uint64_t count) { awaited = std::min(awaited, count); }
  bool Blocked() const { return ready || running || suspended || blocked_on != nullptr; }
  bool DependsOnDroppedWork() const;
  // The pending error of the first `position` tasks, cleared unless the group stopped. The error of
  // a later task is pending then.
  int TakeError(uint64_t position);
  // Notes the failure, whose text becomes the queue's. In a queue that stops on failure it also
  // stops the group: what has not started moves into `dropped`, as RemoveQueued has it.
  void Fail(const aclimb::cpu::Task& task, int code, char* why, aclimb::cpu::TaskList* dropped);
  // One task more is done, or will never be.
  void CountFinished();
  // Removes the front task, which is done.
  void PopFront();
  // The same of a marker, and settles it.
  void PassMarker();
  // Passes recordings and waits in front that need not wait any more. Whether there were some.
  bool PassFinished();
  // Moves the tasks that have not started into `dropped`; the caller drops them without the lock.
  // Their markers become `state`.
  void RemoveQueued(aclimb::cpu::TaskList* dropped,
                    AclimbMarkerState state = ACLIMB_MARKER_DROPPED);
  // The end when no task uses memory.
  aclimb::cpu::TaskList::iterator FirstMemoryUser();
  // In a child of fork: no thread runs the queue. If it has tasks, it is lost; those that have not
  // started move into `dropped`.
  void Lose(aclimb::cpu::TaskList* dropped);
};

namespace aclimb::cpu {

std::shared_ptr<AclimbQueue> CreateQueue(Engine* engine, const AclimbQueueOptions& options);
void DestroyQueue(AclimbQueue* queue, bool drain);
// Takes `task` over in every case; drops it when the queue's group has stopped, and when memory is
// exhausted (207001).
int Submit(AclimbQueue* queue, const Task& task, uint32_t* task_id);
// The caller keeps the queue from being destroyed meanwhile.
int WaitQueue(AclimbQueue* queue, int64_t timeout_ms);
int QueryQueue(AclimbQueue* queue, int* idle);
int AbortQueue(AclimbQueue* queue);
int QueueIsLost(AclimbQueue* queue);
void Resume(AclimbSuspension* suspension);
int Record(AclimbQueue* queue, AclimbMarker** marker);
int WaitForMarker(AclimbQueue* queue, AclimbMarker* marker, int64_t timeout_ms);
// In a child of fork, where the thread that forked has another number.
void ForgetThreadId();

}  // namespace aclimb::cpu
