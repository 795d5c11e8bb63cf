#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/nll_loss/contract.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::nll_loss {

// What a loss and its gradient have in common; answers with the shape of the loss.
template <class P, bool kImages>
std::vector<int64_t> DrawShared(truth::Draw& draw, truth::Call& call, DType dtype) {
  constexpr int64_t kRows[] = {3, 1, 2, 0, 17, 64, 100, 5};
  constexpr int64_t kClasses[] = {5, 1, 2, 33, 64, 127, 0, 16};
  constexpr int64_t kSides[] = {2, 1, 3, 5, 0, 4};
  const int64_t classes = draw.Pick(kClasses);
  std::vector<int64_t> positions;
  if (kImages || draw.Byte() < 192) positions.push_back(draw.Pick(kRows));
  if (kImages) {
    positions.push_back(draw.Pick(kSides));
    positions.push_back(draw.Pick(kSides));
  }
  std::vector<int64_t> shape = positions;
  shape.insert(kImages ? shape.begin() + 1 : shape.end(), classes);
  int64_t count = 1;
  for (const int64_t extent : positions) count *= extent;
  // Without classes no target is right.
  if (classes == 0 && count > 0) draw.MarkStrange();
  call.SetTensor(P::kSelf, shape, dtype, truth::DrawValues(draw, dtype, count * classes));
  call.SetTensor(P::kTarget, positions, truth::DrawDType(draw, kTargets[draw.product()]),
                 truth::DrawIndices(draw, count, classes));
  std::vector<double> weight = truth::DrawValues(draw, dtype, classes);
  // A mean divides by their sum.
  for (double& w : weight) w = w < 0 ? 0.5 - w : 0.5 + w;
  call.SetTensor(P::kWeight, {classes}, dtype, std::move(weight));
  call.SetInteger(P::kReduction, draw.Below(3));
  call.SetInteger(P::kIgnoreIndex, draw.Flip() ? -100 : draw.Below(10) - 1);
  const bool none = call.Integer(P::kReduction) == kNone;
  if (none && !positions.empty()) return positions;
  return draw.Flip() ? std::vector<int64_t>{1} : std::vector<int64_t>{};
}

inline DType DrawType(truth::Draw& draw) { return truth::DrawDType(draw, kFloats[draw.product()]); }

template <bool kImages>
void DrawForward(truth::Draw& draw, truth::Call& call) {
  const DType dtype = DrawType(draw);
  const std::vector<int64_t> loss = DrawShared<Forward, kImages>(draw, call, dtype);
  call.SetTensor(Forward::kOut, loss, dtype);
  call.SetTensor(Forward::kTotalWeight,
                 draw.Flip() ? std::vector<int64_t>{1} : std::vector<int64_t>{}, dtype);
}

template <bool kImages>
void DrawBackward(truth::Draw& draw, truth::Call& call) {
  const DType dtype = DrawType(draw);
  const std::vector<int64_t> loss = DrawShared<Backward, kImages>(draw, call, dtype);
  int64_t count = 1;
  for (const int64_t extent : loss) count *= extent;
  call.SetTensor(Backward::kGradOutput, loss, dtype, truth::DrawValues(draw, dtype, count));
  std::vector<double> total = truth::DrawValues(draw, dtype, 1);
  total[0] = total[0] < 0 ? 0.5 - total[0] : 0.5 + total[0];
  call.SetTensor(Backward::kTotalWeight,
                 draw.Flip() ? std::vector<int64_t>{1} : std::vector<int64_t>{}, dtype,
                 std::move(total));
  call.SetTensor(Backward::kOut, call.Shape(Backward::kSelf), dtype);
}

}  // namespace aclimb::nll_loss
