#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/bridge/bridge.h"

namespace aclimb::check {

// The bytes that an access touches: `rows` runs of `row_bytes`, `pitch` apart. Views that have no
// such form keep their hull alone (exact is false), of which they surely touch the first and the
// last element.
struct Footprint {
  uint64_t begin = 0;
  uint64_t row_bytes = 0;
  uint64_t pitch = 0;
  uint64_t rows = 1;
  bool exact = true;
  uint64_t element_bytes = 1;

  uint64_t end() const { return begin + pitch * (rows - 1) + row_bytes; }
  bool dense() const { return exact && rows == 1; }
};

Footprint RowsOf(const void* address, uint64_t row_bytes, uint64_t pitch, uint64_t rows);
// row_bytes is 0 for a view without elements.
Footprint FootprintOf(const AclimbAccess& access);

enum class Overlap { kNo, kYes, kUnknown };
Overlap OverlapOf(const Footprint& a, const Footprint& b);

// Whether every byte of `inner` is in `outer`; false when that is not certain.
bool Covers(const Footprint& outer, const Footprint& inner);

}  // namespace aclimb::check
