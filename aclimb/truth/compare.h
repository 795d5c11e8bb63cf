#pragma once

#include <cstddef>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::truth {

// How far results are from what they should be. Positions are numbers in row-major order.
struct Difference {
  size_t count = 0;     // elements
  double absolute = 0;  // the largest; infinite where only one of the two is a number
  size_t absolute_at = 0;
  double relative = 0;  // the largest, of elements that should not be 0
  size_t relative_at = 0;
  size_t beyond = 0;  // elements that are further off than allowed
  size_t first_beyond = 0;
};

// Allowed where roundings decide whether a result is a number, so that none is expected.
inline constexpr double kAnything = -1;

// NaN has to meet NaN, and an infinity itself. `expected` is rounded already where it matters.
//   allowed  for each element, or kAnything; empty: 0
Difference DifferenceOf(const std::vector<double>& got, const std::vector<double>& expected,
                        const std::vector<double>& allowed);

// What is expected with what rounding makes infinite, as the dtype has it.
Expected InDType(Expected expected, DType dtype);

}  // namespace aclimb::truth
