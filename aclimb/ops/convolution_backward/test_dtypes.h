#pragma once

#include "aclimb/ops/convolution_backward/test_fenced_tensor.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {

// Of the operands of a convolution.
struct DTypes {
  DType x, y, weight;
};
inline constexpr DTypes kFloats = {DType::kFloat32, DType::kFloat32, DType::kFloat32};

inline DTypes SomeDTypes(testing::Random& random) {
  if (random.Chance(0.5)) return kFloats;
  const auto any = [&] { return kDTypes[random.Integer(0, 2)]; };
  return {any(), any(), any()};
}

}  // namespace aclimb::convolution_backward
