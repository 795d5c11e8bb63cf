#pragma once

#include <cmath>
#include <vector>

#include "aclimb/ops/amp_update_scale/contract.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::amp_update_scale {

// A new scale is rounded once.
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  double scale = call.Values(kScale)[0], tracker = call.Values(kTracker)[0] + 1;
  if (call.Values(kFoundInf)[0] != 0) {
    scale *= call.Real(kBackoffFactor);
    tracker = 0;
  } else if (tracker == static_cast<double>(call.Integer(kGrowthInterval))) {
    const double grown = scale * call.Real(kGrowthFactor);
    if (std::isfinite(static_cast<float>(grown))) scale = grown;
    tracker = 0;
  }
  outputs.Set(kNewScale, {scale}, truth::Allowance{6e-8, 1e-45});
  outputs.Set(kNewTracker, {tracker}, truth::Allowance{});
}

// Steps before, at and behind the one at which the scale grows; scales that overflow.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const auto shape = [&]() {
    return draw.Flip() ? std::vector<int64_t>{1} : std::vector<int64_t>();
  };
  constexpr double kScales[] = {65536, 1, 3e38, 0.3, 1e-45};
  constexpr double kFound[] = {0, 0, 1, -0.0};
  constexpr double kGrowth[] = {2, 1.5, 1};
  constexpr double kBackoff[] = {0.5, 0.3, 0};
  call.SetTensor(kScale, shape(), DType::kFloat32, {draw.Pick(kScales)});
  call.SetTensor(kTracker, shape(), DType::kInt32, {static_cast<double>(draw.Below(4))});
  call.SetTensor(kFoundInf, shape(), DType::kFloat32, {draw.Pick(kFound)});
  call.SetReal(kGrowthFactor, draw.Pick(kGrowth));
  call.SetReal(kBackoffFactor, draw.Pick(kBackoff));
  call.SetInteger(kGrowthInterval, 1 + draw.Below(4));
  call.SetTensor(kNewScale, call.Shape(kScale), DType::kFloat32);
  call.SetTensor(kNewTracker, call.Shape(kTracker), DType::kInt32);
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnAmpUpdateScaleGetWorkspaceSize)>(kContract, &Truth, &DrawCall)};

}  // namespace aclimb::amp_update_scale
