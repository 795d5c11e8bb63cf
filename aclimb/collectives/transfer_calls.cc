#include "aclimb/collectives/batch.h"
#include "aclimb/collectives/entry.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/collectives/open_group.h"
#include "aclimb/core/text.h"
#include "hccl/hccl.h"

namespace aclimb::collectives {
namespace {

Status One(const char* function, HcclSendRecvType direction, void* buffer, uint64_t count,
           HcclDataType type, uint32_t peer, HcclComm comm, aclrtStream stream) {
  const HcclSendRecvItem item = {direction, buffer, count, type, peer};
  OpenGroup& group = OpenGroup::OfThread();
  if (!group.is_open()) {
    Batch alone(function, comm, stream, /*self_allowed=*/false);
    if (Status added = alone.Add(item, ""); !added.ok()) return added;
    return alone.Queue();
  }
  Result<Batch*> batch = group.BatchOf(comm, stream);
  if (!batch.ok()) return batch.TakeStatus();
  return batch.value()->Add(item, "");
}

Status Several(const HcclSendRecvItem* items, uint32_t count, HcclComm comm, aclrtStream stream) {
  if (items == nullptr && count > 0) return NullPointer("sendRecvInfo");
  const auto add_to = [&](Batch& batch) {
    for (uint32_t i = 0; i < count; ++i) {
      Status added = batch.Add(items[i], Cat("sendRecvInfo[", i, "]."));
      if (!added.ok()) return added;
    }
    return Ok();
  };
  OpenGroup& group = OpenGroup::OfThread();
  if (!group.is_open()) {
    Batch alone("HcclBatchSendRecv", comm, stream, /*self_allowed=*/true);
    if (Status added = add_to(alone); !added.ok()) return added;
    return alone.Queue();
  }
  Result<Batch*> batch = group.BatchOf(comm, stream);
  if (!batch.ok()) return batch.TakeStatus();
  return add_to(*batch.value());
}

}  // namespace
}  // namespace aclimb::collectives

using aclimb::Ok;
using aclimb::collectives::Enter;
using aclimb::collectives::OpenGroup;

extern "C" {

HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                    HcclComm comm, aclrtStream stream) {
  return Enter("HcclSend", [&] {
    return aclimb::collectives::One("HcclSend", HCCL_SEND, sendBuf, count, dataType, destRank, comm,
                                    stream);
  });
}

HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                    HcclComm comm, aclrtStream stream) {
  return Enter("HcclRecv", [&] {
    return aclimb::collectives::One("HcclRecv", HCCL_RECV, recvBuf, count, dataType, srcRank, comm,
                                    stream);
  });
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream) {
  return Enter("HcclBatchSendRecv",
               [&] { return aclimb::collectives::Several(sendRecvInfo, itemNum, comm, stream); });
}

HcclResult HcclGroupStart() {
  return Enter("HcclGroupStart", [] {
    OpenGroup::OfThread().Start();
    return Ok();
  });
}

HcclResult HcclGroupEnd() {
  return Enter("HcclGroupEnd", [] { return OpenGroup::OfThread().End(); });
}

}  // extern "C"
