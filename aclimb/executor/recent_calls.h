#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  // Room for `count` more words; null, and the key incomplete, when there is none.
  uint64_t* Take(size_t count);
  void Add(const contract::Argument& argument);
  void Add(const TensorDescriptor& tensor);
  void Add(const ScalarValue& scalar);
  void AddCounted(const void* bytes, size_t count);
  uint64_t Hash() const;

  const contract::Contract& contract_;
  uint64_t words_[256];
  size_t used_ = 0;
  bool complete_ = true;
  uint64_t hash_;
};

// An executor for these arguments when a call with this key was kept; null otherwise. Thread-safe,
// as is KeepCall.
std::unique_ptr<Executor> FindCall(const CallKey& key, const contract::Arguments& arguments);

// Keeps what phase 1 made; an operator's least recently used call goes when there are more than a
// large net has layers. Without memory nothing is kept.
void KeepCall(const CallKey& key, const Executor& executor) noexcept;

}  // namespace aclimb
