#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::pads {

// One padded dimension.
struct PaddedAxis {
  int64_t in = 1;
  int64_t before = 0;
  int64_t out = 1;
  bool mirrored = false;  // else its ends are repeated
};

// Dense planes, or volumes, one after the other.
struct GradientArgs {
  int64_t planes = 1;
  PaddedAxis depth, height, width;
  DType dtype = DType::kFloat32;  // or kFloat64
  const void* from = nullptr;
  void* to = nullptr;
  double* sums = nullptr;  // `slots` rows of `from`
  int64_t slots = 1;
};

// Each element of `to` is the sum of those that were made of it. Sums are in double, in an order
// that no thread changes. False when the run was cancelled.
[[nodiscard]] bool PadGradient(const GradientArgs& args);

}  // namespace aclimb::pads
