#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/executor/plan.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb {

// Units that do about `work` together, each of them `unit_work`: one at least.
inline int64_t UnitsOfWork(double work, double unit_work) {
  return std::max<int64_t>(1, static_cast<int64_t>(work / unit_work));
}

// Scratch memory of units of work that the team shares out: a piece for each thread, not for each
// unit.
class UnitScratch {
 public:
  // Books it for loops of at most `units` units, of which each needs `bytes`. Pieces share no cache
  // line.
  void Book(Planner& planner, int64_t units, int64_t bytes) {
    bytes_ = RoundUp(bytes, int64_t{64});
    count_ = std::min<int64_t>({int64_t{TeamSize()}, units, Slots::kMost});
    pieces_ = planner.workspace().Book(count_, bytes_);
  }

  // Calls body(unit, scratch) for each of `units` units, of which a thread takes `grain` at once.
  // Scratch is a char*, aligned as a piece of workspace. False when the loop was cancelled.
  template <typename F>
  [[nodiscard]] bool Run(const RunContext& run, int64_t units, int64_t grain, const F& body) const {
    return ForEachUnit(units, grain, Memory(run), body);
  }
  // For kernels that make the loop themselves. No data where nothing was booked.
  SlotMemory Memory(const RunContext& run) const {
    return {run.Piece<char>(pieces_), count_, bytes_};
  }

 private:
  int64_t bytes_ = 0, count_ = 1;
  WorkspacePiece pieces_;
};

}  // namespace aclimb
