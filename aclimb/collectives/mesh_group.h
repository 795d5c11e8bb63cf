#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/collectives/group.h"
#include "aclimb/collectives/link.h"
#include "aclimb/collectives/transport.h"

namespace aclimb::collectives {

// The transport's library, opened when first needed.
Result<const AclimbTransport*> LoadTransport();

// A rank of a group whose ranks are processes, on one host or on several, with a transport between
// them.
class MeshGroup final : public Group {
 public:
  // Connects with all of `ranks`, which are the link's, in the order of this group; `rank` is this
  // one's place there.
  //   address   of this host, which the others reach; empty: the one that the link uses
  //   in_order  reductions add in the order of the ranks; all of them have to say the same
  static Result<std::unique_ptr<Group>> Connect(const AclimbTransport& transport,
                                                std::shared_ptr<Link> link, const std::string& key,
                                                std::vector<uint32_t> ranks, uint32_t rank,
                                                const std::string& address, bool in_order,
                                                Deadline deadline);
  ~MeshGroup() override;

  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return static_cast<uint32_t>(ranks_.size()); }
  uint64_t number() const override { return number_; }
  Status Run(const Operation& operation) override;
  void Abort(Status why) noexcept override;
  uint64_t Progress() const override { return transport_.progress(mesh_); }
  Result<std::unique_ptr<Group>> Split(const std::string& key, const std::vector<uint32_t>& ranks,
                                       uint32_t rank, bool in_order, Deadline deadline) override;

 private:
  MeshGroup(const AclimbTransport& transport, std::shared_ptr<Link> link,
            std::vector<uint32_t> ranks, uint32_t rank, std::string address, bool in_order)
      : transport_(transport),
        link_(std::move(link)),
        ranks_(std::move(ranks)),
        rank_(rank),
        address_(std::move(address)),
        in_order_(in_order) {}

  bool ByBlocks(const Operation& operation) const;
  // Each of these returns what the transport does.
  int AllReduceByBlocks(const Operation& operation, const AclimbTransportCall& call);
  int ReduceByBlocks(const Operation& operation, const AclimbTransportCall& call);
  int ReduceScatter(const Operation& operation, const AclimbTransportCall& call);
  int Reduce(const Operation& operation, const AclimbTransportCall& call);
  int AllGather(const Operation& operation, const AclimbTransportCall& call);
  int Scatter(const Operation& operation, const AclimbTransportCall& call);
  int AllToAll(const Operation& operation, const AclimbTransportCall& call);
  int Transfers(const Operation& operation, const AclimbTransportCall& call);
  // Sends block i of `in` to rank i, and reduces those that come for this rank into `out`.
  int ReduceOwnBlock(const Operation& operation, const AclimbTransportCall& call,
                     const std::vector<Block>& blocks, std::byte* out);

  const AclimbTransport& transport_;
  const std::shared_ptr<Link> link_;
  const std::vector<uint32_t> ranks_;
  const uint32_t rank_;
  const std::string address_;
  const bool in_order_;
  uint64_t number_ = 0;  // that the hub has given it
  AclimbMesh* mesh_ = nullptr;
};

}  // namespace aclimb::collectives
