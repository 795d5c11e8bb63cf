#pragma once

#include <cmath>
#include <vector>

#include "aclimb/ops/apply_adam_w_v2/contract.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::apply_adam_w_v2 {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, kVar);
  const std::vector<int64_t> shape = call.Shape(kVar);
  const DType dtype = call.DTypeOf(kVar);
  const auto squares = [&](int parameter, DType of) {
    std::vector<double> values = truth::DrawValues(draw, of, call.ElementCount(kVar));
    for (double& value : values) value = std::fabs(value);
    call.SetTensor(parameter, shape, of, std::move(values));
  };
  truth::DrawTensor(draw, call, kM, shape, dtype);
  squares(kV, dtype);
  const bool amsgrad = draw.Flip();
  call.SetInteger(kAmsgrad, amsgrad ? 1 : 0);
  if (amsgrad || draw.Flip()) squares(kMax, truth::DrawDType(draw, kDTypes[draw.product()]));
  truth::DrawTensor(draw, call, kGrad, shape);
  constexpr double kSteps[] = {0, 1, 10, 1000};
  call.SetTensor(kStep, draw.Flip() ? std::vector<int64_t>{1} : std::vector<int64_t>(),
                 draw.Flip() ? DType::kInt64 : DType::kFloat32, {draw.Pick(kSteps)});
  constexpr double kRates[] = {0.001, 0.1, 0, 1};
  constexpr double kBetas[] = {0.875, 0.5, 0.984375};
  call.SetReal(kLr, draw.Pick(kRates));
  call.SetReal(kBeta1, draw.Pick(kBetas));
  call.SetReal(kBeta2, draw.Pick(kBetas));
  call.SetReal(kWeightDecay, draw.Pick(kRates));
  call.SetReal(kEps, draw.Flip() ? 1e-8 : 0.125);
  call.SetInteger(kMaximize, draw.Flip() ? 1 : 0);
}

}  // namespace aclimb::apply_adam_w_v2
