#pragma once

#include <cstdint>

#include "aclimb/ops/sorts/order.h"

namespace aclimb::sorts {

// The first place of [begin, end) in a line whose element may come before that of the place `other`
// in an order; `end`: none. Elements of float32 and of half types that lie side by side are looked
// at by vectors; of others every one may.
int64_t FindAhead(const Order& order, const void* line, int64_t stride, int64_t begin, int64_t end,
                  int64_t other);

}  // namespace aclimb::sorts
