#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::inverse {

// No inverse of a matrix A, whose columns are scaled so that the largest element of each is 1, is
// given where the largest row sum of |inverse| |A| is above this: double would get no more than
// three digits of it right, if it has one at all.
inline constexpr double kMostCondition = 4e12;

// Matrices of at least so many rows that are not DOUBLE are inverted in float32, but where that row
// sum without scaled columns, as float32 finds it, is above kMostFloatCondition: those in double,
// as all others.
inline constexpr int64_t kLeastRowsInFloat = 64;
inline constexpr double kMostFloatCondition = 1e6;

inline constexpr bool IsInvertedInFloat(DType self, DType out, int64_t rows) {
  return self != DType::kFloat64 && out != DType::kFloat64 && rows >= kLeastRowsInFloat;
}

}  // namespace aclimb::inverse
