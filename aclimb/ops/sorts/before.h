#pragma once

#include <cstdint>

#include "aclimb/ops/sorts/order.h"

namespace aclimb::sorts {

// Whether FindBefore() can look at the elements of a line: float32 and half types, side by side.
bool CanFindBefore(const Order& order, int64_t stride);

// The first place of [begin, end) in a line whose element comes before `other` in the order, or is
// equal to it; `end`: none. It may stop at a NaN that does not. By vectors.
int64_t FindBefore(const Order& order, const void* line, int64_t begin, int64_t end,
                   const void* other, bool or_equal);

// Stores an element, no NaN, after which `wanted` or more of `count` from the place `begin` on do
// not come, and most often few more: it is one of the first elements of groups. False when the
// groups would be too few or too many, or have too few numbers. By vectors.
bool FindBound(const Order& order, const void* line, int64_t begin, int64_t count, int64_t wanted,
               void* element);
inline constexpr int64_t kMostGroups = 1024;

}  // namespace aclimb::sorts
