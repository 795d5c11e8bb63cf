#include "aclimb/collectives/open_group.h"

#include <utility>

#include "aclimb/collectives/errors.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

namespace {

// Null when the thread has none.
aclrtContext CurrentContext() {
  aclrtContext context = nullptr;
  return aclrtGetCurrentContext(&context) == ACL_SUCCESS ? context : nullptr;
}

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
      {Batch("HcclGroupEnd", comm, stream, /*self_allowed=*/true), CurrentContext()});
  return &std::get<Batch>(waiting_.back().what);
}

void OpenGroup::Add(Call call) { waiting_.push_back({std::move(call), CurrentContext()}); }

Status OpenGroup::End() {
  if (depth_ == 0) {
    return Refuse(HCCL_E_PARA, "no group is open; expected a call of HcclGroupStart before.",
                  "call HcclGroupStart first", "collective/no-group");
  }
  if (--depth_ > 0) return Ok();
  auto waiting = std::exchange(waiting_, {});
  if (!refused_.ok()) return std::exchange(refused_, Ok());
  const aclrtContext current = CurrentContext();
  Status first;
  for (Waiting& each : waiting) {
    if (each.context != current) aclrtSetCurrentContext(each.context);
    Batch* const batch = std::get_if<Batch>(&each.what);
    Status status = batch != nullptr ? batch->Queue() : std::get<Call>(each.what).Queue(false);
    if (first.ok()) first = std::move(status);
    if (each.context != current) aclrtSetCurrentContext(current);
  }
  return first;
}

}  // namespace aclimb::collectives
