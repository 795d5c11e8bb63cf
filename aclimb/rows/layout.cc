#include "aclimb/rows/layout.h"

#include <algorithm>

namespace aclimb::rows {

Order OwnOrder(int rank) {
  Order order{.rank = rank};
  for (int d = 0; d < rank; ++d) order.dimension[d] = d;
  return order;
}

Order OrderWithLast(int rank, int dim) {
  Order order = OwnOrder(rank);
  std::rotate(order.dimension + dim, order.dimension + dim + 1, order.dimension + rank);
  return order;
}

TensorView Permuted(const TensorView& view, const Order& order) {
  TensorView permuted = view;
  for (int d = 0; d < order.rank; ++d) {
    permuted.shape[d] = view.shape[order.dimension[d]];
    permuted.stride[d] = view.stride[order.dimension[d]];
  }
  return permuted;
}

Layout LayoutAlong(std::span<const TensorView> operands, int dim, int64_t least_inner) {
  const TensorView& output = operands.back();
  Layout layout{.order = OwnOrder(output.rank)};
  int* const order = layout.order.dimension;
  // Dimensions of extent 1, which have no place in memory, come first. Insertion keeps the order of
  // equal strides.
  const auto goes_before = [&output](int a, int b) {
    if (output.shape[b] == 1) return false;
    return output.shape[a] == 1 || output.stride[a] > output.stride[b];
  };
  for (int k = 1; k < output.rank; ++k) {
    const int d = order[k];
    int at = k;
    for (; at > 0 && goes_before(d, order[at - 1]); --at) order[at] = order[at - 1];
    order[at] = d;
  }
  const auto measure = [&] {
    layout.outer = layout.length = layout.inner = 1;
    bool inside = false;
    for (int k = 0; k < output.rank; ++k) {
      if (order[k] == dim) {
        layout.length = output.shape[dim];
        inside = true;
      } else {
        (inside ? layout.inner : layout.outer) *= output.shape[order[k]];
      }
    }
  };
  measure();
  if (layout.inner > 1 && layout.inner < least_inner) {
    int at = 0;
    for (int k = 0; k < output.rank; ++k) {
      if (order[k] != dim) order[at++] = order[k];
    }
    order[at] = dim;
    measure();
  }
  return layout;
}

}  // namespace aclimb::rows
