#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/executor/plan.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::matmul {

// Scratch memory of units of work that the team shares out: a piece for each thread, not for each
// unit.
class UnitScratch {
 public:
  // Books it for `units` units of `bytes` each.
  void Book(Planner& planner, int64_t units, int64_t bytes) {
    units_ = units;
    bytes_ = bytes;
    count_ = std::min<int64_t>({int64_t{TeamSize()}, units, Slots::kMost});
    pieces_ = planner.workspace().Book(count_, bytes_);
  }

  // Calls body(unit, scratch) for every unit. A thread takes as many at once as do `most_work`
  // multiplications, and one at least. False when the loop was cancelled.
  template <typename F>
  [[nodiscard]] bool RunUnits(const RunContext& run, double unit_work, double most_work,
                              const F& body) const {
    const auto grain = std::max<int64_t>(1, static_cast<int64_t>(most_work / unit_work));
    Slots slots(count_);
    return ParallelForAll(units_, grain, [&](int64_t begin, int64_t end) {
      const Slots::Lease slot(slots);
      char* const scratch = run.Piece<char>(pieces_) + slot.number() * bytes_;
      for (int64_t unit = begin; unit < end; ++unit) body(unit, scratch);
    });
  }

 private:
  int64_t units_ = 0, bytes_ = 0, count_ = 1;
  WorkspacePiece pieces_;
};

}  // namespace aclimb::matmul
