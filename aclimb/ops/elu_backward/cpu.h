#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/simd/walk.h"

namespace aclimb::elu_backward {

// Elements that take about as long as it takes to wake a sleeping team: more are worth it.
inline constexpr int64_t kTeamCount = 256 * 1024;
// From this count of elements on, and up to that one, threads that are awake take part.
inline constexpr int64_t kSharedCount = 32 * 1024;
// Elements of a piece that a thread takes. A thread that lost its core keeps one from the others.
inline constexpr int64_t kSharedGrain = 4 * 1024;
inline constexpr int64_t kTeamGrain = 64 * 1024;

struct Attributes {
  float alpha;
  float scale;
  float input_scale;
  bool is_result;
};

// All that a run needs but the addresses, which differ from run to run.
struct Problem {
  // Equally shaped; their addresses are not looked at.
  Problem(const TensorView& grad_output, const TensorView& self_or_result,
          const TensorView& grad_input, const Attributes& given)
      : walk(Walk<3>::Make({&grad_output, &self_or_result, &grad_input})),
        input(grad_output.dtype),
        output(grad_input.dtype),
        attributes(given) {}

  // Runs of consecutive elements of one dtype.
  bool IsDirect() const { return input == output && walk.InnerIsContiguous(); }
  // Too short to wake a team, but not for threads that are awake.
  bool IsShared() const {
    return IsDirect() && walk.count >= kSharedCount && walk.count <= kTeamCount;
  }

  Walk<3> walk;
  DType input;   // of grad_output and self_or_result: float32, float16 or bfloat16
  DType output;  // float32, float16, bfloat16 or float64
  Attributes attributes;
};

// Of the first elements. `grad_input` may be one of the inputs.
struct Addresses {
  const void* grad_output;
  const void* self_or_result;
  void* grad_input;
};

// Gradient of ELU. With c = alpha * scale, in float32:
//   v > 0 or NaN          grad_input = g * scale
//   v <= 0, is_result     grad_input = g * input_scale * (v + c)
//   v <= 0, otherwise     grad_input = g * input_scale * c * exp(v * input_scale)
// Rounded once to the dtype of grad_output, then converted to that of grad_input.
//   source  the operator's document
void RunOnCpu(const Problem& problem, const Addresses& addresses);

}  // namespace aclimb::elu_backward
