#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aclimb/contract/contract.h"
#include "aclimb/executor/executor.h"

// Phase 1's answers to the calls that came last. A program in its stride makes the same few calls
// again and again, at most with other addresses: then nothing is checked or planned anew, and
// nothing taken from the heap.
namespace aclimb {

// All that phase 1's answer depends on, as numbers: the operator, what the arguments say, and the
// settings; no address of a tensor and no handle.
class CallKey {
 public:
  CallKey(const contract::Contract& contract, const contract::Arguments& arguments,
          bool deterministic);

  // False when an argument is no live object, or the call has more numbers than there is room for:
  // such a call is never kept.
  bool complete() const { return complete_; }
  const contract::Contract& contract() const { return contract_; }
  uint64_t hash() const { return hash_; }
  std::span<const uint64_t> words() const { return {words_, used_}; }

 private:
  bool Add(const contract::Argument& argument);
  bool AddHashed(std::span<const uint64_t> words);
  bool AddCounted(const void* bytes, size_t count);
  void Add(uint64_t word);

  const contract::Contract& contract_;
  bool complete_;
  uint64_t hash_ = 0;
  uint64_t words_[256];
  size_t used_ = 0;
};

// What was kept for this key, or null. Thread-safe, as is KeepCall.
PlannedCallPointer FindCall(const CallKey& key);

// Keeps what phase 1 made; an operator's least recently used call goes when there are more than a
// large net has layers. Without memory nothing is kept.
void KeepCall(const CallKey& key, const PlannedCallPointer& call) noexcept;

}  // namespace aclimb
