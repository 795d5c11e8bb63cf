// aclnnCrossEntropyLossGrad: the C entry points and the plan between them.

#include <memory>

#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/cross_entropy_loss_grad/contract.h"
#include "aclimb/ops/cross_entropy_loss_grad/cpu.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"

namespace aclimb::cross_entropy_loss_grad {
namespace {

// The attributes, and which optional tensors the run reads. Needs no workspace.
struct CrossEntropyLossGradPlan final : Plan {
  Reduction reduction = Reduction::kMean;
  int64_t ignore_index = 0;
  double label_smoothing = 0;
  double lse_square_scale = 0;
  bool reads_weight = false;
  bool reads_grad_zloss = false;

  void Run(const RunContext& run) const override {
    const bool zloss = lse_square_scale != 0;
    RunOnCpu({.grad_loss = run.View(kGradLoss),
              .log_prob = run.View(kLogProb),
              .target = run.View(kTarget),
              .weight = reads_weight ? run.View(kWeight) : TensorView(),
              .grad_zloss = reads_grad_zloss ? run.View(kGradZloss) : TensorView(),
              .lse_for_zloss = zloss ? run.View(kLseForZloss) : TensorView(),
              .x_grad = run.View(kXGradOut),
              .reduction = reduction,
              .ignore_index = ignore_index,
              .label_smoothing = label_smoothing,
              .lse_square_scale = lse_square_scale});
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    const int64_t classes = run.View(kLogProb).shape[1];
    InspectRange(
        inspector, "check/data/label-range", "target", run.View(kTarget),
        {.begin = 0,
         .end = classes,
         .excepted = ignore_index,
         .because = Cat("logProb has ", classes, " classes; ignoreIndex is ", ignore_index)});
  }
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kLogProb).IsEmpty()) return PlanPointer();
  auto plan = NewPlan<CrossEntropyLossGradPlan>();
  const std::string_view reduction = ReductionOf(arguments);
  plan->reduction = reduction == "none"  ? Reduction::kNone
                    : reduction == "sum" ? Reduction::kSum
                                         : Reduction::kMean;
  plan->ignore_index = arguments.Integer(kIgnoreIndex);
  plan->label_smoothing = arguments.Real(kLabelSmoothing);
  plan->lse_square_scale = arguments.Real(kLseSquareScale);
  const bool zloss = plan->lse_square_scale != 0;
  plan->reads_weight = arguments.Given(kWeight);
  plan->reads_grad_zloss = zloss && ZlossGiven(arguments, kGradZloss);
  planner.Reads(kGradLoss);
  planner.Reads(kLogProb);
  planner.Reads(kTarget);
  if (plan->reads_weight) planner.Reads(kWeight);
  if (plan->reads_grad_zloss) planner.Reads(kGradZloss);
  if (zloss) planner.Reads(kLseForZloss);
  planner.Writes(kXGradOut);
  // An exponential for each element takes longer than to read and write it in a half type.
  planner.Costs({.cycles = 1.5 * static_cast<double>(arguments.Tensor(kLogProb).ElementCount())});
  return PlanPointer(std::move(plan));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::cross_entropy_loss_grad

extern "C" aclnnStatus aclnnCrossEntropyLossGradGetWorkspaceSize(
    const aclTensor* gradLoss, const aclTensor* logProb, const aclTensor* target,
    const aclTensor* weightOptional, const aclTensor* gradZlossOptional,
    const aclTensor* lseForZlossOptional, const char* reduction, int64_t ignoreIndex,
    double labelSmoothing, double lseSquareScaleForZloss, aclTensor* xGradOut,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::cross_entropy_loss_grad::kOperator, workspaceSize, executor,
                        gradLoss, logProb, target, weightOptional, gradZlossOptional,
                        lseForZlossOptional, reduction, ignoreIndex, labelSmoothing,
                        lseSquareScaleForZloss, xGradOut);
}

extern "C" aclnnStatus aclnnCrossEntropyLossGrad(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::cross_entropy_loss_grad::kOperator, workspace, workspaceSize,
                        executor, stream);
}
