#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclimb/collectives/arguments.h"
#include "aclimb/collectives/datatype.h"
#include "aclimb/collectives/entry.h"
#include "aclimb/core/text.h"
#include "hccl/hccl.h"

namespace aclimb::collectives {
namespace {

// Of the thread, between HcclGroupStart and HcclGroupEnd.
struct OpenGroup {
  int depth = 0;
  struct Batch {
    HcclComm comm;
    aclrtStream stream;
    std::vector<HcclSendRecvItem> items;
  };
  std::vector<Batch> batches;  // in the order of their first items
};
thread_local OpenGroup open_group;

Status QueueItems(const char* function, const HcclSendRecvItem* items, uint32_t count,
                  HcclComm comm, aclrtStream stream, bool self_allowed) {
  const bool named = std::string_view(function) == "HcclBatchSendRecv";
  Call call(function, Kind::kTransfers, comm, stream);
  std::map<bool, uint64_t> to_self;  // bytes, by whether they are sent
  for (uint32_t i = 0; i < count && call.ok(); ++i) {
    const HcclSendRecvItem& item = items[i];
    const bool sends = item.sendRecvType == HCCL_SEND;
    if (!sends && item.sendRecvType != HCCL_RECV) {
      call.Refuse(BadParameter(Cat("sendRecvInfo[", i, "].sendRecvType"), item.sendRecvType,
                               "HCCL_SEND or HCCL_RECV", "send-recv-type",
                               "pass one of the two enumerators"));
    }
    // Of one item the function's own arguments, of several those of the list.
    const std::string place = named ? Cat("sendRecvInfo[", i, "].") : std::string();
    call.Type((place + "dataType").c_str(), item.dataType).Count(place + "count", item.count);
    if (named && item.buf == nullptr && item.count > 0) call.Refuse(NullPointer(place + "buf"));
    const bool self = item.remoteRank == call.rank();
    if (call.ok() && (item.remoteRank >= call.size() || (self && !self_allowed))) {
      const char* const peer = sends ? "destRank" : "srcRank";
      call.Refuse(BadParameter(named ? place + "remoteRank" : peer, item.remoteRank,
                               Cat("another rank, below ", call.size()), "peer",
                               "pass the partner's rank; HcclBatchSendRecv sends to the rank "
                               "itself"));
    }
    if (call.ok() && self && !to_self.emplace(sends, item.count * SizeOf(item.dataType)).second) {
      call.Refuse(BadParameter("the number of items of one direction with this rank itself", 2,
                               "one", "peer", "make one block of them"));
    }
    const char* const name = sends ? "sendBuf" : "recvBuf";
    std::byte* const data =
        sends ? call.Reads(name, item.buf, item.count) : call.Writes(name, item.buf, item.count);
    if (item.count == 0) continue;
    call.operation().transfers.push_back(
        {sends, item.remoteRank, data, item.count * SizeOf(item.dataType), 0});
  }
  if (call.ok() && to_self.size() != 0 && to_self[false] != to_self[true]) {
    call.Refuse(BadParameter("what this rank sends to itself", static_cast<int64_t>(to_self[true]),
                             Cat("the bytes that it receives from itself, ", to_self[false]),
                             "count", "pass a send and a receive of equal size"));
  }
  return call.Queue(call.operation().transfers.empty());
}

Status One(const char* function, HcclSendRecvType direction, void* buffer, uint64_t count,
           HcclDataType type, uint32_t peer, HcclComm comm, aclrtStream stream) {
  const HcclSendRecvItem item = {direction, buffer, count, type, peer};
  if (open_group.depth == 0) return QueueItems(function, &item, 1, comm, stream, false);
  for (OpenGroup::Batch& batch : open_group.batches) {
    if (batch.comm != comm || batch.stream != stream) continue;
    batch.items.push_back(item);
    return Ok();
  }
  open_group.batches.push_back({comm, stream, {item}});
  return Ok();
}

Status EndGroup() {
  if (open_group.depth == 0) {
    return Refuse(HCCL_E_PARA, "no group is open; expected a call of HcclGroupStart before.",
                  "call HcclGroupStart first", "collective/no-group");
  }
  if (--open_group.depth > 0) return Ok();
  const std::vector<OpenGroup::Batch> batches = std::exchange(open_group.batches, {});
  Status first;
  for (const OpenGroup::Batch& batch : batches) {
    Status status =
        QueueItems("HcclGroupEnd", batch.items.data(), static_cast<uint32_t>(batch.items.size()),
                   batch.comm, batch.stream, true);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

}  // namespace
}  // namespace aclimb::collectives

using aclimb::Ok;
using aclimb::Status;
using aclimb::collectives::Enter;

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
  return Enter("HcclBatchSendRecv", [&]() -> Status {
    if (sendRecvInfo == nullptr && itemNum > 0) {
      return aclimb::collectives::NullPointer("sendRecvInfo");
    }
    return aclimb::collectives::QueueItems("HcclBatchSendRecv", sendRecvInfo, itemNum, comm, stream,
                                           true);
  });
}

HcclResult HcclGroupStart() {
  return Enter("HcclGroupStart", [] {
    ++aclimb::collectives::open_group.depth;
    return Ok();
  });
}

HcclResult HcclGroupEnd() {
  return Enter("HcclGroupEnd", [] { return aclimb::collectives::EndGroup(); });
}

}  // extern "C"
