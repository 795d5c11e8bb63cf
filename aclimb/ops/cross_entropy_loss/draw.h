#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "aclimb/ops/cross_entropy_loss/contract.h"
#include "aclimb/ops/cross_entropy_loss/probabilities_contract.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::cross_entropy_loss {

// Enough for a team where many elements are asked for.
inline int64_t RowsFor(const truth::Draw& draw, int64_t few, int64_t classes) {
  const int64_t most = draw.most_elements();
  return most < 100'000 ? few : most / 2 / std::max<int64_t>(1, classes);
}

// With the values that are reserved unless ACLIMB_EXTENSIONS=1 in one of four calls.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kRows[] = {3, 1, 2, 0, 17, 64, 100, 5};
  constexpr int64_t kClasses[] = {5, 1, 2, 33, 64, 127, 1000, 16};
  constexpr const char* kReductions[] = {"mean", "none", "sum", nullptr};
  const DType dtype = truth::DrawDType(draw, kParameters[kInput].dtypes[draw.product()]);
  const DType target = truth::DrawDType(draw, kTargetDTypes);
  const int64_t few = draw.Pick(kRows), classes = draw.Pick(kClasses);
  const int64_t rows = RowsFor(draw, few, classes);
  const char* const reduction = draw.Pick(kReductions);
  const bool none = reduction != nullptr && reduction[0] == 'n';
  const std::vector<int64_t> per_loss = none          ? std::vector<int64_t>{rows}
                                        : draw.Flip() ? std::vector<int64_t>{1}
                                                      : std::vector<int64_t>{};
  call.SetTensor(kInput, {rows, classes}, dtype, truth::DrawValues(draw, dtype, rows * classes));
  const int64_t ignored = draw.Flip() ? -100 : draw.Below(10) - 1;
  std::vector<double> targets = truth::DrawIndices(draw, rows, classes);
  for (size_t n = 1; n < targets.size(); n += 3) targets[n] = static_cast<double>(ignored);
  call.SetTensor(kTarget, {rows}, target, std::move(targets));
  if (draw.Flip()) {
    std::vector<double> weight = truth::DrawValues(draw, DType::kFloat32, classes);
    // A mean divides by their sum.
    for (double& w : weight) w = w < 0 ? 0.5 - w : 0.5 + w;
    call.SetTensor(kWeight, {classes}, DType::kFloat32, std::move(weight));
  }
  if (reduction != nullptr) call.SetText(kReduction, reduction);
  call.SetInteger(kIgnoreIndex, ignored);
  const uint8_t reserved = draw.extensions() ? draw.Byte() : 0;
  call.SetReal(kLabelSmoothing, reserved >= 192 ? 0.25 : 0);
  call.SetReal(kLseSquareScale, reserved >= 224 ? 0.5 : 0);
  call.SetInteger(kReturnZloss, reserved % 8 == 7 ? 1 : 0);
  call.SetTensor(kLossOut, per_loss, dtype);
  call.SetTensor(kLogProbOut, {rows, classes}, dtype);
  // Empty as PyTorch's adapter passes them.
  for (const int output : {kZlossOut, kLseForZlossOut}) {
    if (call.Bool(kReturnZloss) || draw.Byte() >= 192) {
      call.SetTensor(output, output == kZlossOut ? per_loss : std::vector<int64_t>{rows}, dtype);
    } else if (draw.Flip()) {
      call.SetTensor(output, {0}, dtype);
    }
  }
}

inline void DrawProbabilities(truth::Draw& draw, truth::Call& call) {
  using P = Probabilities;
  constexpr int64_t kRows[] = {3, 1, 2, 0, 17, 64, 100, 5};
  constexpr int64_t kClasses[] = {5, 1, 2, 33, 64, 127, 1000, 0};
  const DType dtype = truth::DrawDType(draw, kProbabilitiesTypes[draw.product()]);
  const int64_t few = draw.Pick(kRows), classes = draw.Pick(kClasses);
  const int64_t rows = RowsFor(draw, few, classes);
  for (const int input : {P::kFeatures, P::kLabels}) {
    call.SetTensor(input, {rows, classes}, dtype, truth::DrawValues(draw, dtype, rows * classes));
  }
  call.SetTensor(P::kLoss, {rows}, dtype);
  call.SetTensor(P::kBackprop, {rows, classes}, dtype);
}

}  // namespace aclimb::cross_entropy_loss
