#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/executor/plan.h"

namespace aclimb::unique_slices {

// A piece of a loop has about so many elements or entries.
inline constexpr int64_t kPiece = 1 << 14;

// Puts the slices of a dense [outer, length, inner] along its middle in order: that of their
// elements, the first ones first. NaN is larger than all numbers. Slices that are equal keep their
// order, so that the result is the same however the work is done.
class SliceOrder {
 public:
  SliceOrder() = default;  // for no slices
  SliceOrder(WorkspaceLedger& workspace, DType dtype, int64_t outer, int64_t length, int64_t inner);

  // Writes, for each of the `length` places in the order, which slice stands there and whether it
  // is not equal to the one before, or has a NaN. False when the run was cancelled.
  [[nodiscard]] bool Run(const RunContext& run, const void* slices, int64_t* order,
                         uint8_t* begins) const;

 private:
  template <typename Key>
  bool RunAs(const RunContext& run, const Key& key, const void* slices, int64_t* order,
             uint8_t* begins) const;

  DType dtype_ = DType::kUndefined;
  int64_t outer_ = 0, length_ = 0, inner_ = 0;
  WorkspacePiece entries_, groups_;
};

}  // namespace aclimb::unique_slices
