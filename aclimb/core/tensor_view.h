#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb {

inline constexpr int kMaxRank = 8;

// What a kernel sees of a tensor: the address of its first element, and shape and strides in
// elements. Valid by construction: rank <= 8, the extents do not overflow, the memory is there.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::kUndefined;
  int rank = 0;
  int64_t shape[kMaxRank] = {};
  int64_t stride[kMaxRank] = {};

  template <typename T>
  T* As() const {
    return static_cast<T*>(data);
  }
  int64_t ElementCount() const {
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) count *= shape[i];
    return count;
  }
  // Row-major without gaps; dimensions of extent 1 may have any stride. Empty views are contiguous.
  bool IsContiguous() const {
    int64_t expected = 1;
    for (int i = rank - 1; i >= 0; --i) {
      if (shape[i] == 0) return true;
      if (shape[i] != 1 && stride[i] != expected) return false;
      expected *= shape[i];
    }
    return true;
  }
};

// The same shape and dtype, row-major without gaps at `data`.
inline TensorView DenseLike(const TensorView& view, void* data) {
  TensorView dense = view;
  dense.data = data;
  int64_t stride = 1;
  for (int d = view.rank - 1; d >= 0; --d) {
    dense.stride[d] = stride;
    stride *= view.shape[d];
  }
  return dense;
}

}  // namespace aclimb
