#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/collectives/operation.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// What moves data between the ranks of one communicator. One operation runs at a time.
class Group {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  virtual ~Group() = default;
  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;

  // This rank's part of an operation; returns when its buffers may be used again. Codes are
  // HcclResults. After a failure nothing more can be run.
  virtual Status Run(const Operation& operation) = 0;
  // Ends what runs, here and, by that, on the other ranks. From any thread.
  //   why  what the other ranks return, where nobody else tells them
  virtual void Abort(Status why) noexcept = 0;
  // What has ended the group, on whichever rank, as far as that is known here. From any thread.
  virtual Status Failure() const { return Ok(); }
  // A number that grows while what runs gets on. From any thread.
  virtual uint64_t Progress() const = 0;

  // The same on all ranks, and of no other group that they split off.
  virtual uint64_t number() const = 0;
  // A group of some of the ranks, in the order of `ranks`, which all of them make with the same
  // list and key. Groups of one key come about in the order of the calls.
  //   in_order  reductions add in the order of the ranks
  virtual Result<std::unique_ptr<Group>> Split(const std::string& key,
                                               const std::vector<uint32_t>& ranks, uint32_t rank,
                                               bool in_order, Deadline deadline) = 0;
};

}  // namespace aclimb::collectives
