#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "acl/acl_rt.h"
#include "aclimb/collectives/make.h"
#include "aclimb/collectives/operation.h"
#include "aclimb/collectives/tool_view.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// One call of an operation: its arguments are checked in the order in which they are added; the
// first refusal stays, and nothing is done after it.
class Call {
 public:
  Call(const char* function, Kind kind, HcclComm comm, aclrtStream stream);

  uint32_t rank() const { return communicator_ != nullptr ? communicator_->rank() : 0; }
  uint32_t size() const { return communicator_ != nullptr ? communicator_->size() : 0; }
  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  // What is added after this is checked anew.
  Status TakeRefusal() { return std::move(status_); }

  Call& Type(const char* name, HcclDataType type);
  Call& Reduces(HcclReduceOp op);
  Call& Root(uint32_t root);
  Call& Count(std::string_view name, uint64_t count);
  // A buffer of `count` elements; their first one, or null after a refusal.
  std::byte* Reads(const char* name, const void* address, uint64_t count);
  std::byte* Writes(const char* name, const void* address, uint64_t count);
  // Of a buffer these blocks alone.
  std::byte* Reads(const char* name, const void* address, const std::vector<Block>& blocks);
  std::byte* Writes(const char* name, const void* address, const std::vector<Block>& blocks);
  // A host array of a number for each rank.
  std::vector<uint64_t> Numbers(const char* name, const void* array, uint64_t count);
  Call& Refuse(Status status);
  // The two buffers have no byte in common, unless they begin at the same one and that is allowed.
  Call& Apart(const void* in, uint64_t in_count, const void* out, uint64_t out_count,
              bool same_allowed);
  // The blocks of the one have no byte in common with those of the other.
  Call& Apart(const void* in, const std::vector<Block>& in_blocks, const void* out,
              const std::vector<Block>& out_blocks);
  // `count` elements as a block.
  std::vector<Block> Whole(uint64_t count) const;

  Operation& operation() { return operation_; }
  // A count of 0 is a success without effect. Behind sends and receives of an open group the call
  // waits for the group's end.
  Status Queue(bool empty);
  // The two parts of that, for a group: it queues all of its calls before it waits for one.
  Status Launch();
  Status Await();

 private:
  std::byte* Find(const char* name, const void* address, uint64_t count, bool writes);
  std::byte* Find(const char* name, const void* address, const std::vector<Block>& blocks,
                  bool writes);

  struct Touched {
    const char* name;
    const void* address;
    uint64_t count;
    HcclDataType type;
    bool writes;
  };

  CommunicatorRef communicator_;
  const aclrtStream stream_;
  Operation operation_;
  std::vector<Touched> touched_;
  bool launched_ = false;
  Status status_;
};

}  // namespace aclimb::collectives
