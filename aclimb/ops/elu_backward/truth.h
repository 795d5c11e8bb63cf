#pragma once

#include <cmath>

#include "aclimb/core/dtype.h"
#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

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
inline truth::Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {1e-3, 1e-4};
    case DType::kBFloat16:
      return {8e-3, 1e-3};
    default:
      return {1e-5, 1e-6};
  }
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const float alpha = call.Float(kAlpha), scale = call.Float(kScale);
  const float input_scale = call.Float(kInputScale);
  const truth::Allowance in = AllowanceOf(call.DTypeOf(kGradOutput));
  const truth::Allowance out = AllowanceOf(call.DTypeOf(kGradInput));
  const auto values = truth::Each(call, {kGradOutput, kSelfOrResult}, [&](double g, double v) {
    return Truth(g, v, alpha, scale, input_scale, call.Bool(kIsResult));
  });
  outputs.Set(kGradInput, values, in.relative > out.relative ? in : out);
}

}  // namespace aclimb::elu_backward
