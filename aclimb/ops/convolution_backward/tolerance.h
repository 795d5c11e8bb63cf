#pragma once

#include "aclimb/core/dtype.h"

namespace aclimb::convolution_backward {

// How far a gradient may be from the exact one, relative to it.
constexpr double RelativeTolerance(DType dtype) {
  return dtype == DType::kFloat32 ? 1e-4 : dtype == DType::kFloat16 ? 1e-3 : 8e-3;
}

}  // namespace aclimb::convolution_backward
