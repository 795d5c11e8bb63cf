#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "aclimb/collectives/arguments.h"
#include "aclimb/core/status.h"
#include "hccl/hccl.h"

namespace aclimb::collectives {

// Sends and receives that get on together, as one operation. Each item is checked; where one was
// refused, nothing is done.
class Batch {
 public:
  //   self_allowed  the rank may send to itself
  Batch(const char* function, HcclComm comm, aclrtStream stream, bool self_allowed);

  //   place  stands before the names of the item's parts where it is one of a list:
  //          "sendRecvInfo[2]."
  Status Add(const HcclSendRecvItem& item, const std::string& place);
  // The first refusal, or what becomes of the operation; and the two parts of that.
  Status Queue();
  Status Launch();
  Status Await() { return call_.Await(); }

  HcclComm comm() const { return comm_; }
  aclrtStream stream() const { return stream_; }

 private:
  void CheckAndAdd(const HcclSendRecvItem& item, const std::string& place);

  const HcclComm comm_;
  const aclrtStream stream_;
  const bool self_allowed_;
  Call call_;                         // refused while the batch has no communicator that it can use
  Status refused_;                    // the first item that was
  std::map<bool, uint64_t> to_self_;  // bytes, by whether they are sent
};

}  // namespace aclimb::collectives
