#pragma once

#include <concepts>

namespace aclimb {

// Whole quotients for every a, and b >= 1, in the wider type of the two; none of them overflows but
// RoundUp.
template <std::integral A, std::integral B>
constexpr auto FloorDivide(A a, B b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
template <std::integral A, std::integral B>
constexpr auto CeilDivide(A a, B b) {
  return a / b + (a % b > 0 ? 1 : 0);
}
// The next multiple of b.
template <std::integral A, std::integral B>
constexpr auto RoundUp(A a, B b) {
  return CeilDivide(a, b) * b;
}

}  // namespace aclimb
