#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::triangular_solve {

// FLOAT systems of at least so many rows are solved in float32, all others in double.
inline constexpr int64_t kLeastRowsInFloat = 64;

inline constexpr bool IsSolvedInFloat(DType dtype, int64_t rows) {
  return dtype == DType::kFloat32 && rows >= kLeastRowsInFloat;
}

}  // namespace aclimb::triangular_solve
