#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/collectives/communicator.h"
#include "aclimb/collectives/config.h"
#include "aclimb/collectives/token.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

using CommunicatorRef = std::shared_ptr<Communicator>;

// The device of the calling thread; HCCL_E_RUNTIME when it has none.
Result<int32_t> CurrentDevice();

// Joins the group of a token: ranks of one process share memory, others are connected.
Result<CommunicatorRef> JoinGroup(const Token& token, uint32_t size, uint32_t rank,
                                  const Wishes& wishes);
// A group of the calling rank alone, which meets nobody.
Result<CommunicatorRef> MakeAlone(const Wishes& wishes);
// Joins the group of a rank table.
Result<CommunicatorRef> JoinTable(const char* file, uint32_t rank, const Wishes& wishes);
// All ranks of one process.
Result<std::vector<CommunicatorRef>> MakeAll(const std::vector<int32_t>& devices);
// Some ranks of another communicator.
Result<CommunicatorRef> Split(const CommunicatorRef& parent, const std::vector<uint32_t>& ranks,
                              uint64_t id, uint32_t rank, const Wishes& wishes);

}  // namespace aclimb::collectives
