#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

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

// What the errors of float32 arithmetic are in proportion to: the terms of v + alpha * scale, which
// may cancel, and the exponential's argument, whose rounding it magnifies.
inline double Magnitude(double g, double v, float alpha, float scale, float input_scale,
                        bool is_result) {
  if (v <= 0 && is_result)
    return std::fabs(g * input_scale) * (std::fabs(v) + std::fabs(alpha * scale));
  const double argument = v <= 0 ? std::min(1000.0, std::fabs(v * input_scale)) : 0;
  return std::fabs(Truth(g, v, alpha, scale, input_scale, is_result)) * (1 + argument);
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const float alpha = call.Float(kAlpha), scale = call.Float(kScale);
  const float input_scale = call.Float(kInputScale);
  const DType in = call.DTypeOf(kGradOutput), out = call.DTypeOf(kGradInput);
  const auto each = [&](auto formula) {
    return truth::Each(call, {kGradOutput, kSelfOrResult}, [&](double g, double v) {
      return formula(g, v, alpha, scale, input_scale, call.Bool(kIsResult));
    });
  };
  std::vector<double> values = each([](auto... of) { return Truth(of...); });
  std::vector<double> allowed = each([](auto... of) { return Magnitude(of...); });
  // The exponential of a half type is not as precise.
  const double error = in == DType::kFloat32 ? 5e-7 : 2e-5;
  const double rounding = truth::RoundingOf(in) + truth::RoundingOf(out);
  for (size_t i = 0; i < values.size(); ++i) {
    allowed[i] = error * allowed[i] + rounding * std::fabs(values[i]) + truth::LeastOf(in) +
                 truth::LeastOf(out);
  }
  outputs.Set(kGradInput, std::move(values), std::move(allowed));
}

}  // namespace aclimb::elu_backward
