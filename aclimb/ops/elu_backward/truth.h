#pragma once

#include <cmath>

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

}  // namespace aclimb::elu_backward
