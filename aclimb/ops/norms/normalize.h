#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::norms {

// Rows to be normalized, one after the other. What is null is not there.
struct Normalization {
  int64_t rows = 0;
  int64_t length = 0;  // elements of a row
  // The rows are x + x2 + addend.
  const void* x = nullptr;
  DType x_dtype = DType::kFloat32;
  const void* x2 = nullptr;
  DType x2_dtype = DType::kFloat32;
  const float* addend = nullptr;
  int64_t addend_step = 0;  // from a row to the next: 0 where all rows have one addend
  // `run` neighbours share a weight; row r has set r % sets of weights.
  const float* weight = nullptr;
  const float* bias = nullptr;
  int64_t run = 1;
  int64_t sets = 1;
  double eps = 0;
  bool centered = true;  // or what is divided by is the root of the mean square
  void* sum = nullptr;   // x + x2 + addend, rounded
  DType sum_dtype = DType::kFloat32;
  void* out = nullptr;
  DType out_dtype = DType::kFloat32;
  float* mean = nullptr;
  float* rstd = nullptr;  // 1 / root(variance + eps)
};

// False when the run was cancelled.
[[nodiscard]] bool Normalize(const Normalization& problem);

// Clock cycles that an element takes on one core, about.
inline constexpr double kNormalizeCycles = 2;

}  // namespace aclimb::norms
