#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/executor/executor.h"

// Phase 1's answers to the calls that came last. A program in its stride makes the same few calls
// again and again, at most with other addresses: then nothing is checked or planned anew, and
// nothing taken from the heap.
namespace aclimb {

// All that an operator's answer depends on, as numbers: what the arguments say, and the settings;
// no address of a tensor and no handle.
class CallKey {
 public:
  CallKey(const contract::Arguments& arguments, bool deterministic);

  // False when an argument is no live object, or the call has more numbers than there is room for:
  // such a call is never kept.
  bool complete() const { return complete_; }
  uint64_t hash() const { return hash_; }
  std::span<const uint64_t> words() const { return {words_, used_}; }

 private:
  bool Add(const contract::Argument& argument);
  // Not inlined, so that Add is: calls without lists do not pay for them.
  [[gnu::noinline]] bool AddList(std::span<const contract::Argument> elements);
  bool AddHashed(std::span<const uint64_t> words);
  bool AddCounted(const void* bytes, size_t count);
  void Add(uint64_t word);

  bool complete_;
  uint64_t hash_ = 0;
  uint64_t words_[256];
  size_t used_ = 0;
};

// The calls of one operator: each has its own, so that the many shapes of one do not drive out the
// plans of another. Thread-safe.
class RecentCalls {
 public:
  // More than a large net has layers.
  static constexpr size_t kKept = 256;

  RecentCalls() = default;
  RecentCalls(const RecentCalls&) = delete;
  RecentCalls& operator=(const RecentCalls&) = delete;

  // What was kept for this key, or null.
  PlannedCallPointer Find(const CallKey& key);
  // Keeps what phase 1 made; the least recently used call goes where there are too many. Without
  // memory nothing is kept.
  void Keep(const CallKey& key, const PlannedCallPointer& call) noexcept;

 private:
  friend class RecentCallsPart;
  struct Entry {
    uint64_t hash = 0;
    std::vector<uint64_t> words;
    PlannedCallPointer call;
  };
  using Entries = std::list<Entry>;

  void Put(const CallKey& key, const PlannedCallPointer& call);

  std::mutex mutex_;
  Entries entries_;  // the last used one first
  std::unordered_map<uint64_t, Entries::iterator> by_hash_;
  RecentCalls* next_ = nullptr;  // of all operators' that were made
};

}  // namespace aclimb
