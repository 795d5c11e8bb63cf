#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/mse_loss/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::mse_loss {

// A few roundings in float32, and one to a half type.
inline truth::Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {5e-4, 6e-8};
    case DType::kBFloat16:
      return {4e-3, 1e-38};
    default:
      return {5e-7, 1e-37};
  }
}

inline void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Forward;
  std::vector<double> squares = truth::Each(call, {P::kSelf, P::kTarget},
                                            [](double x, double y) { return (x - y) * (x - y); });
  truth::Allowance allowance = AllowanceOf(call.DTypeOf(P::kOut));
  const int64_t reduction = call.Integer(P::kReduction);
  if (reduction != kNone) {
    double sum = 0;
    for (const double square : squares) sum += square;
    if (reduction == kMean) sum /= static_cast<double>(squares.size());
    outputs.Set(P::kOut, {sum}, allowance);
    return;
  }
  // Rounded to the dtype that both are promoted to, and from that to the output's.
  const DType self = call.DTypeOf(P::kSelf);
  const truth::Allowance promoted =
      AllowanceOf(self == call.DTypeOf(P::kTarget) ? self : DType::kFloat32);
  allowance.relative += promoted.relative;
  allowance.absolute += promoted.absolute;
  outputs.Set(P::kOut, std::move(squares), allowance);
}

inline void BackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Backward;
  const auto count = static_cast<double>(call.ElementCount(P::kSelf));
  const double factor = call.Integer(P::kReduction) == kMean ? 2 / count : 2;
  outputs.Set(P::kOut,
              truth::Each(call, {P::kGradOutput, P::kSelf, P::kTarget},
                          [factor](double g, double x, double y) { return factor * (x - y) * g; }),
              AllowanceOf(call.DTypeOf(P::kOut)));
}

}  // namespace aclimb::mse_loss
