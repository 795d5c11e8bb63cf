#pragma once

#include <cmath>

#include "aclimb/core/dtype.h"

namespace aclimb::elu_backward {

// One element in double, by the formula of the document. The scalars are float32 values,
// and c is a float32 product, because the operator defines them so.
inline double Truth(double g, double v, float alpha, float scale, float input_scale,
                    bool is_result) {
  if (!(v <= 0)) return g * scale;
  const double c = alpha * scale;
  if (is_result) return g * input_scale * (v + c);
  return g * input_scale * c * std::exp(v * input_scale);
}

// What a result may be off, relative to its value and absolutely: one rounding to the dtype, plus
// the cancellation of v + alpha * scale in float32.
struct Allowance {
  double relative;
  double absolute;
};
inline Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {1e-3, 1e-4};
    case DType::kBFloat16:
      return {8e-3, 1e-3};
    default:
      return {1e-5, 1e-6};
  }
}

}  // namespace aclimb::elu_backward
