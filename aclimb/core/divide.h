#pragma once

#include <concepts>
#include <type_traits>

namespace aclimb {

// Whole quotients for every a, and b >= 1 of the same signedness; none of them overflows but
// RoundUp.
template <std::integral A, std::integral B>
constexpr auto FloorDivide(A a, B b) {
  static_assert(std::is_signed_v<A> == std::is_signed_v<B>);
  return a / b - (a % b < 0 ? 1 : 0);
}
template <std::integral A, std::integral B>
constexpr auto CeilDivide(A a, B b) {
  static_assert(std::is_signed_v<A> == std::is_signed_v<B>);
  return a / b + (a % b > 0 ? 1 : 0);
}
// The next multiple of b.
template <std::integral A, std::integral B>
constexpr auto RoundUp(A a, B b) {
  return CeilDivide(a, b) * b;
}

}  // namespace aclimb
