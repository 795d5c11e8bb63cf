// How the operations of libhccl.so go through streams.

#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "aclimb/bridge/collectives.h"
#include "aclimb/observe/halt.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

// What a queue carries: a halt where the operation is performed, and a task behind it that has the
// operation's result.
class QueuedCollective {
 public:
  explicit QueuedCollective(const AclimbCollective& collective) : collective_(collective) {
    result_.function = collective.name;
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
    const AclimbCollective& collective = static_cast<QueuedCollective*>(mine)->collective_;
    return collective.finish(collective.payload);
  }
  static void Release(void* mine) { static_cast<QueuedCollective*>(mine)->Leave(); }

  const AclimbOperation& result() const { return result_; }

  // The halt or the task needs it no more.
  void Leave() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  const AclimbCollective collective_;
  AclimbOperation result_ = {};
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
  Payload payload{&collective};
  Result<StreamRef> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  auto* const queued = new QueuedCollective(collective);
  payload.collective = nullptr;
  uint32_t id = 0;
  int code = 0;
  {
    const observe::HaltFor view(collective.name, collective.operation);
    code = Backend().queue_suspend(stream.queue, &QueuedCollective::Reach, queued, &id);
  }
  if (code != 0) {
    queued->Leave();
    return CannotQueue(code, "collective", "runtime/collective/queue");
  }
  AclimbTask task = {};
  task.name = collective.name;
  task.run = &QueuedCollective::Finish;
  task.release = &QueuedCollective::Release;
  task.payload = queued;
  task.cost_bytes = 1;
  task.any_thread = 1;
  // What it did to memory, tools heard of at the halt.
  task.operation = observe::On() ? &queued->result() : nullptr;
  code = Backend().queue_submit(stream.queue, &task, &id);
  if (code != 0) return CannotQueue(code, "collective", "runtime/collective/queue");
  NoteTask(id);
  return FinishLaunch(stream);
}

}  // namespace
}  // namespace aclimb

extern "C" {

int aclimb_launch_collective(void* stream, const AclimbCollective* collective,
                             AclimbReason* reason) {
  *reason = {"", ""};
  try {
    aclimb::Status status = aclimb::Launch(stream, *collective);
    if (status.ok()) return 0;
    aclimb::Status& kept = aclimb::ThisThread().launch_refusal;
    kept = std::move(status);
    *reason = {kept.refusal().what.c_str(), kept.refusal().fix.c_str()};
    return kept.code();
  } catch (...) {
    *reason = {"host memory is exhausted; expected some for the task of the call.",
               "free host memory"};
    return aclimb::kRtMemoryAllocation;
  }
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
