#pragma once

#include <utility>
#include <vector>

#include "aclimb/ops/cross_entropy_loss_grad/contract.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::cross_entropy_loss_grad {

// With the values that are reserved unless ACLIMB_EXTENSIONS=1 in one of four calls.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kRows[] = {3, 1, 2, 0, 17, 64, 100, 5};
  constexpr int64_t kClasses[] = {5, 1, 2, 33, 64, 127, 1000, 16};
  constexpr const char* kReductions[] = {"mean", "none", "sum", nullptr};
  const DType dtype = truth::DrawDType(draw, kParameters[kGradLoss].dtypes[draw.product()]);
  const DType target = truth::DrawDType(draw, kTargetDTypes);
  const int64_t few = draw.Pick(kRows), classes = draw.Pick(kClasses);
  // Enough for a team where many are asked for.
  const int64_t rows = draw.most_elements() < 100'000 ? few : draw.most_elements() / 2 / classes;
  const char* const reduction = draw.Pick(kReductions);
  const bool none = reduction != nullptr && reduction[0] == 'n';
  const std::vector<int64_t> per_loss = none          ? std::vector<int64_t>{rows}
                                        : draw.Flip() ? std::vector<int64_t>{1}
                                                      : std::vector<int64_t>{};
  const auto values = [&](int64_t count) { return truth::DrawValues(draw, dtype, count); };
  call.SetTensor(kGradLoss, per_loss, dtype, values(none ? rows : 1));
  call.SetTensor(kLogProb, {rows, classes}, dtype, values(rows * classes));
  const int64_t ignored = draw.Flip() ? -100 : draw.Below(10) - 1;
  std::vector<double> targets = truth::DrawIndices(draw, rows, classes);
  for (size_t n = 1; n < targets.size(); n += 3) targets[n] = static_cast<double>(ignored);
  call.SetTensor(kTarget, {rows}, target, std::move(targets));
  if (draw.Flip()) {
    std::vector<double> weight = values(classes);
    // A mean divides by their sum.
    for (double& w : weight) w = w < 0 ? 0.5 - w : 0.5 + w;
    call.SetTensor(kWeight, {classes}, DType::kFloat32, std::move(weight));
  }
  if (reduction != nullptr) call.SetText(kReduction, reduction);
  call.SetInteger(kIgnoreIndex, ignored);
  const uint8_t reserved = draw.extensions() ? draw.Byte() : 0;
  const bool z_loss = reserved >= 224;
  call.SetReal(kLabelSmoothing, reserved >= 192 ? 0.25 : 0);
  call.SetReal(kLseSquareScale, z_loss ? 0.5 : 0);
  if (z_loss) {
    if ((reserved & 1) != 0) {
      call.SetTensor(kGradZloss, per_loss, dtype, values(none ? rows : 1));
    }
    call.SetTensor(kLseForZloss, {rows}, dtype, values(rows));
  }
  call.SetTensor(kXGradOut, {rows, classes}, dtype);
}

}  // namespace aclimb::cross_entropy_loss_grad
