#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "aclimb/collectives/arguments.h"
#include "aclimb/collectives/datatype.h"
#include "aclimb/collectives/entry.h"
#include "aclimb/core/text.h"
#include "hccl/hccl.h"

namespace aclimb::collectives {
namespace {

// Equal blocks, one behind the other.
std::vector<Block> EqualBlocks(uint32_t size, uint64_t bytes) {
  std::vector<Block> blocks(size);
  for (uint32_t r = 0; r < size; ++r) blocks[r] = {r * bytes, bytes};
  return blocks;
}

std::vector<Block> BlocksOf(const std::vector<uint64_t>& counts,
                            const std::vector<uint64_t>& offsets, uint64_t element_bytes) {
  std::vector<Block> blocks;
  for (size_t r = 0; r < counts.size(); ++r) {
    blocks.push_back({offsets[r] * element_bytes, counts[r] * element_bytes});
  }
  return blocks;
}

bool IsZero(uint64_t number) { return number == 0; }

const void* At(const void* buffer, uint64_t elements, HcclDataType type) {
  return static_cast<const char*>(buffer) + elements * SizeOf(type);
}

Status AllReduce(void* in, void* out, uint64_t count, HcclDataType type, HcclReduceOp op,
                 HcclComm comm, aclrtStream stream) {
  Call call("HcclAllReduce", Kind::kAllReduce, comm, stream);
  call.Type("dataType", type).Reduces(op).Count("count", count);
  call.operation().in = call.Reads("sendBuf", in, count);
  call.operation().out = call.Writes("recvBuf", out, count);
  return call.Apart(in, count, out, count, /*same_allowed=*/true).Queue(count == 0);
}

Status Broadcast(void* buffer, uint64_t count, HcclDataType type, uint32_t root, HcclComm comm,
                 aclrtStream stream) {
  Call call("HcclBroadcast", Kind::kBroadcast, comm, stream);
  call.Type("dataType", type).Root(root).Count("count", count);
  call.operation().out =
      call.rank() == root ? call.Reads("buf", buffer, count) : call.Writes("buf", buffer, count);
  return call.Queue(count == 0);
}

Status Reduce(void* in, void* out, uint64_t count, HcclDataType type, HcclReduceOp op,
              uint32_t root, HcclComm comm, aclrtStream stream) {
  Call call("HcclReduce", Kind::kReduce, comm, stream);
  call.Type("dataType", type).Reduces(op).Root(root).Count("count", count);
  call.operation().in = call.Reads("sendBuf", in, count);
  if (call.rank() == root) {
    call.operation().out = call.Writes("recvBuf", out, count);
    call.Apart(in, count, out, count, /*same_allowed=*/true);
  }
  return call.Queue(count == 0);
}

Status ReduceScatter(void* in, void* out, uint64_t count, HcclDataType type, HcclReduceOp op,
                     HcclComm comm, aclrtStream stream) {
  Call call("HcclReduceScatter", Kind::kReduceScatter, comm, stream);
  call.Type("dataType", type).Reduces(op).Count("recvCount", count);
  call.operation().in = call.Reads("sendBuf", in, count * call.size());
  call.operation().out = call.Writes("recvBuf", out, count);
  // The result may lie in this rank's own block, which the others do not read.
  if (call.ok() && out != At(in, count * call.rank(), type)) {
    call.Apart(in, count * call.size(), out, count, /*same_allowed=*/false);
  }
  call.operation().in_blocks = EqualBlocks(call.size(), count * SizeOf(type));
  return call.Queue(count == 0);
}

Status ReduceScatterV(void* in, const void* counts, const void* displacements, void* out,
                      uint64_t count, HcclDataType type, HcclReduceOp op, HcclComm comm,
                      aclrtStream stream) {
  Call call("HcclReduceScatterV", Kind::kReduceScatter, comm, stream);
  call.Type("dataType", type).Reduces(op).Count("recvCount", count);
  const std::vector<uint64_t> sent = call.Numbers("sendCounts", counts, call.size());
  const std::vector<uint64_t> places = call.Numbers("sendDispls", displacements, call.size());
  if (call.ok() && sent[call.rank()] != count) {
    call.Refuse(BadParameter(
        "recvCount", static_cast<int64_t>(count),
        Cat("sendCounts[", call.rank(), "] of this rank, which is ", sent[call.rank()]), "count",
        "pass the rank's own count as recvCount"));
  }
  std::vector<Block> blocks = BlocksOf(sent, places, SizeOf(type));
  call.operation().in = call.Reads("sendBuf", in, blocks);
  call.operation().out = call.Writes("recvBuf", out, count);
  call.Apart(in, blocks, out, call.Whole(count));
  call.operation().in_blocks = std::move(blocks);
  return call.Queue(std::all_of(sent.begin(), sent.end(), IsZero));
}

Status AllGather(void* in, void* out, uint64_t count, HcclDataType type, HcclComm comm,
                 aclrtStream stream) {
  Call call("HcclAllGather", Kind::kAllGather, comm, stream);
  call.Type("dataType", type).Count("sendCount", count);
  call.operation().in = call.Reads("sendBuf", in, count);
  call.operation().out = call.Writes("recvBuf", out, count * call.size());
  if (call.ok() && in != At(out, count * call.rank(), type)) {
    call.Apart(in, count, out, count * call.size(), /*same_allowed=*/false);
  }
  call.operation().out_blocks = EqualBlocks(call.size(), count * SizeOf(type));
  return call.Queue(count == 0);
}

Status AllGatherV(void* in, uint64_t count, void* out, const void* counts,
                  const void* displacements, HcclDataType type, HcclComm comm, aclrtStream stream) {
  Call call("HcclAllGatherV", Kind::kAllGather, comm, stream);
  call.Type("dataType", type).Count("sendCount", count);
  const std::vector<uint64_t> received = call.Numbers("recvCounts", counts, call.size());
  const std::vector<uint64_t> places = call.Numbers("recvDispls", displacements, call.size());
  if (call.ok() && received[call.rank()] != count) {
    call.Refuse(BadParameter(
        "sendCount", static_cast<int64_t>(count),
        Cat("recvCounts[", call.rank(), "] of this rank, which is ", received[call.rank()]),
        "count", "pass the rank's own count as sendCount"));
  }
  std::vector<Block> blocks = BlocksOf(received, places, SizeOf(type));
  call.operation().in = call.Reads("sendBuf", in, count);
  call.operation().out = call.Writes("recvBuf", out, blocks);
  call.Apart(in, call.Whole(count), out, blocks);
  call.operation().out_blocks = std::move(blocks);
  return call.Queue(std::all_of(received.begin(), received.end(), IsZero));
}

Status Scatter(void* in, void* out, uint64_t count, HcclDataType type, uint32_t root, HcclComm comm,
               aclrtStream stream) {
  Call call("HcclScatter", Kind::kScatter, comm, stream);
  call.Type("dataType", type).Root(root).Count("recvCount", count);
  call.operation().out = call.Writes("recvBuf", out, count);
  if (call.rank() == root) {
    call.operation().in = call.Reads("sendBuf", in, count * call.size());
    call.operation().in_blocks = EqualBlocks(call.size(), count * SizeOf(type));
    if (call.ok() && out != At(in, count * root, type)) {
      call.Apart(in, count * call.size(), out, count, /*same_allowed=*/false);
    }
  }
  return call.Queue(count == 0);
}

// What the three of its kind have in common.
Status QueueAllToAll(Call& call, const void* in, const std::vector<uint64_t>& sent,
                     const std::vector<uint64_t>& sent_places, HcclDataType in_type,
                     const void* out, const std::vector<uint64_t>& received,
                     const std::vector<uint64_t>& received_places, HcclDataType out_type) {
  call.Type("sendType", in_type);
  std::vector<Block> in_blocks = BlocksOf(sent, sent_places, SizeOf(in_type));
  call.operation().in = call.Reads("sendBuf", in, in_blocks);
  call.Type("recvType", out_type);
  std::vector<Block> out_blocks = BlocksOf(received, received_places, SizeOf(out_type));
  call.operation().out = call.Writes("recvBuf", out, out_blocks);
  if (call.ok() && in_type != out_type) {
    call.Refuse(Refuse(HCCL_E_NOT_SUPPORT,
                       Cat("sendType is ", NameOf(in_type), " but recvType is ", NameOf(out_type),
                           "; expected the same."),
                       "nothing is converted: pass one type", "collective/two-types"));
  }
  call.Apart(in, in_blocks, out, out_blocks);
  if (call.ok() && sent[call.rank()] != received[call.rank()]) {
    call.Refuse(BadParameter("the count that this rank sends to itself",
                             static_cast<int64_t>(sent[call.rank()]),
                             Cat("what it receives from itself, ", received[call.rank()]), "count",
                             "pass the same count for the rank itself on both sides"));
  }
  call.operation().in_blocks = std::move(in_blocks);
  call.operation().out_blocks = std::move(out_blocks);
  return call.Queue(false);
}

std::vector<uint64_t> PlacesOf(const std::vector<uint64_t>& counts) {
  std::vector<uint64_t> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), uint64_t{0});
  return places;
}

