#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "aclimb/collectives/arguments.h"
#include "aclimb/core/status.h"
#include "hccl/hccl.h"

namespace aclimb::collectives {

// Sends and receives that get on together, as one operation. The first refusal of an item stays,
// and nothing is done then.
class Batch {
 public:
  //   self_allowed  the rank may send to itself
  Batch(const char* function, HcclComm comm, aclrtStream stream, bool self_allowed);

  //   place  stands before the names of the item's parts where it is one of a list:
  //          "sendRecvInfo[2]."
  void Add(const HcclSendRecvItem& item, const std::string& place);
  Status Queue();

  HcclComm comm() const { return comm_; }
  aclrtStream stream() const { return stream_; }

 private:
  const HcclComm comm_;
  const aclrtStream stream_;
  const bool self_allowed_;
  Call call_;
  std::map<bool, uint64_t> to_self_;  // bytes, by whether they are sent
};

}  // namespace aclimb::collectives
