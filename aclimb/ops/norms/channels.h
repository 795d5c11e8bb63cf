#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

// Norms whose statistics belong to channels.
namespace aclimb::norms {

// A dense tensor [outer, channels, inner]: planes of `inner` neighbours.
struct Planes {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  int64_t PlaneCount() const { return outer * channels; }
  int64_t ElementCount() const { return outer * channels * inner; }
};

// What is null is not there.
struct BatchNormalization {
  Planes planes = {};
  const void* x = nullptr;
  DType x_dtype = DType::kFloat32;
  void* out = nullptr;
  DType out_dtype = DType::kFloat32;
  const float* weight = nullptr;  // one number for each channel, as all that follow
  const float* bias = nullptr;
  float* running_mean = nullptr;
  float* running_var = nullptr;
  float* save_mean = nullptr;  // written when training
  float* save_invstd = nullptr;
  // With the statistics of this batch, which join the running ones; or with the running ones.
  bool training = false;
  double momentum = 0;
  double eps = 0;
  void* scratch = nullptr;  // BatchScratch() bytes
};
[[nodiscard]] bool Normalize(const BatchNormalization& problem);

struct BatchGradient {
  Planes planes = {};
  const void* grad = nullptr;
  DType grad_dtype = DType::kFloat32;
  const void* x = nullptr;
  DType x_dtype = DType::kFloat32;
  void* out = nullptr;  // gradient of x
  DType out_dtype = DType::kFloat32;
  const float* weight = nullptr;
  const float* mean = nullptr;    // null: 0
  const float* spread = nullptr;  // 1 / root(variance + eps); or the variance, null: 1
  bool spread_is_variance = false;
  double eps = 0;
  bool fixed_statistics = false;  // they do not depend on x
  float* weight_sums = nullptr;
  float* bias_sums = nullptr;
  void* scratch = nullptr;  // BatchScratch() bytes
};
[[nodiscard]] bool Solve(const BatchGradient& problem);

int64_t BatchScratch(const Planes& planes);

// Groups of neighbouring channels have one mean for each of `outer`.
struct GroupGradient {
  Planes planes = {};
  int64_t groups = 1;
  const void* grad = nullptr;
  DType grad_dtype = DType::kFloat32;
  const void* x = nullptr;
  DType x_dtype = DType::kFloat32;
  const float* mean = nullptr;  // [outer, groups], as rstd
  const float* rstd = nullptr;
  const float* weight = nullptr;
  void* out = nullptr;
  DType out_dtype = DType::kFloat32;
  float* weight_sums = nullptr;
  float* bias_sums = nullptr;
  void* scratch = nullptr;  // GroupScratch() bytes
};
[[nodiscard]] bool Solve(const GroupGradient& problem);

int64_t GroupScratch(const Planes& planes);

// Clock cycles that an element takes on one core, about.
inline constexpr double kChannelCycles = 2.5;

}  // namespace aclimb::norms
