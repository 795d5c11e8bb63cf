#pragma once

#include <cstdint>
#include <span>

#include "aclimb/core/tensor_view.h"

namespace aclimb::rows {

// The order in which a kernel wants the dimensions of its operands, outermost first.
struct Order {
  int rank = 0;
  int dimension[kMaxRank] = {};
};

// 0, 1, 2, ...: as the operands have them.
Order OwnOrder(int rank);
// So, but with dimension `dim` behind all others: that of the channels, say.
Order OrderWithLast(int rank, int dim);

// The same elements with the dimensions in that order.
TensorView Permuted(const TensorView& view, const Order& order);

// Dense operands as [outer, length, inner]: a row is `length` elements that are `inner` apart.
// Element k of row (o, i) is number (o * length + k) * inner + i.
struct Layout {
  Order order = {};
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
};

// Rows along dimension `dim` (from 0) of equally shaped operands, the output last. The order is
// that of the output in memory, so that dense operands that are permuted alike need no copies.
// Where fewer than `least_inner` rows would be side by side, they are laid one after the other
// instead.
Layout LayoutAlong(std::span<const TensorView> operands, int dim, int64_t least_inner);

}  // namespace aclimb::rows
