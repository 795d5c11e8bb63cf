#pragma once

#include "aclimb/ops/convolution_backward/ways.h"

namespace aclimb::convolution_backward {

// What one core of a class of processors takes for the pieces of work that the ways consist of, in
// nanoseconds. docs/measurements/2026-11-convolution-choice.md says how the numbers were found.
struct Machine {
  double lanes;  // of a vector of float32, and channels of a block of oneDNN's layouts

  // A multiplication of oneDNN's direct kernels; what is added to it for the gradient of the
  // weight, and for that at the end of each line.
  double library, library_weight, library_line;
  // Of oneDNN's products of matrices: for x and y, and for the weight.
  double product, product_weight;
  // Of our windows for the weight, and what is added where a single vector leaves registers empty.
  double windows_weight, windows_single;
  // Of our direct kernels: in tiles of four channels, and for the weight.
  double direct, direct_weight;

  // An element of x or y: that goes through oneDNN's blocks, and more where channels do not fill
  // them; more with the channels last where both tensors leave the near cache; in a product.
  double block, block_tail, last_far, product_operand;
  // Of our windows for the weight: a line that is packed, a sum that is stored and fetched again.
  double line, sum;
  // An element that our direct kernels pack.
  double plane;

  bool measured = true;  // else derived from another class
};

const Machine& MachineOf(Products products);

}  // namespace aclimb::convolution_backward
