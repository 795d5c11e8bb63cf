#pragma once

#include <cstdint>

#include "aclimb/ops/upsample/scales.h"

// Kernels for any way of making elements of a few along each of up to three axes, on dense volumes,
// one after the other. No result depends on the threads.
namespace aclimb::upsample {

enum class Way : uint8_t { kNearest, kLinear, kCubic };

inline constexpr int kAxes = 3;

// What an element of the output is made of along an axis.
struct Taps {
  int32_t count;
  int32_t index[4];
  double weight[4];
};

struct Volumes {
  int64_t count = 1;
  // Outermost first; an image has one layer.
  int64_t in[kAxes] = {1, 1, 1}, out[kAxes] = {1, 1, 1};
  double factor[kAxes] = {};
  bool corners = false;
  Way way = Way::kNearest;
  Taps* taps = nullptr;  // for all elements of the output along the axes, one axis after the other
  const void* from = nullptr;
  void* to = nullptr;
  double* sums = nullptr;  // gradients: `slots` volumes of the input
  int64_t slots = 1;

  int64_t InSize() const { return in[0] * in[1] * in[2]; }
  int64_t OutSize() const { return out[0] * out[1] * out[2]; }
  int64_t TapCount() const { return out[0] + out[1] + out[2]; }
};

// T is float or double. False when the run was cancelled.
template <typename T>
[[nodiscard]] bool Combine(const Volumes& volumes);
// From the gradient of the output to that of the input.
template <typename T>
[[nodiscard]] bool Spread(const Volumes& volumes);

}  // namespace aclimb::upsample
