#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace aclimb::upsample {

// Larger extents are refused: an index fits in an int32_t.
inline constexpr int64_t kMost = (int64_t{1} << 31) - 1;

// How far apart in the input neighbours of the output are, as PyTorch computes it.
//   factor  how much larger the output is; 0, what is below, and 1 tell nothing
template <typename T>
T StepOf(double factor, int64_t in, int64_t out) {
  if (factor > 0 && factor != 1) return static_cast<T>(1 / factor);
  return static_cast<T>(in) / static_cast<T>(out);
}

// The place as an index. With a small factor it may be beyond all integers, and 0 times infinity.
template <typename T>
int64_t IndexBelow(int64_t count, T at) {
  if (!(at > 0)) return 0;
  return at < static_cast<T>(count) ? std::min(static_cast<int64_t>(at), count - 1) : count - 1;
}

// One axis: what an element of the output is made of. Places are of type T.
template <typename T>
struct AxisOf {
  int64_t in = 0;
  int64_t out = 0;
  double factor = 0;
  bool corners = false;  // the first and the last elements of both are the same

  // Nearest: the element that is repeated.
  int64_t Source(int64_t o) const {
    if (in == out) return o;
    return IndexBelow(in, std::floor(static_cast<T>(o) * StepOf<T>(factor, in, out)));
  }

  // Linear: where it lies between elements of the input.
  T Position(int64_t o) const {
    if (in == out) return static_cast<T>(o);
    return std::max(T{0}, Place(o));
  }
  // Cubic: the same, also up to two elements beyond an end: further away all parts are of the
  // element at the end.
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
