#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "aclimb/simd/parallel.h"

namespace aclimb {

// Numbers for the pieces of scratch memory that the bodies of one ParallelFor share: each body
// holds a number of its own while it runs, so that there need not be a piece for every iteration.
// When more bodies run than there are numbers, they take turns.
class Slots {
 public:
  static constexpr int64_t kMost = 256;

  explicit Slots(int64_t count) : count_(std::clamp<int64_t>(count, 1, kMost)) {}
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  // Holds a number from its construction to its end.
  class Lease {
   public:
    explicit Lease(Slots& slots) : slots_(slots) {
      while (slots.busy_[number_].exchange(true, std::memory_order_acquire)) {
        number_ = (number_ + 1) % slots.count_;
      }
    }
    ~Lease() { slots_.busy_[number_].store(false, std::memory_order_release); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    int64_t number() const { return number_; }

   private:
    Slots& slots_;
    int64_t number_ = 0;
  };

 private:
  int64_t count_;
  std::atomic<bool> busy_[kMost] = {};
};

// `count` pieces of scratch memory, one behind the other, of so many bytes each. No data: bodies
// need no scratch, and do not wait for each other.
struct SlotMemory {
  void* data;
  int64_t count, bytes;
};

// Calls body(unit, scratch) for each of `units` units, of which a thread takes `grain` at once.
// Scratch is a char*: a piece that no other body has while this one runs; null where the memory has
// no data. False when the loop was cancelled.
template <typename F>
[[nodiscard]] bool ForEachUnit(int64_t units, int64_t grain, const SlotMemory& memory,
                               const F& body) {
  Slots slots(memory.count);
  return ParallelForAll(units, grain, [&](int64_t begin, int64_t end) {
    std::optional<Slots::Lease> slot;
    auto* scratch = static_cast<char*>(memory.data);
    if (scratch != nullptr) scratch += slot.emplace(slots).number() * memory.bytes;
    for (int64_t unit = begin; unit < end; ++unit) body(unit, scratch);
  });
}

}  // namespace aclimb
