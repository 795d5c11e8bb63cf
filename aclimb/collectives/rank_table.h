#pragma once

#include <cstdint>
#include <string>

#include "aclimb/core/status.h"

namespace aclimb::collectives {

// What joining needs of a rank table.
struct RankTable {
  uint32_t size = 0;    // ranks
  std::string root;     // numeric address of rank 0's host
  uint64_t digest = 0;  // of the whole table; equal tables have equal ones
};

// Reads a rank table in JSON, versions 1.0 and 1.2:
//   {"version": "1.0", "status": "completed", "server_count": "1", "server_list": [
//     {"server_id": "node_0", "host_ip": "192.168.0.1",
//      "device": [{"device_id": "0", "rank_id": "0"}, ...]}, ...]}
// The server_id is the address where there is no host_ip; the ranks of one server need neither.
//   errors  HCCL_E_OPEN_FILE_FAILURE the file cannot be read
//           HCCL_E_PARA it is no rank table, its ranks are not 0 to n - 1, or it has no address
//             of rank 0's host
Result<RankTable> ReadRankTable(const std::string& file);

}  // namespace aclimb::collectives
