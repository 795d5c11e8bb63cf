#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/nll_loss/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::nll_loss {

// The classes of one position in self; -1 when the position is ignored.
struct Position {
  int64_t target = -1;
  size_t at = 0;  // in self
};

template <class P>
std::vector<Position> PositionsOf(const truth::Call& call) {
  const std::vector<int64_t>& shape = call.Shape(P::kSelf);
  const int64_t classes = shape[shape.size() == 4 ? 1 : shape.size() - 1];
  const int64_t pixels = shape.size() == 4 ? shape[2] * shape[3] : 1;
  std::vector<Position> positions;
  for (const int64_t target : call.Ints(P::kTarget)) {
    const auto n = static_cast<int64_t>(positions.size());
    positions.push_back({});
    if (target == call.Integer(P::kIgnoreIndex) || target < 0 || target >= classes) continue;
    positions.back().target = target;
    positions.back().at =
        static_cast<size_t>((n / pixels * classes + target) * pixels + n % pixels);
  }
  return positions;
}

// Of numbers that are summed in double and rounded once.
inline truth::Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {5e-4, 3e-8};
    case DType::kBFloat16:
      return {4e-3, 1e-38};
    default:
      return {1.2e-7, 1e-44};
  }
}

inline void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Forward;
  std::vector<double> losses;
  double total = 0, weights = 0, size = 0;
  for (const Position& position : PositionsOf<P>(call)) {
    losses.push_back(0);
    if (position.target < 0) continue;
    const double weight = call.Values(P::kWeight)[static_cast<size_t>(position.target)];
    losses.back() = -weight * call.Values(P::kSelf)[position.at];
    total += losses.back();
    if (std::isfinite(losses.back())) size += std::fabs(losses.back());
    weights += weight;
  }
  const truth::Allowance allowance = AllowanceOf(call.DTypeOf(P::kSelf));
  // Terms may cancel.
  const auto sum = [&](int parameter, double value, double error) {
    outputs.Set(parameter, {value},
                truth::Allowance{allowance.relative, allowance.absolute + error});
  };
  sum(P::kTotalWeight, weights, 1e-13);
  if (call.Integer(P::kReduction) == kNone) {
    outputs.Set(P::kOut, std::move(losses), allowance);
  } else if (call.Integer(P::kReduction) == kMean) {
    sum(P::kOut, total / weights, weights == 0 ? 0 : 1e-14 * size / std::fabs(weights));
  } else {
    sum(P::kOut, total, 1e-14 * size);
  }
}

inline void BackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Backward;
  std::vector<double> out(static_cast<size_t>(call.ElementCount(P::kOut)), 0.0);
  const std::vector<double>& gradient = call.Values(P::kGradOutput);
  size_t n = 0;
  for (const Position& position : PositionsOf<P>(call)) {
    const size_t of_loss = call.Integer(P::kReduction) == kNone ? n : 0;
    ++n;
    if (position.target < 0) continue;
    const double divisor =
        call.Integer(P::kReduction) == kMean ? call.Values(P::kTotalWeight)[0] : 1;
    const double weight = call.Values(P::kWeight)[static_cast<size_t>(position.target)];
    out[position.at] = -gradient[of_loss] / divisor * weight;
  }
  outputs.Set(P::kOut, std::move(out), AllowanceOf(call.DTypeOf(P::kOut)));
}

}  // namespace aclimb::nll_loss
