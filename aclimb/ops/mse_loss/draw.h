#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/mse_loss/contract.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/each.h"

namespace aclimb::mse_loss {

inline DType DrawType(truth::Draw& draw) { return truth::DrawDType(draw, kFloats[draw.product()]); }

// A tensor that broadcasts to `shape`: now and then without leading dimensions, or with extents 1.
inline void DrawPart(truth::Draw& draw, truth::Call& call, int parameter,
                     const std::vector<int64_t>& shape, DType dtype) {
  std::vector<int64_t> part = shape;
  if (draw.Byte() >= 192) part.erase(part.begin(), part.begin() + draw.Below(part.size() + 1));
  for (int64_t& extent : part) {
    if (draw.Byte() >= 224) extent = 1;
  }
  int64_t count = 1;
  for (const int64_t extent : part) count *= extent;
  call.SetTensor(parameter, std::move(part), dtype, truth::DrawValues(draw, dtype, count));
}

inline void DrawForward(truth::Draw& draw, truth::Call& call) {
  using P = Forward;
  const std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  DrawPart(draw, call, P::kSelf, shape, DrawType(draw));
  DrawPart(draw, call, P::kTarget, shape, DrawType(draw));
  call.SetInteger(P::kReduction, draw.Below(3));
  std::vector<int64_t> out = truth::BroadcastShape(call, {P::kSelf, P::kTarget});
  if (call.Integer(P::kReduction) != kNone) out.assign(draw.Flip() ? 1 : 0, 1);
  call.SetTensor(P::kOut, std::move(out), DrawType(draw));
}

inline void DrawBackward(truth::Draw& draw, truth::Call& call) {
  using P = Backward;
  const std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  const DType dtype = DrawType(draw);
  for (const int parameter : {P::kGradOutput, P::kSelf, P::kTarget}) {
    DrawPart(draw, call, parameter, shape, dtype);
  }
  call.SetInteger(P::kReduction, draw.Below(3));
  call.SetTensor(P::kOut, truth::BroadcastShape(call, {P::kGradOutput, P::kSelf, P::kTarget}),
                 dtype);
}

}  // namespace aclimb::mse_loss
