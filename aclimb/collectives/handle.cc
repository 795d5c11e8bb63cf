#include "aclimb/collectives/handle.h"

#include <memory>
#include <utility>

#include "aclimb/bridge/collectives.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {
namespace {

Status Dead(HcclComm comm) {
  return Refuse(
      HCCL_E_PARA,
      Cat("comm is ", aclimb::AddressText(comm), ", which is no live communicator (",
          aclimb_handle_state_text(comm), "); expected one that a function HcclCommInit* made."),
      aclimb_handle_fix_text(comm, "use it only before HcclCommDestroy"), "collective/handle");
}

Status Lost() {
  return Refuse(HCCL_E_UNAVAIL,
                "comm was made before the process was forked off, and its connections belong to "
                "the parent; expected a communicator of this process.",
                "make communicators after the fork", "collective/forked");
}

}  // namespace

Result<HcclComm> MakeHandle(CommunicatorRef communicator) {
  auto holder = std::make_unique<CommunicatorRef>(std::move(communicator));
  void* const handle = aclimb_handle_create(ACLIMB_HANDLE_COMMUNICATOR, holder.get());
  if (handle == nullptr) {
    (*holder)->Close();
    return Refuse(HCCL_E_UNAVAIL, "no handle is left for another communicator.",
                  "destroy communicators that are not needed", "collective/handle-exhausted");
  }
  holder.release();
  return handle;
}

Result<CommunicatorRef> Resolve(HcclComm comm) {
  if (comm == nullptr) return NullPointer("comm");
  auto* const holder =
      static_cast<CommunicatorRef*>(aclimb_handle_hold(comm, ACLIMB_HANDLE_COMMUNICATOR));
  if (holder == nullptr) return Dead(comm);
  CommunicatorRef communicator = *holder;
  aclimb_handle_give_back(comm);
  if (communicator->IsLost()) return Lost();
  return communicator;
}

Result<CommunicatorRef> Release(HcclComm comm) {
  if (comm == nullptr) return NullPointer("comm");
  std::unique_ptr<CommunicatorRef> holder(
      static_cast<CommunicatorRef*>(aclimb_handle_release(comm, ACLIMB_HANDLE_COMMUNICATOR)));
  if (holder == nullptr) return Dead(comm);
  if ((*holder)->IsLost()) {
    // Its threads are the parent's, and with them what it would wait for.
    holder.release();
    return Lost();
  }
  return std::move(*holder);
}

}  // namespace aclimb::collectives