Status AllToAll(const void* in, uint64_t in_count, HcclDataType in_type, const void* out,
                uint64_t out_count, HcclDataType out_type, HcclComm comm, aclrtStream stream) {
  Call call("HcclAlltoAll", Kind::kAllToAll, comm, stream);
  call.Type("sendType", in_type).Count("sendCount", in_count);
  call.Type("recvType", out_type).Count("recvCount", out_count);
  if (call.ok() && in_count == 0 && out_count == 0) return Ok();
  const std::vector<uint64_t> sent(call.size(), in_count), received(call.size(), out_count);
  return QueueAllToAll(call, in, sent, PlacesOf(sent), in_type, out, received, PlacesOf(received),
                       out_type);
}

Status AllToAllV(const void* in, const void* in_counts, const void* in_places, HcclDataType in_type,
                 const void* out, const void* out_counts, const void* out_places,
                 HcclDataType out_type, HcclComm comm, aclrtStream stream) {
  Call call("HcclAlltoAllV", Kind::kAllToAll, comm, stream);
  const std::vector<uint64_t> sent = call.Numbers("sendCounts", in_counts, call.size());
  const std::vector<uint64_t> sent_places = call.Numbers("sdispls", in_places, call.size());
  const std::vector<uint64_t> received = call.Numbers("recvCounts", out_counts, call.size());
  const std::vector<uint64_t> places = call.Numbers("rdispls", out_places, call.size());
  return QueueAllToAll(call, in, sent, sent_places, in_type, out, received, places, out_type);
}

