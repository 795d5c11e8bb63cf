#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/simd/walk.h"

namespace aclimb::cumulate {

enum class Operation { kSum, kProduct };

// Sums or products along one dimension, whose elements are converted to the dtype of the output
// first and added or multiplied in double or int64. No address is looked at.
class Problem {
 public:
  Problem(const TensorView& self, int dim, const TensorView& out, Operation operation);

  // Bytes of what is kept between the chunks of a long dimension and what comes after them.
  int64_t ScratchBytes() const;
  double Cycles() const { return 4.0 * static_cast<double>(lines_.count * length_); }

  // On the threads that the calling one may have (simd/parallel.h); the bits do not depend on them.
  void Run(const void* self, void* out, void* scratch) const;

 private:
  friend class Worker;

  // Results so far of that many lines at once, where neighbours belong to different lines.
  static constexpr int64_t kLines = 512;

  Operation operation_;
  DType from_;
  DType to_;
  // In DOUBLE the sum of some neighbours may overflow where the sums in order do not.
  bool in_order_;
  // The other dimensions; operands are out and self, by whose strides they are sorted.
  Walk<2> lines_;
  int64_t length_;  // of the dimension, with its strides in elements
  int64_t self_stride_;
  int64_t out_stride_;
  bool across_;    // lines lie side by side, in an operand at least
  int64_t width_;  // lines of a task
  int64_t tasks_;  // as the chunks, by the shape alone
  int64_t chunk_;
  int64_t chunks_;
  int64_t grain_;  // tasks that a thread takes at once
};

}  // namespace aclimb::cumulate
