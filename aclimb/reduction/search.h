#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/reduction/fold.h"

namespace aclimb::reduction {

// The first of `count` elements, `stride` apart, that equals the number in the slot, or is NaN if
// that is one. It is there. The slot gets it: zeros of both signs are equal.
using Search = int64_t (*)(const void* from, int64_t stride, int64_t count, Slot& slot);
Search SearchOf(DType dtype);

}  // namespace aclimb::reduction
