#pragma once

#include <cstdint>

#include "aclimb/ops/grid_sampler/places.h"

// Kernels on dense tensors. No result depends on the threads.
namespace aclimb::grid_sampler {

inline constexpr int kAxes = 3;

struct Args {
  int64_t batch, channels;
  int axes;  // 3, or 2: images have one layer
  // Outermost first: of the input, and of the grid.
  int64_t in[kAxes], out[kAxes];
  Interpolation interpolation;
  Padding padding;
  bool corners;
  const void* gradient = nullptr;  // gradients alone, as what follows `result`
  const void* input = nullptr;
  const void* grid = nullptr;
  void* result = nullptr;
  void* input_gradient = nullptr;
  void* grid_gradient = nullptr;
  double* sums = nullptr;  // `slots` images
  int64_t slots = 1;

  int64_t Elements() const { return in[0] * in[1] * in[2]; }  // of an image
  int64_t Places() const { return out[0] * out[1] * out[2]; }
};

// T is float or double. False when the run was cancelled.
template <typename T>
[[nodiscard]] bool Sample(const Args& args);
template <typename T>
[[nodiscard]] bool InputGradient(const Args& args);
template <typename T>
[[nodiscard]] bool GridGradient(const Args& args);

}  // namespace aclimb::grid_sampler
