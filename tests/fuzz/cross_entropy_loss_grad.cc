// aclnnCrossEntropyLossGrad from a byte string.

#include <memory>

#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "tests/fuzz/operator_call.h"

namespace aclimb::fuzz {
namespace {

constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr DType kTargets[] = {DType::kInt64, DType::kInt32};
constexpr int64_t kRows[] = {3, 1, 2, 0, 17, 64, 100, 5};
constexpr int64_t kClasses[] = {5, 1, 2, 33, 64, 127, 1000, 16};
constexpr const char* kReductions[] = {"mean", "none", "sum", nullptr};
constexpr const char* kOtherReductions[] = {"", "Mean", "none ", "mean\n", "batchmean"};

}  // namespace

void RunTarget(Draw& draw) {
  ChooseSettings(draw);
  const DType dtype = draw.Pick(kFloats);
  const int64_t rows = draw.Pick(kRows);
  const int64_t classes = draw.Pick(kClasses);
  const char* reduction = draw.Pick(kReductions);
  const bool none = reduction != nullptr && reduction[0] == 'n';
  if (draw.Byte() >= 248) {
    reduction = draw.Pick(kOtherReductions);
    draw.MarkStrange();
  }
  const std::vector<int64_t> per_loss = none          ? std::vector<int64_t>{rows}
                                        : draw.Flip() ? std::vector<int64_t>{1}
                                                      : std::vector<int64_t>{};
  View grad_loss(draw, {Role::kInput, per_loss, dtype});
  View log_prob(draw, {Role::kInput, {rows, classes}, dtype});
  View target(draw, {Role::kInput, {rows}, draw.Pick(kTargets)});
  grad_loss.FillReals(draw);
  log_prob.FillReals(draw);
  target.FillIndices(draw, classes);
  std::unique_ptr<View> weight;
  if (draw.Flip()) {
    weight = std::make_unique<View>(draw, ViewSpec{Role::kInput, {classes}});
    weight->FillReals(draw);
  }
  const int64_t ignore_index = draw.Flip() ? -100 : draw.Number(-1, 8);

  // Reserved values: whether they are accepted depends on the settings.
  double smoothing = 0;
  double zloss_scale = 0;
  std::unique_ptr<View> grad_zloss;
  std::unique_ptr<View> lse;
  const uint8_t reserved = draw.Byte();
  if (reserved >= 128) {
    smoothing = (reserved & 1) != 0 ? draw.Real() : 0.25;
    if (!(smoothing >= 0 && smoothing <= 1)) draw.MarkStrange();
  }
  if ((reserved & 64) != 0) {
    zloss_scale = (reserved & 1) != 0 ? draw.Real() : 0.5;
    if ((reserved & 2) != 0) {
      grad_zloss = std::make_unique<View>(draw, ViewSpec{Role::kInput, per_loss, dtype});
      grad_zloss->FillReals(draw);
    }
    if ((reserved & 4) == 0) {
      lse = std::make_unique<View>(draw, ViewSpec{Role::kInput, {rows}, dtype});
      lse->FillReals(draw);
    } else {
      draw.MarkStrange();
    }
  }
  const bool in_place = draw.Byte() >= 192 && !log_prob.overlaps();
  std::unique_ptr<View> out;
  if (in_place) {
    log_prob.MakeOutputToo();
  } else {
    out = std::make_unique<View>(draw, ViewSpec{Role::kOutput, {rows, classes}, dtype});
  }
  const aclTensor* g = Spoilt(draw, grad_loss.handle());
  const aclTensor* l = Spoilt(draw, log_prob.handle());
  const aclTensor* t = Spoilt(draw, target.handle());
  const aclTensor* w = Spoilt(draw, weight ? weight->handle() : nullptr);
  aclTensor* x = Spoilt(draw, in_place ? log_prob.handle() : out->handle());

  OperatorCall call;
  call.views = {&grad_loss, &log_prob, &target};
  for (View* view : {weight.get(), grad_zloss.get(), lse.get(), out.get()}) {
    if (view != nullptr) call.views.push_back(view);
  }
  call.plan = [&](uint64_t* size, aclOpExecutor** executor) {
    return aclnnCrossEntropyLossGradGetWorkspaceSize(
        g, l, t, w, grad_zloss ? grad_zloss->handle() : nullptr, lse ? lse->handle() : nullptr,
        const_cast<char*>(reduction), ignore_index, smoothing, zloss_scale, x, size, executor);
  };
  call.run = &aclnnCrossEntropyLossGrad;
  Check(draw, call);
}

}  // namespace aclimb::fuzz
