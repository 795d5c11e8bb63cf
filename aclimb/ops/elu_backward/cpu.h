#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"

namespace aclimb::elu_backward {

// Elements of a piece of parallel work: about as long as it takes to wake a sleeping team.
inline constexpr int64_t kGrain = 256 * 1024;
// Below, threads that are awake can share: from so many elements on, in pieces of so many.
inline constexpr int64_t kSharedCount = 32 * 1024;
inline constexpr int64_t kSharedGrain = 4 * 1024;

struct Args {
  TensorView grad_output;     // float32, float16 or bfloat16
  TensorView self_or_result;  // dtype and shape of grad_output
  TensorView grad_input;      // float32, float16, bfloat16 or float64; may be one of the inputs
  float alpha;
  float scale;
  float input_scale;
  bool is_result;
};

// Gradient of ELU. With c = alpha * scale, in float32:
//   v > 0 or NaN          grad_input = g * scale
//   v <= 0, is_result     grad_input = g * input_scale * (v + c)
//   v <= 0, otherwise     grad_input = g * input_scale * c * exp(v * input_scale)
// Rounded once to the dtype of grad_output, then converted to that of grad_input.
//   source  the operator's document
void RunOnCpu(const Args& args);

}  // namespace aclimb::elu_backward
