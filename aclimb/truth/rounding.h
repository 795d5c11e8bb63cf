#pragma once

#include "aclimb/core/dtype.h"

namespace aclimb::truth {

// What one rounding to the dtype changes at most: of a number itself, and of one that is too small.
inline double RoundingOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 6e-8;
    case DType::kFloat16:
      return 5e-4;
    case DType::kBFloat16:
      return 4e-3;
    case DType::kFloat64:
      return 2e-16;
    default:
      return 0;
  }
}
inline double LeastOf(DType dtype) {
  return dtype == DType::kFloat16 ? 3e-8 : IsFloating(dtype) ? 1e-40 : 0;
}

}  // namespace aclimb::truth
