// aclnnCrossEntropyLoss: the C entry points and the plan between them.

#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/cross_entropy_loss/contract.h"
#include "aclimb/ops/cross_entropy_loss/cpu.h"

namespace aclimb::cross_entropy_loss {
namespace {

// The attributes, and which optional tensors the run touches. Needs no workspace.
struct CrossEntropyLossPlan final : Plan {
  Reduction reduction = Reduction::kMean;
  int64_t ignore_index = 0;
  double label_smoothing = 0;
  double lse_square_scale = 0;
  bool reads_weight = false;
  bool writes_zloss = false;
  bool writes_lse = false;

  void Run(const RunContext& run) const override {
    const bool all_known = RunOnCpu({.input = run.View(kInput),
                                     .target = run.View(kTarget),
                                     .weight = reads_weight ? run.View(kWeight) : TensorView(),
                                     .log_prob = run.View(kLogProbOut),
                                     .loss = run.View(kLossOut),
                                     .zloss = writes_zloss ? run.View(kZlossOut) : TensorView(),
                                     .lse = writes_lse ? run.View(kLseForZlossOut) : TensorView(),
                                     .reduction = reduction,
                                     .ignore_index = ignore_index,
                                     .label_smoothing = label_smoothing,
                                     .lse_square_scale = lse_square_scale});
    if (!all_known) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    const int64_t classes = run.View(kInput).shape[1];
    InspectRange(
        inspector, "check/data/label-range", "target", run.View(kTarget),
        {.begin = 0,
         .end = classes,
         .excepted = ignore_index,
         .because = Cat("input has ", classes, " classes; ignoreIndex is ", ignore_index)});
  }
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  // Without rows, the loss of all is still 0 or NaN.
  if (arguments.Tensor(kLossOut).IsEmpty()) return PlanPointer();
  auto plan = NewPlan<CrossEntropyLossPlan>();
  const std::string_view reduction = ReductionOf(arguments);
  plan->reduction = reduction == "none"  ? Reduction::kNone
                    : reduction == "sum" ? Reduction::kSum
                                         : Reduction::kMean;
  plan->ignore_index = arguments.Integer(kIgnoreIndex);
  plan->label_smoothing = arguments.Real(kLabelSmoothing);
  plan->lse_square_scale = arguments.Real(kLseSquareScale);
  plan->reads_weight = arguments.Given(kWeight);
  plan->writes_zloss = ZlossGiven(arguments, kZlossOut);
  plan->writes_lse = ZlossGiven(arguments, kLseForZlossOut);
  planner.Reads(kInput);
  planner.Reads(kTarget);
  if (plan->reads_weight) planner.Reads(kWeight);
  planner.Writes(kLogProbOut);
  planner.Writes(kLossOut);
  if (plan->writes_zloss) planner.Writes(kZlossOut);
  if (plan->writes_lse) planner.Writes(kLseForZlossOut);
  // An exponential, a maximum and a difference for each element.
  planner.Costs({.cycles = 2.0 * static_cast<double>(arguments.Tensor(kInput).ElementCount())});
  return PlanPointer(std::move(plan));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::cross_entropy_loss

extern "C" aclnnStatus aclnnCrossEntropyLossGetWorkspaceSize(
    const aclTensor* input, const aclTensor* target, const aclTensor* weightOptional,
    const char* reductionOptional, int64_t ignoreIndex, double labelSmoothing,
    double lseSquareScaleForZloss, bool returnZloss, const aclTensor* lossOut,
    const aclTensor* logProbOut, const aclTensor* zlossOut, const aclTensor* lseForZlossOut,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::cross_entropy_loss::kOperator, workspaceSize, executor, input,
                        target, weightOptional, reductionOptional, ignoreIndex, labelSmoothing,
                        lseSquareScaleForZloss, returnZloss, lossOut, logProbOut, zlossOut,
                        lseForZlossOut);
}

extern "C" aclnnStatus aclnnCrossEntropyLoss(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::cross_entropy_loss::kOperator, workspace, workspaceSize, executor,
                        stream);
}
