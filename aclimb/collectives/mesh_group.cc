#include "aclimb/collectives/mesh_group.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "aclimb/collectives/datatype.h"
#include "aclimb/collectives/errors.h"
#include "aclimb/collectives/peers.h"
#include "aclimb/collectives/reduction.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

// What this rank and the others have for each other, before they are connected.
Result<Link::Exchanged> ExchangeInvitations(Link& link, const std::string& key,
                                            const std::vector<uint32_t>& ranks, uint32_t rank,
                                            const Peers& peers, bool in_order,
                                            Group::Deadline deadline) {
  std::vector<std::string> mine;
  for (uint32_t i = 0; i < ranks.size(); ++i) {
    mine.push_back(Cat(in_order ? "1" : "0", peers.InvitationFor(i)));
  }
  Result<Link::Exchanged> theirs = link.Exchange(key, ranks, mine, deadline);
  if (!theirs.ok()) return theirs;
  for (uint32_t i = 0; i < ranks.size(); ++i) {
    std::string& piece = theirs.value().pieces[i];
    if (piece.starts_with('1') != in_order) {
      return Refuse(
          HCCL_E_PARA,
          Cat("rank ", rank, in_order ? " reduces" : " does not reduce",
              " in the order of the ranks but rank ", i, in_order ? " does not" : " does",
              "; expected the same on all ranks."),
          "set HCCL_DETERMINISTIC, HcclSetConfig(HCCL_DETERMINISTIC) and hcclDeterministic alike "
          "on all of them",
          "collective/deterministic");
    }
    piece.erase(0, 1);
  }
  return theirs;
}

// `count` elements in one block for each rank, as equal as they can be.
std::vector<Block> Blocks(uint64_t count, uint64_t element_bytes, uint32_t size) {
  std::vector<Block> blocks(size);
  for (uint32_t r = 0; r < size; ++r) {
    const uint64_t begin = count * r / size, end = count * (r + 1) / size;
    blocks[r] = {begin * element_bytes, (end - begin) * element_bytes};
  }
  return blocks;
}

int64_t NanosecondsOf(Group::Deadline deadline) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count();
}

Status FailureOf(const AclimbTransportError& error) {
  switch (error.cause) {
    case ACLIMB_TRANSPORT_MEMORY:
      return NoHostMemory("the transfer");
    case ACLIMB_TRANSPORT_SYSTEM:
      return Refuse(HCCL_E_SYSCALL,
                    Cat("the system refused what the transfer needs (", error.text,
                        "); expected threads and descriptors for a connection to each rank."),
                    "end other threads, or raise the limits of the process (ulimit -u, ulimit -n)",
                    "collective/system");
    case ACLIMB_TRANSPORT_BUG:
      return Refuse(HCCL_E_INTERNAL, Cat("an internal failure of the transport: ", error.text, "."),
                    "report it as a bug, with the call and its arguments", "collective/internal");
    default:
      return Refuse(
          error.cause == ACLIMB_TRANSPORT_TIME ? HCCL_E_TIMEOUT : HCCL_E_TCP_TRANSFER, error.text,
          "look at the other ranks' messages; destroy the communicator and make a new one",
          "collective/transfer");
  }
}

// Which bytes a piece has is part of its tag, so that different sizes never meet.
AclimbPiece Piece(const AclimbTransportCall& call, uint32_t peer, const std::byte* data,
                  uint64_t bytes) {
  return {peer, const_cast<std::byte*>(data), bytes, Mix(call.tag, bytes)};
}

}  // namespace

Result<std::unique_ptr<Group>> MeshGroup::Connect(const AclimbTransport& transport,
                                                  std::shared_ptr<Link> link,
                                                  const std::string& key,
                                                  std::vector<uint32_t> ranks, uint32_t rank,
                                                  const std::string& address, bool in_order,
                                                  Deadline deadline) {
  std::unique_ptr<MeshGroup> group(
      new MeshGroup(transport, std::move(link), std::move(ranks), rank, address, in_order));
  const std::string own = address.empty() ? group->link_->local_address() : address;
  Result<Peers> peers = Peers::Listen(own, rank, group->size());
  if (!peers.ok()) return peers.TakeStatus();
  Result<Link::Exchanged> invitations = ExchangeInvitations(*group->link_, key, group->ranks_, rank,
                                                            peers.value(), in_order, deadline);
  if (!invitations.ok()) return invitations.TakeStatus();
  group->number_ = invitations.value().number;
  Result<std::vector<Socket>> sockets = peers.value().Connect(invitations.value().pieces, deadline);
  if (!sockets.ok()) return sockets.TakeStatus();
  // A child would keep what is neither a Socket's nor the transport's.
  const ForkHold hold;
  std::vector<int> descriptors;
  descriptors.reserve(sockets.value().size());
  for (Socket& socket : sockets.value()) descriptors.push_back(socket.Release());
  const AclimbMeshConfig config = {rank, group->size(), descriptors.data(), own.c_str()};
  AclimbTransportError error = {};
  if (group->transport_.make(&config, &group->mesh_, &error) != 0) {
    group->mesh_ = nullptr;
    return FailureOf(error);
  }
  return std::unique_ptr<Group>(std::move(group));
}

