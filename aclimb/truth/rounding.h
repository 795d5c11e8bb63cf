#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/truth/elements.h"

namespace aclimb::truth {

// A finite number as PyTorch casts it: integers wrap, what is not 0 is true, fractions are lost.
inline double Cast(double x, DType dtype) {
  if (dtype == DType::kBool) return x != 0 ? 1 : 0;
  if (IsFloating(dtype)) return Rounded(x, dtype);
  const auto whole = static_cast<int64_t>(x);
  switch (dtype) {
    case DType::kInt8:
      return static_cast<int8_t>(whole);
    case DType::kUInt8:
      return static_cast<uint8_t>(whole);
    case DType::kInt16:
      return static_cast<int16_t>(whole);
    case DType::kInt32:
      return static_cast<int32_t>(whole);
    default:
      return static_cast<double>(whole);
  }
}

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
