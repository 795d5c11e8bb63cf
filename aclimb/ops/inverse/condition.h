#pragma once

namespace aclimb::inverse {

// No inverse of a matrix A is given where the largest row sum of |inverse| |A| is above this:
// double would get no more than three digits of it right, if it has one at all.
inline constexpr double kMostCondition = 4e12;

}  // namespace aclimb::inverse
