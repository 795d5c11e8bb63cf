// How the operations of libhccl.so go through streams.

#include "aclimb/runtime/collective.h"

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "aclimb/bridge/collectives.h"
#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/float_state.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/signal_held.h"
#include "aclimb/core/stack.h"
#include "aclimb/observe/halt.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

class QueuedCollective;

// Those that streams have and that have no result yet. Programs queue them by the thousands.
struct UnderWay {
  using List = std::list<QueuedCollective*>;
  std::mutex mutex;
  std::map<const AclimbQueue*, List> by_queue;  // in the order of the calls; no list is empty
  std::vector<QueuedCollective*> left;          // to the waits for their streams
  std::atomic<size_t> count{0};
};
UnderWay& AllUnderWay() {
  static auto* const all = new UnderWay;
  return *all;
}
ForkLock under_way_lock(AllUnderWay().mutex);

// What a queue carries: a halt where the operation is performed, and a task behind it that has the
// operation's result.
class QueuedCollective {
 public:
  QueuedCollective(const AclimbCollective& collective, const AclimbQueue* queue)
      : collective_(collective), queue_(queue) {
    result_.function = collective.name;
    UnderWay::List own{this};
    UnderWay& all = AllUnderWay();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.left.reserve(all.left.size() + 1);
    UnderWay::List& list = all.by_queue[queue];
    // Nothing throws any more.
    place_ = own.begin();
    list.splice(list.end(), own);
    all.left.push_back(this);
    all.count.fetch_add(1, std::memory_order_relaxed);
    collective_internal::left.store(true, std::memory_order_relaxed);
  }
  QueuedCollective(const QueuedCollective&) = delete;
  QueuedCollective& operator=(const QueuedCollective&) = delete;
  ~QueuedCollective() { collective_.release(collective_.payload); }

  static void Reach(void* mine, AclimbSuspension* stop) {
    auto* const self = static_cast<QueuedCollective*>(mine);
    self->collective_.reached(self->collective_.payload, stop);
    self->Leave();
  }
  static int Finish(void* mine) {
    auto& self = *static_cast<QueuedCollective*>(mine);
    self.finished_ = true;
    return self.collective_.finish(self.collective_.payload);
  }
  static void Release(void* mine) {
    auto* const self = static_cast<QueuedCollective*>(mine);
    self->Withdraw();
    if (!self->finished_) self->collective_.reached(self->collective_.payload, nullptr);
    self->Leave();
  }

  // The queue did not take it.
  void Abandon() {
    Withdraw();
    Leave();
  }

  // The oldest one of the queue, kept for the caller; null when there is none. Those of other
  // queues are not left to the caller.
  static QueuedCollective* FirstOf(const AclimbQueue* queue) {
    UnderWay& all = AllUnderWay();
    if (all.count.load(std::memory_order_relaxed) == 0) return nullptr;
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::erase_if(all.left, [queue](QueuedCollective* each) {
      if (each->queue_ == queue) return false;
      each->Hurry();
      return true;
    });
    const auto found = all.by_queue.find(queue);
    if (found == all.by_queue.end()) return nullptr;
    QueuedCollective* const first = found->second.front();
    first->users_.fetch_add(1, std::memory_order_relaxed);
    return first;
  }
  static void HurryAll() {
    UnderWay& all = AllUnderWay();
    const std::lock_guard<std::mutex> lock(all.mutex);
    collective_internal::left.store(false, std::memory_order_relaxed);
    for (QueuedCollective* const each : all.left) each->Hurry();
    all.left.clear();
  }
  // Whether it was dropped meanwhile.
  bool Help() { return collective_.help(collective_.payload) != 0; }

  const AclimbOperation& result() const { return result_; }

  // The halt, the task or the caller of FirstOf needs it no more.
  void Leave() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  // Under the lock of all.
  void Hurry() { collective_.hurry(collective_.payload); }
  void Withdraw() {
    UnderWay& all = AllUnderWay();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto list = all.by_queue.find(queue_);
    list->second.erase(place_);
    if (list->second.empty()) all.by_queue.erase(list);
    std::erase(all.left, this);
    all.count.fetch_sub(1, std::memory_order_relaxed);
  }

