#pragma once

#include "aclimb/core/dtype.h"

namespace aclimb {

// The dtype of both parts of a complex one, the real part before the imaginary one; any other dtype
// itself.
constexpr DType PartOf(DType dtype) {
  switch (dtype) {
    case DType::kComplex32:
      return DType::kFloat16;
    case DType::kComplex64:
      return DType::kFloat32;
    case DType::kComplex128:
      return DType::kFloat64;
    default:
      return dtype;
  }
}

}  // namespace aclimb
