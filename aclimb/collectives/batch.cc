#include "aclimb/collectives/batch.h"

#include <utility>

#include "aclimb/collectives/datatype.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {

Batch::Batch(const char* function, HcclComm comm, aclrtStream stream, bool self_allowed)
    : comm_(comm),
      stream_(stream),
      self_allowed_(self_allowed),
      call_(function, Kind::kTransfers, comm, stream) {}

Status Batch::Add(const HcclSendRecvItem& item, const std::string& place) {
  if (!call_.ok()) return CopyOf(call_.status());
  CheckAndAdd(item, place);
  Status refused = call_.TakeRefusal();
  if (refused_.ok()) refused_ = CopyOf(refused);
  return refused;
}

void Batch::CheckAndAdd(const HcclSendRecvItem& item, const std::string& place) {
  const bool listed = !place.empty();
  const bool sends = item.sendRecvType == HCCL_SEND;
  if (!sends && item.sendRecvType != HCCL_RECV) {
    call_.Refuse(BadParameter(place + "sendRecvType", item.sendRecvType, "HCCL_SEND or HCCL_RECV",
                              "send-recv-type", "pass one of the two enumerators"));
  }
  call_.Type((place + "dataType").c_str(), item.dataType).Count(place + "count", item.count);
  if (listed && item.buf == nullptr && item.count > 0) call_.Refuse(NullPointer(place + "buf"));
  const bool self = item.remoteRank == call_.rank();
  if (call_.ok() && (item.remoteRank >= call_.size() || (self && !self_allowed_))) {
    const char* const peer = sends ? "destRank" : "srcRank";
    call_.Refuse(BadParameter(listed ? place + "remoteRank" : peer, item.remoteRank,
                              Cat("another rank, below ", call_.size()), "peer",
                              "pass the partner's rank; HcclBatchSendRecv sends to the rank "
                              "itself"));
  }
  if (call_.ok() && self && !to_self_.emplace(sends, item.count * SizeOf(item.dataType)).second) {
    call_.Refuse(BadParameter("the number of items of one direction with this rank itself", 2,
                              "one", "peer", "make one block of them"));
  }
  const char* const name = sends ? "sendBuf" : "recvBuf";
  std::byte* const data =
      sends ? call_.Reads(name, item.buf, item.count) : call_.Writes(name, item.buf, item.count);
  if (!call_.ok() || item.count == 0) return;
  call_.operation().transfers.push_back(
      {sends, item.remoteRank, data, item.count * SizeOf(item.dataType), 0});
}

Status Batch::Queue() {
  if (Status launched = Launch(); !launched.ok()) return launched;
  return Await();
}

Status Batch::Launch() {
  if (!refused_.ok()) return std::move(refused_);
  if (call_.ok() && to_self_.size() != 0 && to_self_[false] != to_self_[true]) {
    call_.Refuse(BadParameter("what this rank sends to itself",
                              static_cast<int64_t>(to_self_[true]),
                              Cat("the bytes that it receives from itself, ", to_self_[false]),
                              "count", "pass a send and a receive of equal size"));
  }
  if (!call_.ok() || call_.operation().transfers.empty()) return call_.TakeRefusal();
  return call_.Launch();
}

}  // namespace aclimb::collectives
