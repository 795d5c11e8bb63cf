#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/core/status.h"

namespace aclimb::collectives {

// The hosts of a rank table: of each rank the numeric address of its host.
struct RankTable {
  std::vector<std::string> hosts;  // by rank
  uint64_t digest = 0;             // of the whole table; equal tables have equal ones
};

// Reads a rank table in JSON, versions 1.0 and 1.2:
//   {"version": "1.0", "status": "completed", "server_count": "1", "server_list": [
//     {"server_id": "192.168.0.1", "device": [{"device_id": "0", "rank_id": "0"}, ...]}, ...]}
//   errors  HCCL_E_OPEN_FILE_FAILURE the file cannot be read
//           HCCL_E_PARA it is no rank table, or its ranks are not 0 to n - 1
Result<RankTable> ReadRankTable(const std::string& file);

}  // namespace aclimb::collectives