MeshGroup::~MeshGroup() {
  if (mesh_ != nullptr) transport_.destroy(mesh_);
}

// The reason is told by the hub.
void MeshGroup::Abort(Status) noexcept { transport_.abort(mesh_); }

Result<std::unique_ptr<Group>> MeshGroup::Split(const std::string& key,
                                                const std::vector<uint32_t>& ranks, uint32_t rank,
                                                bool in_order, Deadline deadline) {
  std::vector<uint32_t> at_link;
  for (const uint32_t each : ranks) at_link.push_back(ranks_[each]);
  return Connect(transport_, link_, key, std::move(at_link), rank, address_, in_order, deadline);
}

Status MeshGroup::Run(const Operation& operation) {
  AclimbTransportError error = {};
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(operation.timeout_ms);
  const AclimbTransportCall call = {operation.Signature(), NanosecondsOf(deadline), &error};
  int failed = 0;
  switch (operation.kind) {
    case Kind::kAllReduce:
      failed = ByBlocks(operation)
                   ? AllReduceByBlocks(operation, call)
                   : transport_.all_reduce(mesh_, &call, operation.in, operation.out,
                                           operation.count, SizeOf(operation.type),
                                           CombineOf(operation.type, operation.op));
      break;
    case Kind::kReduce:
      failed = ByBlocks(operation) ? ReduceByBlocks(operation, call) : Reduce(operation, call);
      break;
    case Kind::kReduceScatter:
      failed = ReduceScatter(operation, call);
      break;
    case Kind::kBroadcast:
      failed = transport_.broadcast(mesh_, &call, operation.out, operation.bytes(), operation.root);
      break;
    case Kind::kAllGather:
      failed = AllGather(operation, call);
      break;
    case Kind::kScatter:
      failed = Scatter(operation, call);
      break;
    case Kind::kAllToAll:
      failed = AllToAll(operation, call);
      break;
    case Kind::kTransfers:
      failed = Transfers(operation, call);
      break;
    case Kind::kBarrier:
      failed = transport_.barrier(mesh_, &call);
      break;
  }
  return failed == 0 ? Ok() : FailureOf(error);
}

// Half types cross the network as they are and are rounded once; the transport's own reduction
// would round at every rank.
bool MeshGroup::ByBlocks(const Operation& operation) const {
  return IsHalf(operation.type) || in_order_;
}

int MeshGroup::ReduceOwnBlock(const Operation& operation, const AclimbTransportCall& call,
                              const std::vector<Block>& blocks, std::byte* out) {
  const uint64_t own = blocks[rank_].bytes;
  const std::unique_ptr<std::byte[]> come(new std::byte[own * (size() - 1) + 1]);
  std::vector<const std::byte*> parts(size());
  std::vector<AclimbPiece> sends, receives;
  std::byte* place = come.get();
  for (uint32_t r = 0; r < size(); ++r) {
    if (r == rank_) {
      parts[r] = operation.in + blocks[r].offset;
      continue;
    }
    parts[r] = place;
    if (own > 0) receives.push_back(Piece(call, r, place, own));
    if (blocks[r].bytes > 0) {
      sends.push_back(Piece(call, r, operation.in + blocks[r].offset, blocks[r].bytes));
    }
    place += own;
  }
  const int failed = transport_.transfer(mesh_, &call, sends.data(), sends.size(), receives.data(),
                                         receives.size());
  if (failed == 0) {
    ReduceInOrder(operation.type, operation.op, parts, own / SizeOf(operation.type), out);
  }
  return failed;
}

int MeshGroup::AllReduceByBlocks(const Operation& operation, const AclimbTransportCall& call) {
  const std::vector<Block> blocks = Blocks(operation.count, SizeOf(operation.type), size());
  std::byte* const own = operation.out + blocks[rank_].offset;
  if (const int failed = ReduceOwnBlock(operation, call, blocks, own)) return failed;
  std::vector<uint64_t> bytes;
  for (const Block& block : blocks) bytes.push_back(block.bytes);
  return transport_.all_gather(mesh_, &call, own, operation.out, bytes.data());
}

