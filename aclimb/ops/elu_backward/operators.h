#pragma once

#include <utility>
#include <vector>

#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/ops/elu_backward/truth.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::elu_backward {

// In every other call scale and inputScale are 1, as they mostly are; then some inputs are so far
// from 0 that the exponential is subnormal or infinite.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  truth::DrawFromContract(draw, call);
  if (draw.Flip()) return;
  for (const int p : {kScale, kInputScale}) call.SetScalar(p, 1, call.DTypeOf(p));
  if (draw.Flip()) return;
  std::vector<double> values = call.Values(kSelfOrResult);
  for (double& value : values) value *= 25;
  call.SetTensor(kSelfOrResult, call.Shape(kSelfOrResult), call.DTypeOf(kSelfOrResult),
                 std::move(values));
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnEluBackwardGetWorkspaceSize)>(kContract, &Truth, &DrawCall)};

}  // namespace aclimb::elu_backward
