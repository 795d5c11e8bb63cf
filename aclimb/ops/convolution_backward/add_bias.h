#pragma once

#include "aclimb/core/tensor_view.h"
#include "aclimb/elementwise/problem.h"

namespace aclimb::convolution_backward {

// output[n, c, ...] = sums[n, c, ...] + bias[c] in float32, rounded once.
class BiasProblem {
 public:
  //   sums, output  embedded views of one shape, any strides; may be the same tensor
  //   bias          rank 1
  BiasProblem(const TensorView& sums, const TensorView& bias, const TensorView& output);

  // The addresses are those of the first elements.
  void Run(const void* sums, const void* bias, void* output) const;

 private:
  elementwise::Problem problem_;
};

}  // namespace aclimb::convolution_backward
