#include <string_view>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"
#include "aclimb/observe/observe.h"
#include "tools/check/checker.h"
#include "tools/check/finite.h"
#include "tools/check/running.h"

// Queues, the work in them, and the markers between them.

namespace aclimb::check {
namespace {

// Book-keeping of the runtime, which touches nothing of the program.
bool IsSilent(const observe::Work& work) {
  return work.kind == observe::WorkKind::kTask && work.operation == nullptr &&
         std::string_view(work.name).starts_with("event ");
}

// A halt for a callback of the program; one for a collective has an operation.
bool IsCallback(const observe::Work& work) {
  return work.kind == observe::WorkKind::kCallback && work.operation == nullptr;
}

std::vector<Use> UsesOf(const observe::Work& work) {
  std::vector<Use> uses;
  if (work.kind == observe::WorkKind::kCopy) {
    uses.push_back({RowsOf(work.src, work.width, work.src_pitch, work.height), false, ""});
  }
  if (work.kind == observe::WorkKind::kCopy || work.kind == observe::WorkKind::kFill) {
    uses.push_back({RowsOf(work.dst, work.width, work.dst_pitch, work.height), true, ""});
  }
  if (work.operation != nullptr) {
    for (int i = 0; i < work.operation->access_count; ++i) {
      const AclimbAccess& access = work.operation->accesses[i];
      uses.push_back({FootprintOf(access), access.writes != 0, access.name});
    }
  }
  return uses;
}

// Where the host sees each view; null where it does not.
std::vector<const void*> HostViews(const AclimbOperation& operation) {
  std::vector<const void*> views;
  for (int i = 0; i < operation.access_count; ++i) {
    const void* address = operation.accesses[i].address;
    AclimbAllocation found;
    const bool known = aclimb_memory_find(address, &found) != 0 && found.kernel_base != nullptr;
    views.push_back(
        known ? static_cast<const char*>(found.kernel_base) +
                    (static_cast<const char*>(address) - static_cast<const char*>(found.base))
              : nullptr);
  }
  return views;
}

}  // namespace

void Checker::QueueMade(AclimbDevice* device, AclimbQueue* queue) {
  const SiteId site = CurrentSite();
  const std::lock_guard<std::mutex> lock(mutex_);
  clocks_.AddQueue(queue);
  streams_.Add(device, queue, {observe::CurrentCall(), site});
}

void Checker::QueueDestroyed(AclimbQueue* queue, bool drained) {
  const std::string_view call = observe::CurrentCall();
  const SiteId site = CurrentSite();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (call.starts_with("aclrtDestroyStream") && !clocks_.HostKnows(queue)) {
    Finding finding{"check/stream/destroyed-busy",
                    std::string(call),
                    Cat("destroys ", streams_.NameOf(queue), ", whose work may not be done",
                        drained ? "" : " and is dropped", "; expected it to be waited for first."),
                    {{"called", site}}};
    if (const auto latest = latest_.find(queue); latest != latest_.end()) {
      finding.involved.push_back({latest->second->what, latest->second->site});
    }
    finding.involved.push_back({"the stream", streams_.MadeOf(queue).site});
    report_.Add(std::move(finding));
  }
  clocks_.HostWaits(queue);
  clocks_.RemoveQueue(queue);
  streams_.Remove(queue);
  latest_.erase(queue);
}

void Checker::Queued(const observe::Work& work) {
  if (IsSilent(work)) return;
  const Here here{observe::CurrentCall(), CurrentSite()};
  const std::vector<Use> uses = UsesOf(work);
  Pending pending;
  if (settings_.not_finite && work.operation != nullptr) pending.views = HostViews(*work.operation);
  const std::lock_guard<std::mutex> lock(mutex_);
  pending.origin = std::make_shared<const Origin>(
      Origin{Cat(here.function, ", queued on ", streams_.NameOf(work.queue)), here.site});
  const Stamp stamp = clocks_.Queue(work.queue);
  const Clock& clock = clocks_.Of(work.queue);
  if (work.kind == observe::WorkKind::kCopy) {
    CheckOverlap(here, work, uses[0].bytes, uses[1].bytes);
  }
  accesses_.Queued(here, uses, stamp, clock, pending.origin);
  if (IsCallback(work)) pending.clock = clock;
  if (here.function == "aclrtLaunchCallback") callback_ = pending.origin;
  latest_[work.queue] = pending.origin;
  pending_[work.id] = std::move(pending);
}

Checker::Pending* Checker::FindPending(uint64_t id) {
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : &found->second;
}

int Checker::Started(const observe::Work& work) {
  if (work.kind == observe::WorkKind::kTask) BeginTask();
  if (IsCallback(work)) {
    // What the program does in a callback comes after the work before it. Who waits for the
    // callback by means of its own knows as much.
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Pending* pending = FindPending(work.id)) clocks_.HostLearns(pending->clock);
  }
  if (work.operation == nullptr) return 0;
  Inspect(work);
  if (settings_.not_finite) CheckInputs(work);
  return 0;
}

