#pragma once

#include <concepts>
#include <type_traits>

namespace aclimb {

template <typename A, typename B>
concept SameSign = std::integral<A> && std::integral<B> && std::is_signed_v<A>
== std::is_signed_v<B>;

// Whole quotients for every a, and b >= 1; none of them overflows but RoundUp.
template <typename A, typename B>
requires SameSign<A, B>
constexpr auto FloorDivide(A a, B b) { return a / b - (a % b < 0 ? 1 : 0); }
template <typename A, typename B>
requires SameSign<A, B>
constexpr auto CeilDivide(A a, B b) { return a / b + (a % b > 0 ? 1 : 0); }
// The next multiple of b.
template <typename A, typename B>
requires SameSign<A, B>
constexpr auto RoundUp(A a, B b) { return CeilDivide(a, b) * b; }

}  // namespace aclimb
