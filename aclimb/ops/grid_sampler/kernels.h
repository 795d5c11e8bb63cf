#pragma once

#include <cstdint>

#include "aclimb/ops/grid_sampler/places.h"

// Kernels on dense tensors. No result depends on the threads.
namespace aclimb::grid_sampler {

struct Args {
  int64_t batch, channels;
  int64_t height, width;          // of an image
  int64_t out_height, out_width;  // of the grid
  Interpolation interpolation;
  Padding padding;
  bool corners;
  const void* gradient = nullptr;  // gradients alone, as what follows `out`
  const void* input = nullptr;
  const void* grid = nullptr;
  void* out = nullptr;
  void* input_gradient = nullptr;
  void* grid_gradient = nullptr;
  double* sums = nullptr;  // `slots` images
  int64_t slots = 1;
};

// T is float or double. False when the run was cancelled.
template <typename T>
[[nodiscard]] bool Sample(const Args& args);
template <typename T>
[[nodiscard]] bool InputGradient(const Args& args);
template <typename T>
[[nodiscard]] bool GridGradient(const Args& args);

}  // namespace aclimb::grid_sampler