Status AllToAllVC(const void* in, const void* matrix, HcclDataType in_type, const void* out,
                  HcclDataType out_type, HcclComm comm, aclrtStream stream) {
  Call call("HcclAlltoAllVC", Kind::kAllToAll, comm, stream);
  const uint64_t size = call.size();
  const std::vector<uint64_t> counts = call.Numbers("sendCountMatrix", matrix, size * size);
  std::vector<uint64_t> sent, received;
  for (uint64_t r = 0; r < size; ++r) {
    sent.push_back(counts[call.rank() * size + r]);
    received.push_back(counts[r * size + call.rank()]);
  }
  return QueueAllToAll(call, in, sent, PlacesOf(sent), in_type, out, received, PlacesOf(received),
                       out_type);
}

}  // namespace
}  // namespace aclimb::collectives

using aclimb::collectives::Enter;

extern "C" {

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  return Enter("HcclAllReduce", [&] {
    return aclimb::collectives::AllReduce(sendBuf, recvBuf, count, dataType, op, comm, stream);
  });
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                         HcclComm comm, aclrtStream stream) {
  return Enter("HcclBroadcast", [&] {
    return aclimb::collectives::Broadcast(buf, count, dataType, root, comm, stream);
  });
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                      HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream) {
  return Enter("HcclReduce", [&] {
    return aclimb::collectives::Reduce(sendBuf, recvBuf, count, dataType, op, root, comm, stream);
  });
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                             aclrtStream stream) {
  return Enter("HcclReduceScatter", [&] {
    return aclimb::collectives::ReduceScatter(sendBuf, recvBuf, recvCount, dataType, op, comm,
                                              stream);
  });
}

HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts, const void* sendDispls,
                              void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                              HcclReduceOp op, HcclComm comm, aclrtStream stream) {
  return Enter("HcclReduceScatterV", [&] {
    return aclimb::collectives::ReduceScatterV(sendBuf, sendCounts, sendDispls, recvBuf, recvCount,
                                               dataType, op, comm, stream);
  });
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream) {
  return Enter("HcclAllGather", [&] {
    return aclimb::collectives::AllGather(sendBuf, recvBuf, sendCount, dataType, comm, stream);
  });
}

HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf, const void* recvCounts,
                          const void* recvDispls, HcclDataType dataType, HcclComm comm,
                          aclrtStream stream) {
  return Enter("HcclAllGatherV", [&] {
    return aclimb::collectives::AllGatherV(sendBuf, sendCount, recvBuf, recvCounts, recvDispls,
                                           dataType, comm, stream);
  });
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                       uint32_t root, HcclComm comm, aclrtStream stream) {
  return Enter("HcclScatter", [&] {
    return aclimb::collectives::Scatter(sendBuf, recvBuf, recvCount, dataType, root, comm, stream);
  });
}

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                        const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                        HcclComm comm, aclrtStream stream) {
  return Enter("HcclAlltoAll", [&] {
    return aclimb::collectives::AllToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType,
                                         comm, stream);
  });
}

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                         HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                         const void* rdispls, HcclDataType recvType, HcclComm comm,
                         aclrtStream stream) {
  return Enter("HcclAlltoAllV", [&] {
    return aclimb::collectives::AllToAllV(sendBuf, sendCounts, sdispls, sendType, recvBuf,
                                          recvCounts, rdispls, recvType, comm, stream);
  });
}

HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType,
                          const void* recvBuf, HcclDataType recvType, HcclComm comm,
                          aclrtStream stream) {
  return Enter("HcclAlltoAllVC", [&] {
    return aclimb::collectives::AllToAllVC(sendBuf, sendCountMatrix, sendType, recvBuf, recvType,
                                           comm, stream);
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  return Enter("HcclBarrier", [&] {
    return aclimb::collectives::Call("HcclBarrier", aclimb::collectives::Kind::kBarrier, comm,
                                     stream)
        .Queue(false);
  });
}

}  // extern "C"
