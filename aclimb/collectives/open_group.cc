#include "aclimb/collectives/open_group.h"

#include <exception>
#include <utility>

#include "aclimb/bridge/collectives.h"
#include "aclimb/collectives/errors.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

namespace {

// While it lives, the thread may have other contexts than its own.
class ContextKept {
 public:
  ContextKept() : current_(aclimb_current_context()) {}
  ~ContextKept() {
    // Another thread may have destroyed it.
    if (aclimb_make_context_current(current_) != 0) aclimb_make_context_current(nullptr);
  }
  ContextKept(const ContextKept&) = delete;
  ContextKept& operator=(const ContextKept&) = delete;

 private:
  void* const current_;
};

}  // namespace

OpenGroup& OpenGroup::OfThread() {
  static thread_local OpenGroup group;
  return group;
}

Result<Batch*> OpenGroup::BatchOf(HcclComm comm, aclrtStream stream) {
  for (Waiting& each : waiting_) {
    Batch* const batch = std::get_if<Batch>(&each.what);
    if (batch == nullptr || batch->comm() != comm) continue;
    if (batch->stream() == stream) return batch;
    const auto refusal = [] {
      return Refuse(HCCL_E_NOT_SUPPORT,
                    "the group has sends and receives of comm on two streams; expected one stream "
                    "for those of a communicator between HcclGroupStart and HcclGroupEnd.",
                    "pass one stream, and order it with the other one by events",
                    "collective/group-streams");
    };
    if (refused_.ok()) refused_ = refusal();
    return refusal();
  }
  waiting_.push_back(
      {Batch("HcclGroupEnd", comm, stream, /*self_allowed=*/true), aclimb_current_context()});
  return &std::get<Batch>(waiting_.back().what);
}

void OpenGroup::Add(Call call) { waiting_.push_back({std::move(call), aclimb_current_context()}); }

template <typename Step>
Status OpenGroup::Waiting::Do(Step step) {
  if (aclimb_make_context_current(context) != 0) {
    return Refuse(
        HCCL_E_PARA,
        "the context that was current at a call of the group has been destroyed; expected "
        "it to live until HcclGroupEnd.",
        "call HcclGroupEnd before aclrtDestroyContext", "collective/stream");
  }
  try {
    return std::visit(step, what);
  } catch (const std::exception&) {
    // The rest of the group is queued all the same.
    return StatusOfException();
  }
}

Status OpenGroup::End() {
  if (depth_ == 0) {
    return Refuse(HCCL_E_PARA, "no group is open; expected a call of HcclGroupStart before.",
                  "call HcclGroupStart first", "collective/no-group");
  }
  if (--depth_ > 0) return Ok();
  auto waiting = std::exchange(waiting_, {});
  if (!refused_.ok()) return std::exchange(refused_, Ok());
  if (waiting.empty()) return Ok();
  const ContextKept kept;
  Status first;
  const auto note = [&](Status status) {
    if (!status.ok() && !first.ok()) Report("HcclGroupEnd", status.refusal());
    if (first.ok()) first = std::move(status);
  };
  for (Waiting& each : waiting) {
    Status launched = each.Do([](auto& call) { return call.Launch(); });
    each.launched = launched.ok();
    note(std::move(launched));
  }
  // They may be of several ranks, which wait for each other.
  for (Waiting& each : waiting) {
    if (each.launched) note(each.Do([](auto& call) { return call.Await(); }));
  }
  return first;
}

}  // namespace aclimb::collectives
