#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace aclimb::upsample {

// Larger extents are refused: an index fits in an int32_t.
inline constexpr int64_t kMost = (int64_t{1} << 31) - 1;

// A factor says how much larger the output is. 0, what is below, and 1 tell nothing.
constexpr bool IsTold(double factor) { return factor > 0 && factor != 1; }

// How far apart in the input neighbours of the output are, as PyTorch computes it.
template <typename T>
T StepOf(double factor, int64_t in, int64_t out) {
  if (IsTold(factor)) return static_cast<T>(1 / factor);
  return static_cast<T>(in) / static_cast<T>(out);
}

// The place becomes an index. With a small factor the place may be beyond all integers, and 0 times
// infinity.
template <typename T>
int64_t IndexBelow(int64_t count, T at) {
  if (!(at > 0)) return 0;
  return at < static_cast<T>(count) ? std::min(static_cast<int64_t>(at), count - 1) : count - 1;
}

// An axis says what an element of the output is made of. Places are of type T.
template <typename T>
struct AxisOf {
  int64_t in = 0;
  int64_t out = 0;
  double factor = 0;
  bool corners = false;  // the first and the last elements of both are the same

  // The nearest element, which is repeated. Its place is rounded to float32 at the end, so that
  // 41 * (2 / 82) is 1.
  int64_t Source(int64_t o) const {
    const T place = static_cast<T>(o) * StepOf<T>(factor, in, out);
    return IndexBelow(in, std::floor(static_cast<float>(place)));
  }

  // This is where an element lies between those of the input on a line.
  T Position(int64_t o) const {
    if (in == out) return static_cast<T>(o);
    return std::max(T{0}, Place(o));
  }
  // On a cubic curve it may lie up to two elements beyond an end. Further away all parts are of
  // the element at the end.
  T CubicPosition(int64_t o) const {
    const T at = Place(o);
    return at > -2 ? std::min(at, static_cast<T>(in + 2)) : T{-2};
  }

  T Place(int64_t o) const {
    if (corners) {
      return out > 1 ? static_cast<T>(o) * (static_cast<T>(in - 1) / static_cast<T>(out - 1))
                     : T{0};
    }
    return StepOf<T>(factor, in, out) * (static_cast<T>(o) + T{0.5}) - T{0.5};
  }
};
using Axis = AxisOf<float>;

}  // namespace aclimb::upsample
