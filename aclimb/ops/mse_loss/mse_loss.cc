// aclnnMseLoss and aclnnMseLossBackward: the C entry points and the plans between them.

#include <utility>

#include "aclimb/contract/broadcast.h"
#include "aclimb/copy/cast.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/elementwise/elementwise.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/mse_loss/contract.h"
#include "aclimb/ops/mse_loss/formulas.h"
#include "aclimb/ops/mse_loss/sum.h"

namespace aclimb::mse_loss {
namespace {

// The mean or the sum of all squares. Needs no workspace.
struct ReducedPlan final : Plan {
  TensorView shape;  // that both inputs broadcast to
  double divisor = 1;

  void Run(const RunContext& run) const override {
    const double sum = SumOfSquares(BroadcastTo(run.View(Forward::kSelf), shape),
                                    BroadcastTo(run.View(Forward::kTarget), shape));
    StoreRoundedOnce(sum / divisor, run.View(Forward::kOut));
  }
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  using P = Forward;
  const int64_t reduction = arguments.Integer(P::kReduction);
  if (reduction == kNone) {
    return elementwise::MakePlan(planner, arguments,
                                 {.inputs = {P::kSelf, P::kTarget}, .output = P::kOut},
                                 {&FormulaRuns, kSquare});
  }
  auto plan = NewPlan<ReducedPlan>();
  size_t rank = 0;
  contract::BroadcastInto(arguments.Tensor(P::kSelf).shape, plan->shape.shape, rank);
  contract::BroadcastInto(arguments.Tensor(P::kTarget).shape, plan->shape.shape, rank);
  plan->shape.rank = static_cast<int>(rank);
  const auto count = static_cast<double>(plan->shape.ElementCount());
  if (reduction == kMean) plan->divisor = count;
  planner.Reads(P::kSelf);
  planner.Reads(P::kTarget);
  planner.Writes(P::kOut);
  planner.Costs({.cycles = count});
  return PlanPointer(std::move(plan));
}

Result<PlanPointer> MakeBackwardPlan(const contract::Arguments& arguments, Planner& planner) {
  using P = Backward;
  const auto count = static_cast<double>(arguments.Tensor(P::kSelf).ElementCount());
  const bool mean = arguments.Integer(P::kReduction) == kMean;
  const Attributes attributes = {.factor = static_cast<float>(mean ? 2 / count : 2)};
  return elementwise::MakePlan(
      planner, arguments, {.inputs = {P::kGradOutput, P::kSelf, P::kTarget}, .output = P::kOut},
      {&FormulaRuns, kGradient}, attributes);
}

constinit Operator kMseLoss(kMseLossContract, MakePlan);
constinit Operator kMseLossBackward(kMseLossBackwardContract, MakeBackwardPlan);

}  // namespace
}  // namespace aclimb::mse_loss

extern "C" aclnnStatus aclnnMseLossGetWorkspaceSize(const aclTensor* self, const aclTensor* target,
                                                    int64_t reduction, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::mse_loss::kMseLoss, workspaceSize, executor, self, target,
                        reduction, out);
}

extern "C" aclnnStatus aclnnMseLoss(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::mse_loss::kMseLoss, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnMseLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::mse_loss::kMseLossBackward, workspaceSize, executor, gradOutput,
                        self, target, reduction, out);
}

extern "C" aclnnStatus aclnnMseLossBackward(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::mse_loss::kMseLossBackward, workspace, workspaceSize, executor,
                        stream);
}
