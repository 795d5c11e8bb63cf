#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/core/dimensions.h"
#include "aclimb/ops/gates/contract.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::gates {

// The tensor that is cut, along a dimension of it; gives the shape of a half.
inline std::vector<int64_t> DrawCut(truth::Draw& draw, truth::Call& call, const Cut& cut) {
  std::vector<int64_t> half = truth::DrawShape(draw, 1, 8), whole = half;
  const auto rank = static_cast<int64_t>(half.size());
  const int64_t dim = draw.Below(2 * rank) - rank;
  whole[WrapDimension(dim, half.size())] *= 2;
  truth::DrawTensor(draw, call, cut.whole.place, whole);
  call.SetInteger(cut.dim.place, dim);
  return half;
}

namespace swi_glu {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> half = DrawCut(draw, call, kCut);
  call.SetTensor(kOut, half, call.DTypeOf(kX));
}
}  // namespace swi_glu

namespace swi_glu_grad {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> half = DrawCut(draw, call, kCut);
  truth::DrawTensor(draw, call, kGrad, half, call.DTypeOf(kX));
  call.SetTensor(kOut, call.Shape(kX), call.DTypeOf(kX));
}
}  // namespace swi_glu_grad

namespace glu {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> half = DrawCut(draw, call, kCut);
  truth::DrawTensor(draw, call, kOut, half);
}
}  // namespace glu

namespace glu_backward {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> half = DrawCut(draw, call, kCut);
  truth::DrawTensor(draw, call, kGrad, half, call.DTypeOf(kSelf));
  call.SetTensor(kOut, call.Shape(kSelf), call.DTypeOf(kSelf));
}
}  // namespace glu_backward

namespace ge_glu {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> half = DrawCut(draw, call, kCut);
  call.SetInteger(kApproximate, draw.Below(2));
  for (const int out : {kOut, kOutGelu}) call.SetTensor(out, half, call.DTypeOf(kSelf));
}
}  // namespace ge_glu

namespace ge_glu_v3 {
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> half = DrawCut(draw, call, kCut);
  call.SetInteger(kApproximate, draw.Below(2));
  call.SetInteger(kActivateLeft, draw.Below(2));
  for (const int out : {kOut, kOutGelu}) call.SetTensor(out, half, call.DTypeOf(kSelf));
}
}  // namespace ge_glu_v3

}  // namespace aclimb::gates
