#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/collectives/group.h"

namespace aclimb::collectives {

// What ranks that are threads of one process share.
class ThreadRanks;

// A rank of a group whose ranks are threads of one process: each reads and writes the others'
// buffers, which needs no transport.
class ThreadGroup final : public Group {
 public:
  // All ranks at once.
  static std::vector<std::unique_ptr<Group>> Make(uint32_t size);
  // One rank, of those that name the same key. No two groups have one key.
  static Result<std::unique_ptr<Group>> Join(const std::string& key, uint32_t size, uint32_t rank);

  ThreadGroup(std::shared_ptr<ThreadRanks> ranks, uint32_t rank)
      : ranks_(std::move(ranks)), rank_(rank) {}
  ~ThreadGroup() override;

  uint32_t rank() const override { return rank_; }
  uint32_t size() const override;
  uint64_t number() const override;
  Status Run(const Operation& operation) override;
  void Abort(Status why) noexcept override;
  Status Failure() const override;
  uint64_t Progress() const override { return 0; }  // all of it happens at once
  Result<std::unique_ptr<Group>> Split(const std::string& key, const std::vector<uint32_t>& ranks,
                                       uint32_t rank, bool in_order, Deadline deadline) override;

 private:
  static Result<std::unique_ptr<Group>> Of(Result<std::shared_ptr<ThreadRanks>> ranks,
                                           uint32_t rank);

  const std::shared_ptr<ThreadRanks> ranks_;
  const uint32_t rank_;
};

}  // namespace aclimb::collectives
