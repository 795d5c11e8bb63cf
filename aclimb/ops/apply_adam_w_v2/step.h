#pragma once

#include <cstdint>

namespace aclimb::apply_adam_w_v2 {

// A step in float32: what its numbers make of those of the tensors.
struct Step {
  float beta1, beta2, eps;
  float decay;  // of var
  float rate;   // lr / (1 - beta1^t)
  float scale;  // 1 / (1 - beta2^t)
  float sign;   // of the gradient
};

// max: the largest v so far; null if it is not used.
void Update(const Step& step, const float* grad, int64_t count, float* var, float* m, float* v,
            float* max);

}  // namespace aclimb::apply_adam_w_v2
