#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hccl/hccl_types.h"

namespace aclimb::collectives {

// What an operation does; several functions of the interface may be one of these.
enum class Kind : uint8_t {
  kAllReduce,
  kReduce,
  kReduceScatter,
  kBroadcast,
  kAllGather,
  kScatter,
  kAllToAll,
  kTransfers,  // sends and receives, which concern their two ranks alone
  kBarrier,
};

// Bytes of a buffer that belong to one rank.
struct Block {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// One send or receive.
struct Transfer {
  bool sends = false;
  uint32_t peer = 0;
  std::byte* data = nullptr;
  uint64_t bytes = 0;
  uint64_t number = 0;  // among those of its direction and pair, from 1
};

// Bytes that one rank of a pair gives to the other; its two sides have the same number.
struct Flow {
  uint32_t peer = 0;
  bool sends = false;
  uint64_t number = 0;
  uint64_t bytes = 0;
};

// One call of a rank, with everything that performing it needs. Addresses are those that the host
// sees.
struct Operation {
  const char* function = "";  // static text: the public function
  Kind kind = Kind::kBarrier;
  HcclDataType type = HCCL_DATA_TYPE_INT8;
  HcclReduceOp op = HCCL_REDUCE_SUM;
  uint32_t root = 0;
  uint64_t count = 0;             // elements, as the call said; of what each rank has
  std::byte* in = nullptr;        // may be null where the rank gives nothing
  std::byte* out = nullptr;       // may be null where the rank gets nothing
  std::vector<Block> in_blocks;   // per rank, of kReduceScatter, kScatter (root) and kAllToAll
  std::vector<Block> out_blocks;  // per rank, of kAllGather and kAllToAll
  std::vector<Transfer> transfers;
  // Among the collectives of the communicator, from 1; all ranks count alike. 0 of kTransfers.
  uint64_t number = 0;
  int64_t timeout_ms = 0;
  std::string place;  // where the program makes the call; empty when it is not known

  uint64_t bytes() const;  // of `count` elements
  bool Reduces() const;
  bool HasRoot() const;
  // What the ranks have to agree on, mixed into a number.
  uint64_t Signature() const;
  // What it does with each other rank where the counts are each pair's own: kAllToAll, kTransfers.
  std::vector<Flow> Flows(uint32_t rank) const;
  // "call 5: HcclAllReduce(count = 8, dataType = FP32, op = SUM)", and the place, if it is known.
  std::string Text() const;

 private:
  std::string TextOfCall() const;
};

// Mixes numbers into one; a 64-bit hash that is the same on every machine.
uint64_t Mix(uint64_t seed, uint64_t value);

}  // namespace aclimb::collectives
