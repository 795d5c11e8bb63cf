#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

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
struct Tensors {
  void *var, *m, *v, *max;
  const void* grad;
};

// Of `count` elements of tensors of float32, or of the same half type.
void Update(const Step& step, DType dtype, int64_t count, const Tensors& tensors);

}  // namespace aclimb::apply_adam_w_v2