  const AclimbCollective collective_;
  const AclimbQueue* const queue_;
  AclimbOperation result_ = {};
  bool finished_ = false;  // of the task's thread
  UnderWay::List::iterator place_;
  std::atomic<int> users_{2};
};

// The payload, until a queue has it.
struct Payload {
  const AclimbCollective* collective;
  ~Payload() {
    if (collective == nullptr) return;
    collective->reached(collective->payload, nullptr);
    collective->release(collective->payload);
  }
};

Status Launch(void* handle, const AclimbCollective& collective) {
  HurryCollectives();
  Payload payload{&collective};
  Result<StreamRef> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  auto* const queued = new QueuedCollective(collective, stream.queue);
  payload.collective = nullptr;
  uint32_t id = 0;
  int code = 0;
  {
    const observe::HaltFor view(collective.name, collective.operation);
    code = Backend().queue_suspend(stream.queue, &QueuedCollective::Reach, queued,
                                   /*uses_memory=*/1, &id);
  }
  if (code != 0) {
    queued->Abandon();
    return CannotQueue(code, "collective", "runtime/collective/queue");
  }
  AclimbTask task = {};
  task.name = collective.name;
  task.run = &QueuedCollective::Finish;
  task.release = &QueuedCollective::Release;
  task.payload = queued;
  task.cost_bytes = 1;
  task.any_thread = 1;
  task.no_memory = 1;
  // What it did to memory, tools heard of at the halt.
  task.operation = observe::On() ? &queued->result() : nullptr;
  code = Backend().queue_submit(stream.queue, &task, &id);
  if (code != 0) return CannotQueue(code, "collective", "runtime/collective/queue");
  NoteTask(id);
  return Ok();
}

Status Await(void* handle) {
  if (aclimb_settings()->launch_blocking == 0) return Ok();
  Result<StreamRef> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  return SynchronizeStream(*found.value(), -1);
}

// The code, and the reason as long as the thread launches nothing else.
template <typename Body>
int CodeOf(AclimbReason* reason, Body&& body) {
  *reason = {"", ""};
  try {
    Status status = body();
    if (status.ok()) return 0;
    Status& kept = ThisThread().launch_refusal;
    kept = std::move(status);
    *reason = {kept.refusal().what.c_str(), kept.refusal().fix.c_str()};
    return kept.code();
  } catch (...) {
    *reason = {"host memory is exhausted; expected some for the task of the call.",
               "free host memory"};
    return kRtMemoryAllocation;
  }
}

}  // namespace

void collective_internal::Hurry() noexcept {
  const CancelGuard uncancelled;
  QueuedCollective::HurryAll();
}

bool HelpCollective(const Stream& stream) {
  QueuedCollective* const first = QueuedCollective::FirstOf(stream.queue);
  if (first == nullptr) return true;
  const CancelGuard uncancelled;
  bool dropped = false;
  if (!HasRoomForKernels()) {
    HurryCollectives();
  } else {
    const DefaultFloatState state;
    const SignalHeld held(SIGPIPE);
    dropped = first->Help();
  }
  first->Leave();
  return !dropped;
}

}  // namespace aclimb

extern "C" {

int aclimb_launch_collective(void* stream, const AclimbCollective* collective,
                             AclimbReason* reason) {
  return aclimb::CodeOf(reason, [&] { return aclimb::Launch(stream, *collective); });
}

int aclimb_await_collective(void* stream, AclimbReason* reason) {
  return aclimb::CodeOf(reason, [&] { return aclimb::Await(stream); });
}

void aclimb_collective_done(AclimbSuspension* stop) { aclimb::Backend().queue_resume(stop); }

void aclimb_refuse_collective(const char* function) {
  aclimb::Enter(function, [] {
    return aclimb::NotSupported(
        "Aclimb has nothing behind this function of HCCL; the result is HCCL_E_NOT_SUPPORT (5). "
        "Expected a program that does without it.",
        "leave the call out: communicators need neither registered memory nor suspension here",
        "runtime/collective/unsupported");
  });
}

}  // extern "C"
