#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::norms {

// The gradients of rows that were normalized. What is null is not there.
struct RowGradient {
  int64_t rows = 0;
  int64_t length = 0;          // elements of a row
  const void* grad = nullptr;  // of what the forward call returned
  DType grad_dtype = DType::kFloat32;
  const void* x = nullptr;  // what it read
  DType x_dtype = DType::kFloat32;
  const float* mean = nullptr;  // of each row; null: the rows were not centered
  const float* rstd = nullptr;
  const float* weight = nullptr;  // `length` of them
  void* out = nullptr;            // gradient of x
  DType out_dtype = DType::kFloat32;
  // Sums over the rows, `length` of them: gradients of weight and bias. The bias alone has no sum
  // of its own.
  float* weight_sums = nullptr;
  float* bias_sums = nullptr;
  void* scratch = nullptr;  // RowGradientScratch() bytes, for sums
};

// Blocks of rows whose sums are added first, each on one thread: as many, whatever the team.
int64_t RowGradientScratch(int64_t rows, int64_t length);

// False when the run was cancelled.
[[nodiscard]] bool Solve(const RowGradient& problem);

// Clock cycles that an element takes on one core, about.
inline constexpr double kRowGradientCycles = 3;

}  // namespace aclimb::norms
