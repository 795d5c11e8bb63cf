#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/executor/plan.h"

namespace aclimb::sorts {

// The elements of a line without most of those that are equal, where that leaves few: the line is
// looked through in parts, by a table of what was seen for each.
class Distinct {
 public:
  Distinct() = default;  // of lines that are too short
  // Of lines of `count` elements, dense.
  Distinct(WorkspaceLedger& workspace, DType dtype, int64_t count);

  // Of what is left, at most.
  int64_t Most() const { return parts_ * most_; }

  // How many elements are left; 0 when too many are, or the run was cancelled. Of equal ones in a
  // part the first is left, in the order of the line, and each NaN. `tables` has room for as many
  // entries as the line has elements. Unless `inverse` is null, it gets what Number() needs.
  template <typename Entry>
  int64_t Find(const RunContext& run, const void* line, Entry* tables, int64_t* inverse) const;

  // inverse[i] = numbers[which of those that are left element i is like]. False when the run was
  // cancelled.
  [[nodiscard]] bool Number(const RunContext& run, const int64_t* numbers, int64_t* inverse) const;

  // What was left, and how often each was there.
  const void* Elements(const RunContext& run) const { return run.Piece<void>(elements_); }
  const int64_t* Counts(const RunContext& run) const { return run.Piece<int64_t>(counts_); }

 private:
  int64_t SizeOfPart(int64_t part) const { return std::min(part_, count_ - part * part_); }

  DType dtype_ = DType::kUndefined;
  int64_t count_ = 0;
  int64_t parts_ = 0;
  int64_t part_ = 0;  // elements of each but the last
  int64_t most_ = 0;  // that may be left of each
  WorkspacePiece elements_, counts_, left_;
};

}  // namespace aclimb::sorts