void Checker::Finished(const observe::Work& work, int code) {
  if (work.kind == observe::WorkKind::kTask) EndTask();
  if (settings_.not_finite && work.operation != nullptr && code == 0) CheckOutputs(work);
  const std::lock_guard<std::mutex> lock(mutex_);
  pending_.erase(work.id);
}

void Checker::Dropped(const observe::Work& work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pending_.erase(work.id);
}

void Checker::Inspect(const observe::Work& work) {
  const AclimbOperation& operation = *work.operation;
  if (operation.inspect == nullptr) return;
  struct Into {
    Report& report;
    const char* function;
    std::shared_ptr<const Origin> origin;
  } into{report_, operation.function, nullptr};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Pending* pending = FindPending(work.id)) into.origin = pending->origin;
  }
  if (into.origin == nullptr) return;
  operation.inspect(
      operation.run,
      [](void* where, const char* rule, const char* text) {
        const auto& found = *static_cast<Into*>(where);
        found.report.Add({rule, found.function, text, {{found.origin->what, found.origin->site}}});
      },
      &into);
}

void Checker::CheckInputs(const observe::Work& work) {
  std::vector<const void*> views;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Pending* pending = FindPending(work.id)) views = pending->views;
  }
  bool finite = true;
  for (size_t i = 0; i < views.size(); ++i) {
    const AclimbAccess& access = work.operation->accesses[i];
    if (access.writes == 0 && FirstNotFinite(access, views[i])) finite = false;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Pending* pending = FindPending(work.id)) pending->inputs_finite = finite;
}

void Checker::CheckOutputs(const observe::Work& work) {
  Pending pending;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Pending* found = FindPending(work.id)) pending = *found;
  }
  if (!pending.inputs_finite) return;
  for (size_t i = 0; i < pending.views.size(); ++i) {
    const AclimbAccess& access = work.operation->accesses[i];
    if (access.writes == 0) continue;
    const std::optional<NotFinite> found = FirstNotFinite(access, pending.views[i]);
    if (!found) continue;
    report_.Add({"check/data/not-finite",
                 work.operation->function,
                 Cat(access.name, found->where, " is ", found->value,
                     " though every input is finite; expected finite numbers."),
                 {{pending.origin->what, pending.origin->site}}});
    return;
  }
}

void Checker::CheckCallbacks() {
  if (callback_ == nullptr || reports_processed_) return;
  report_.Add({"check/callback/unprocessed",
               "aclrtLaunchCallback",
               "queues a callback that nobody processes; expected a thread in aclrtProcessReport.",
               {{callback_->what, callback_->site}}});
  callback_ = nullptr;
}

void Checker::QueueWaited(AclimbQueue* queue, int code) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (code == kRtStreamSyncTimeout) {
    CheckCallbacks();
  } else {
    clocks_.HostWaits(queue);
  }
}

void Checker::QueueFoundIdle(AclimbQueue* queue) {
  const std::lock_guard<std::mutex> lock(mutex_);
  clocks_.HostWaits(queue);
}

void Checker::QueueAborted(AclimbQueue* queue) {
  const std::lock_guard<std::mutex> lock(mutex_);
  clocks_.HostWaits(queue);
}

void Checker::Recorded(AclimbQueue* queue, AclimbMarker* marker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  clocks_.Record(queue, marker);
}

void Checker::EventRecorded(const void* event, AclimbMarker* marker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  recordings_[event] = marker;
}

void Checker::QueueWaitsFor(AclimbQueue* queue, AclimbMarker* marker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  clocks_.QueueWaits(queue, marker);
}

void Checker::MarkerWaited(AclimbMarker* marker, int code) {
  if (code == kRtEventSyncTimeout) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  clocks_.HostWaits(marker);
}

void Checker::MarkerFoundDone(AclimbMarker* marker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  clocks_.HostWaits(marker);
}

}  // namespace aclimb::check
