#pragma once

#include <cstdint>

#include "aclimb/ops/gather_rows/cpu.h"

namespace aclimb::gather_rows {

// The slice that an index names. By value: a loop then keeps it in registers.
struct Naming {
  int64_t extent;
  int64_t stride;
  int64_t wrap;  // what is added to negative ones

  static Naming Of(const Args& args) {
    const int64_t extent = args.self.shape[args.dim];
    return {extent, args.self.stride[args.dim], args.counts_from_end ? extent : 0};
  }
  int64_t Place(int64_t index) const { return index + (index >> 63 & wrap); }
  bool Has(int64_t place) const {
    return static_cast<uint64_t>(place) < static_cast<uint64_t>(extent);
  }
  // Null when self has no such slice.
  template <typename T>
  const T* Slice(int64_t index, const T* self) const {
    const int64_t place = Place(index);
    return Has(place) ? self + place * stride : nullptr;
  }
};

}  // namespace aclimb::gather_rows
