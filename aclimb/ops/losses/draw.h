#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/losses/truths.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::losses {

inline DType DrawType(truth::Draw& draw) { return truth::DrawDType(draw, kFloats[draw.product()]); }

enum class Range { kAny, kProbabilities, kPositive };

// A tensor of the shape, or one that broadcasts to it: now and then without leading dimensions, or
// with extents 1.
inline void DrawPart(truth::Draw& draw, truth::Call& call, int parameter,
                     const std::vector<int64_t>& shape, bool whole, DType dtype,
                     Range range = Range::kAny) {
  std::vector<int64_t> part = shape;
  if (!whole) {
    if (draw.Byte() >= 192) part.erase(part.begin(), part.begin() + draw.Below(part.size() + 1));
    for (int64_t& extent : part) {
      if (draw.Byte() >= 224) extent = 1;
    }
  }
  int64_t count = 1;
  for (const int64_t extent : part) count *= extent;
  std::vector<double> values = truth::DrawValues(draw, dtype, count);
  for (double& value : values) {
    if (range == Range::kProbabilities) value = (value + 4) / 8;
    if (range == Range::kPositive) value = value + 4;
  }
  call.SetTensor(parameter, std::move(part), dtype, std::move(values));
}

inline void DrawOut(truth::Draw& draw, truth::Call& call, int out, std::vector<int64_t> shape,
                    DType dtype, int64_t reduction) {
  if (reduction != 0) shape.assign(draw.Flip() ? 1 : 0, 1);
  call.SetTensor(out, std::move(shape), dtype);
}

// self and target at 0 and 1.
template <int kReduction, int kAttribute, int kOut>
void DrawLoss(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  DrawPart(draw, call, 0, shape, false, DrawType(draw));
  const bool flag = draw.Flip();
  const bool divergence = call.ParameterAt(kAttribute).kind == Kind::kBool;
  DrawPart(draw, call, 1, shape, false, DrawType(draw),
           divergence && !flag ? Range::kPositive : Range::kAny);
  call.SetInteger(kReduction, draw.Below(3));
  constexpr double kBetas[] = {1, 0, 0.5, 3};
  if (divergence) call.SetInteger(kAttribute, flag ? 1 : 0);
  if (call.ParameterAt(kAttribute).kind == Kind::kReal) call.SetReal(kAttribute, draw.Pick(kBetas));
  DrawOut(draw, call, kOut, truth::BroadcastShape(call, {0, 1}), DrawType(draw),
          call.Integer(kReduction));
}
// The gradient, self and target at 0, 1 and 2.
template <int kReduction, int kAttribute, int kOut>
void DrawGradient(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  for (const int p : {0, 1, 2}) DrawPart(draw, call, p, shape, false, DrawType(draw));
  constexpr double kBetas[] = {1, 0, 0.5, 3};
  const bool divergence = call.ParameterAt(kAttribute).kind == Kind::kBool;
  call.SetInteger(kReduction, draw.Below(divergence ? 4 : 3));
  if (divergence) call.SetInteger(kAttribute, draw.Flip() ? 1 : 0);
  if (call.ParameterAt(kAttribute).kind == Kind::kReal) call.SetReal(kAttribute, draw.Pick(kBetas));
  call.SetTensor(kOut, truth::BroadcastShape(call, {0, 1, 2}), DrawType(draw));
}

// Cross-entropies: self at kFirst, target, and then weights; a gradient is before them if kFirst is
// 1.
template <int kFirst, int kWeights, int kReduction, int kOut>
void DrawCrossEntropy(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  const bool logits = kWeights == 2;
  const DType dtype = DrawType(draw);
  const auto next = [&] { return logits ? DrawType(draw) : dtype; };
  if (kFirst == 1) DrawPart(draw, call, 0, shape, false, next());
  DrawPart(draw, call, kFirst, shape, true, dtype, logits ? Range::kAny : Range::kProbabilities);
  DrawPart(draw, call, kFirst + 1, shape, true, next(), Range::kProbabilities);
  for (int w = 0; w < kWeights; ++w) {
    if (draw.Byte() < 160) {
      DrawPart(draw, call, kFirst + 2 + w, shape, false, next(), Range::kPositive);
    }
  }
  call.SetInteger(kReduction, draw.Below(3));
  DrawOut(draw, call, kOut, shape, next(), kFirst == 1 ? 0 : call.Integer(kReduction));
}

}  // namespace aclimb::losses