int MeshGroup::ReduceByBlocks(const Operation& operation, const AclimbTransportCall& call) {
  const std::vector<Block> blocks = Blocks(operation.count, SizeOf(operation.type), size());
  const bool root = rank_ == operation.root;
  const uint64_t bytes = blocks[rank_].bytes;
  const std::unique_ptr<std::byte[]> scratch(new std::byte[root ? 1 : bytes + 1]);
  std::byte* const own = root ? operation.out + blocks[rank_].offset : scratch.get();
  if (const int failed = ReduceOwnBlock(operation, call, blocks, own)) return failed;
  AclimbTransportCall second = call;
  second.tag = Mix(call.tag, 2);
  std::vector<AclimbPiece> sends, receives;
  if (!root && bytes > 0) sends.push_back(Piece(second, operation.root, own, bytes));
  for (uint32_t r = 0; root && r < size(); ++r) {
    if (r == rank_ || blocks[r].bytes == 0) continue;
    receives.push_back(Piece(second, r, operation.out + blocks[r].offset, blocks[r].bytes));
  }
  return transport_.transfer(mesh_, &second, sends.data(), sends.size(), receives.data(),
                             receives.size());
}

int MeshGroup::ReduceScatter(const Operation& operation, const AclimbTransportCall& call) {
  return ReduceOwnBlock(operation, call, operation.in_blocks, operation.out);
}

// The transport needs a buffer for its partial results on every rank.
int MeshGroup::Reduce(const Operation& operation, const AclimbTransportCall& call) {
  const bool root = rank_ == operation.root;
  const std::unique_ptr<std::byte[]> scratch(new std::byte[root ? 1 : operation.bytes()]);
  return transport_.reduce(mesh_, &call, operation.in, root ? operation.out : scratch.get(),
                           operation.count, SizeOf(operation.type),
                           CombineOf(operation.type, operation.op), operation.root);
}

// The transport packs the blocks; where the call wants them elsewhere, they are moved.
int MeshGroup::AllGather(const Operation& operation, const AclimbTransportCall& call) {
  std::vector<uint64_t> bytes;
  uint64_t total = 0;
  bool packed = true;
  for (const Block& block : operation.out_blocks) {
    packed = packed && (block.bytes == 0 || block.offset == total);
    bytes.push_back(block.bytes);
    total += block.bytes;
  }
  if (packed) return transport_.all_gather(mesh_, &call, operation.in, operation.out, bytes.data());
  const std::unique_ptr<std::byte[]> scratch(new std::byte[total]);
  const int failed = transport_.all_gather(mesh_, &call, operation.in, scratch.get(), bytes.data());
  const std::byte* from = scratch.get();
  for (const Block& block : operation.out_blocks) {
    if (failed == 0) std::memcpy(operation.out + block.offset, from, block.bytes);
    from += block.bytes;
  }
  return failed;
}

int MeshGroup::Scatter(const Operation& operation, const AclimbTransportCall& call) {
  std::vector<void*> blocks;
  for (const Block& block : operation.in_blocks) blocks.push_back(operation.in + block.offset);
  return transport_.scatter(mesh_, &call, blocks.empty() ? nullptr : blocks.data(), operation.out,
                            operation.bytes(), operation.root);
}

int MeshGroup::AllToAll(const Operation& operation, const AclimbTransportCall& call) {
  std::vector<AclimbPiece> sends, receives;
  // Each rank begins with its neighbour, so that not all send to the same one.
  for (uint32_t step = 1; step < size(); ++step) {
    const uint32_t to = (rank_ + step) % size();
    const uint32_t from = (rank_ + size() - step) % size();
    const Block& sent = operation.in_blocks[to];
    const Block& wanted = operation.out_blocks[from];
    if (sent.bytes > 0) sends.push_back(Piece(call, to, operation.in + sent.offset, sent.bytes));
    if (wanted.bytes > 0) {
      receives.push_back(Piece(call, from, operation.out + wanted.offset, wanted.bytes));
    }
  }
  const Block& own = operation.out_blocks[rank_];
  if (own.bytes > 0) {
    std::memcpy(operation.out + own.offset, operation.in + operation.in_blocks[rank_].offset,
                own.bytes);
  }
  return transport_.transfer(mesh_, &call, sends.data(), sends.size(), receives.data(),
                             receives.size());
}

int MeshGroup::Transfers(const Operation& operation, const AclimbTransportCall& call) {
  std::vector<AclimbPiece> sends, receives;
  const Transfer* from_self = nullptr;
  const Transfer* to_self = nullptr;
  for (const Transfer& each : operation.transfers) {
    if (each.peer == rank_) {
      (each.sends ? from_self : to_self) = &each;
      continue;
    }
    // Both sides count the sends from the one to the other.
    AclimbPiece piece = {each.peer, each.data, each.bytes, Mix(Mix(0, each.number), each.bytes)};
    (each.sends ? sends : receives).push_back(piece);
  }
  if (from_self != nullptr && to_self != nullptr) {
    std::memmove(to_self->data, from_self->data, to_self->bytes);
  }
  return transport_.transfer(mesh_, &call, sends.data(), sends.size(), receives.data(),
                             receives.size());
}

}  // namespace aclimb::collectives
