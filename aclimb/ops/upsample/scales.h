#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace aclimb::upsample {

// Larger extents are refused: an index fits in an int32_t.
inline constexpr int64_t kMost = (int64_t{1} << 31) - 1;

// How far apart in the input neighbours of the output are, in float32 as PyTorch computes it.
//   factor  how much larger the output is; 0, what is below, and 1 tell nothing
inline float StepOf(double factor, int64_t in, int64_t out) {
  if (factor > 0 && factor != 1) return static_cast<float>(1 / factor);
  return static_cast<float>(in) / static_cast<float>(out);
}

// The place as an index. With a small factor it may be beyond all integers, and 0 times infinity.
inline int64_t IndexBelow(int64_t count, float at) {
  if (!(at > 0)) return 0;
  return at < static_cast<float>(count) ? std::min(static_cast<int64_t>(at), count - 1) : count - 1;
}

// One axis: what an element of the output is made of.
struct Axis {
  int64_t in = 0;
  int64_t out = 0;
  double factor = 0;
  bool corners = false;  // the first and the last elements of both are the same

  // Nearest: the element that is repeated.
  int64_t Source(int64_t o) const {
    if (in == out) return o;
    return IndexBelow(in, std::floor(static_cast<float>(o) * StepOf(factor, in, out)));
  }

  // Linear: where it lies between elements of the input.
  float Position(int64_t o) const {
    if (in == out) return static_cast<float>(o);
    if (corners) {
      return out > 1 ? static_cast<float>(o) *
                           (static_cast<float>(in - 1) / static_cast<float>(out - 1))
                     : 0.0f;
    }
    const float at = StepOf(factor, in, out) * (static_cast<float>(o) + 0.5f) - 0.5f;
    return std::max(0.0f, at);
  }
};

}  // namespace aclimb::upsample
