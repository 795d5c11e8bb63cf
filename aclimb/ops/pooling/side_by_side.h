#pragma once

#include "aclimb/rows/layout.h"

namespace aclimb::pooling {

// In which order kernels take the dimensions of [..., C, H, W] (or D, H, W: `dims` of them), and
// how many planes lie side by side then: C comes last where the planes do so in memory.
struct PlaneOrder {
  rows::Order order;
  int64_t inner = 1;
};
inline PlaneOrder OrderOf(const TensorView& planes, size_t dims) {
  // Fewer make no vector of 16 bytes.
  constexpr int64_t kLeast = 4;
  const int channels = planes.rank - static_cast<int>(dims) - 1;
  if (channels < 0 || planes.stride[channels] != 1 || planes.shape[channels] < kLeast) {
    return {.order = rows::OwnOrder(planes.rank)};
  }
  return {.order = rows::OrderWithLast(planes.rank, channels), .inner = planes.shape[channels]};
}

// Whether planes lie side by side in a tensor, too, that those of OrderOf() are pooled to.
inline bool IsSideBySide(const TensorView& pooled, size_t dims) {
  return pooled.stride[pooled.rank - static_cast<int>(dims) - 1] == 1;
}

}  // namespace aclimb::pooling
