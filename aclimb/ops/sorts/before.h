#pragma once

#include <cstdint>

#include "aclimb/ops/sorts/order.h"

namespace aclimb::sorts {

// Whether FindBefore() can look at the elements of a line: float32 and half types, side by side.
bool CanFindBefore(const Order& order, int64_t stride);

// The first place of [begin, end) in a line whose element comes before that of the place `other` in
// the order; `end`: none. It may stop at a NaN that does not. By vectors.
int64_t FindBefore(const Order& order, const void* line, int64_t begin, int64_t end, int64_t other);

}  // namespace aclimb::sorts
