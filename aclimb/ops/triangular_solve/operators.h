#pragma once

#include <cmath>

#include "aclimb/ops/triangular_solve/contract.h"
#include "aclimb/ops/triangular_solve/truth.h"
#include "aclimb/truth/draw.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::triangular_solve {

// By the rules, with diagonals that are large enough for solutions of some size.
inline void Draw(truth::Draw& draw, truth::Call& call) {
  truth::DrawFromContract(draw, call);
  if (!call.IsGiven(kA) || draw.Byte() >= 224) return;
  const int64_t rows = call.Shape(kA).back();
  std::vector<double> values = call.Values(kA);
  for (size_t at = 0; at < values.size(); ++at) {
    const auto place = static_cast<int64_t>(at) % (rows * rows);
    if (place / rows != place % rows) continue;
    values[at] = std::copysign(2 + std::fabs(values[at]), values[at]);
  }
  call.At(kA).values = std::move(values);
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnTriangularSolveGetWorkspaceSize)>(kContract, &Truth, &Draw)};

}  // namespace aclimb::triangular_solve
