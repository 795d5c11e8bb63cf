#pragma once

#include <cstdint>
#include <span>

#include "aclimb/contract/arguments.h"
#include "aclimb/core/dtype.h"
#include "aclimb/core/tensor_view.h"

namespace aclimb::pieces {

// Part of a tensor argument, with the dimensions in any order, cut, or repeated: where its elements
// are, counted from the first element of the tensor. Each function gives another part of the same
// tensor; dimensions are counted from 0, and what is asked for has to be there.
class View {
 public:
  // Twice as many as a tensor has: Split() makes two of each.
  static constexpr int kMostRank = 2 * kMaxRank;

  // All of the tensor; of a list's element the third argument says which.
  View(const contract::Arguments& arguments, int parameter, int element = -1);

  int parameter() const { return parameter_; }
  int element() const { return element_; }
  DType dtype() const { return dtype_; }
  int rank() const { return rank_; }
  int64_t extent(int d) const { return extent_[d]; }
  int64_t stride(int d) const { return stride_[d]; }
  int64_t offset() const { return offset_; }
  bool IsEmpty() const;

  // Elements first, first + step, ... of the dimension.
  View Narrow(int d, int64_t first, int64_t extent, int64_t step = 1) const;
  // One index of the dimension, which is gone then.
  View Select(int d, int64_t index) const;
  // Dimension i is what dims[i] was.
  View Permute(std::span<const int64_t> dims) const;
  View Flip(int d) const;
  // Two dimensions in place of d: d / inner, inner.
  View Split(int d, int64_t inner) const;
  // A new dimension, before d, of equal elements.
  View Repeat(int d, int64_t extent) const;
  // Dimensions of 1 are repeated, and new ones are put before the first.
  View BroadcastTo(const View& other) const;
  // Its first elements along d and d + 1, the second of both, and so on.
  View Diagonal(int d, int64_t extent) const;

  // Of complex numbers.
  View Real() const;
  View Imaginary() const;

 private:
  int parameter_;
  int element_;
  DType dtype_;
  int rank_;
  int64_t offset_ = 0;
  int64_t extent_[kMostRank] = {};
  int64_t stride_[kMostRank] = {};
};

}  // namespace aclimb::pieces
