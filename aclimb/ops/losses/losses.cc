// The C functions and the plans between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/losses/contracts.h"
#include "aclimb/ops/losses/loss_plan.h"

namespace aclimb::losses {
namespace {

// What a reduction makes of the sum of all losses, and of the gradient of each.
double FactorOf(int64_t reduction, double count) { return reduction == kMean ? 1 / count : 1; }

// Of a loss, whose first operands are self and target.
Result<PlanPointer> MakeLoss(const Arguments& arguments, Planner& planner, LossTask task,
                             int64_t reduction) {
  task.sums = reduction != kNone;
  task.factor = FactorOf(reduction, BroadcastCount(arguments, {0, 1}));
  return MakeLossPlan(arguments, planner, task);
}
// Of a gradient, whose first operand is that of the loss.
Result<PlanPointer> MakeGradient(const Arguments& arguments, Planner& planner, LossTask task,
                                 int64_t reduction) {
  task.factor = FactorOf(reduction, BroadcastCount(arguments, {1, 2}));
  return MakeLossPlan(arguments, planner, task);
}
int IfGiven(const Arguments& arguments, int parameter) {
  return arguments.Given(parameter) ? parameter : -1;
}

Result<PlanPointer> PlanL1Loss(const Arguments& arguments, Planner& planner) {
  return MakeLoss(arguments, planner,
                  {.formula = FormulaOf(Loss::kAbsoluteDifference),
                   .operands = {0, 1},
                   .operand_count = 2,
                   .out = l1_loss::kOut},
                  arguments.Integer(l1_loss::kReduction));
}
Result<PlanPointer> PlanL1LossBackward(const Arguments& arguments, Planner& planner) {
  return MakeGradient(arguments, planner,
                      {.formula = FormulaOf(Loss::kAbsoluteDifferenceGradient),
                       .operands = {0, 1, 2},
                       .operand_count = 3,
                       .out = l1_loss_backward::kGradInput},
                      arguments.Integer(l1_loss_backward::kReduction));
}

Result<PlanPointer> PlanSmoothL1Loss(const Arguments& arguments, Planner& planner) {
  return MakeLoss(arguments, planner,
                  {.formula = FormulaOf(Loss::kSmoothDifference),
                   .attribute = static_cast<float>(arguments.Real(smooth_l1_loss::kBeta)),
                   .operands = {0, 1},
                   .operand_count = 2,
                   .out = smooth_l1_loss::kResult},
                  arguments.Integer(smooth_l1_loss::kReduction));
}
Result<PlanPointer> PlanSmoothL1LossBackward(const Arguments& arguments, Planner& planner) {
  return MakeGradient(
      arguments, planner,
      {.formula = FormulaOf(Loss::kSmoothDifferenceGradient),
       .attribute = static_cast<float>(arguments.Real(smooth_l1_loss_backward::kBeta)),
       .operands = {0, 1, 2},
       .operand_count = 3,
       .out = smooth_l1_loss_backward::kGradInput},
      arguments.Integer(smooth_l1_loss_backward::kReduction));
}

Result<PlanPointer> PlanSoftMarginLoss(const Arguments& arguments, Planner& planner) {
  return MakeLoss(arguments, planner,
                  {.formula = FormulaOf(Loss::kSoftMargin),
                   .operands = {0, 1},
                   .operand_count = 2,
                   .out = soft_margin_loss::kOut},
                  arguments.Integer(soft_margin_loss::kReduction));
}
Result<PlanPointer> PlanSoftMarginLossBackward(const Arguments& arguments, Planner& planner) {
  return MakeGradient(arguments, planner,
                      {.formula = FormulaOf(Loss::kSoftMarginGradient),
                       .operands = {0, 1, 2},
                       .operand_count = 3,
                       .out = soft_margin_loss_backward::kOut},
                      arguments.Integer(soft_margin_loss_backward::kReduction));
}

Result<PlanPointer> PlanKlDiv(const Arguments& arguments, Planner& planner) {
  const bool logarithms = arguments.Bool(kl_div::kLogTarget);
  return MakeLoss(
      arguments, planner,
      {.formula = FormulaOf(logarithms ? Loss::kDivergenceOfLogarithms : Loss::kDivergence),
       .operands = {0, 1},
       .operand_count = 2,
       .out = kl_div::kOut},
      arguments.Integer(kl_div::kReduction));
}
Result<PlanPointer> PlanKlDivBackward(const Arguments& arguments, Planner& planner) {
  const int64_t reduction = arguments.Integer(kl_div_backward::kReduction);
  const bool logarithms = arguments.Bool(kl_div_backward::kLogTarget);
  LossTask task = {.formula = FormulaOf(logarithms ? Loss::kDivergenceOfLogarithmsGradient
                                                   : Loss::kDivergenceGradient),
                   .operands = {0, 1, 2},
                   .operand_count = 3,
                   .out = kl_div_backward::kOut};
  if (reduction != kMeanOfBatch) return MakeGradient(arguments, planner, task, reduction);
  const TensorDescriptor& self = arguments.Tensor(kl_div_backward::kSelf);
  task.factor = self.rank() == 0 ? 1 : 1 / static_cast<double>(self.shape[0]);
  return MakeLossPlan(arguments, planner, task);
}

Result<PlanPointer> PlanBinaryCrossEntropy(const Arguments& arguments, Planner& planner) {
  using namespace binary_cross_entropy;  // NOLINT: the positions
  return MakeLoss(arguments, planner,
                  {.formula = FormulaOf(Loss::kCrossEntropy),
                   .operands = {0, 1, IfGiven(arguments, kWeight)},
                   .operand_count = 3,
                   .out = binary_cross_entropy::kOut},
                  arguments.Integer(kReduction));
}
Result<PlanPointer> PlanBinaryCrossEntropyBackward(const Arguments& arguments, Planner& planner) {
  using namespace binary_cross_entropy_backward;  // NOLINT: the positions
  return MakeGradient(arguments, planner,
                      {.formula = FormulaOf(Loss::kCrossEntropyGradient),
                       .operands = {0, 1, 2, IfGiven(arguments, kWeight)},
                       .operand_count = 4,
                       .out = binary_cross_entropy_backward::kOut},
                      arguments.Integer(kReduction));
}

Result<PlanPointer> PlanBinaryCrossEntropyWithLogits(const Arguments& arguments, Planner& planner) {
  using namespace binary_cross_entropy_with_logits;  // NOLINT: the positions
  return MakeLoss(arguments, planner,
                  {.formula = FormulaOf(Loss::kCrossEntropyOfLogits),
                   .operands = {0, 1, IfGiven(arguments, kWeight), IfGiven(arguments, kPosWeight)},
                   .operand_count = 4,
                   .out = binary_cross_entropy_with_logits::kOut},
                  arguments.Integer(kReduction));
}
Result<PlanPointer> PlanBinaryCrossEntropyWithLogitsBackward(const Arguments& arguments,
                                                             Planner& planner) {
  using namespace binary_cross_entropy_with_logits_backward;  // NOLINT: the positions
  return MakeGradient(
      arguments, planner,
      {.formula = FormulaOf(Loss::kCrossEntropyOfLogitsGradient),
       .operands = {0, 1, 2, IfGiven(arguments, kWeight), IfGiven(arguments, kPosWeight)},
       .operand_count = 5,
       .out = binary_cross_entropy_with_logits_backward::kOut},
      arguments.Integer(kReduction));
}

}  // namespace
}  // namespace aclimb::losses

#define ACLIMB_OPERATOR_OF(Name, name, Stream)                                                 \
  namespace aclimb::losses {                                                                   \
  constinit static Operator name##_operator(name::kContract, Plan##Name);                      \
  }                                                                                            \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                  \
                                     aclOpExecutor* executor, Stream stream) {                 \
    return aclimb::Phase2(aclimb::losses::name##_operator, workspace, workspaceSize, executor, \
                          stream);                                                             \
  }

ACLIMB_OPERATOR_OF(L1Loss, l1_loss, aclrtStream)
ACLIMB_OPERATOR_OF(L1LossBackward, l1_loss_backward, aclrtStream)
ACLIMB_OPERATOR_OF(SmoothL1Loss, smooth_l1_loss, aclrtStream)
ACLIMB_OPERATOR_OF(SmoothL1LossBackward, smooth_l1_loss_backward, aclrtStream)
ACLIMB_OPERATOR_OF(SoftMarginLoss, soft_margin_loss, aclrtStream)
ACLIMB_OPERATOR_OF(SoftMarginLossBackward, soft_margin_loss_backward, aclrtStream)
ACLIMB_OPERATOR_OF(KlDiv, kl_div, aclrtStream)
ACLIMB_OPERATOR_OF(KlDivBackward, kl_div_backward, aclrtStream)
ACLIMB_OPERATOR_OF(BinaryCrossEntropy, binary_cross_entropy, aclrtStream)
ACLIMB_OPERATOR_OF(BinaryCrossEntropyBackward, binary_cross_entropy_backward, aclrtStream)
ACLIMB_OPERATOR_OF(BinaryCrossEntropyWithLogits, binary_cross_entropy_with_logits, aclrtStream)
ACLIMB_OPERATOR_OF(BinaryCrossEntropyWithLogitsBackward, binary_cross_entropy_with_logits_backward,
                   const aclrtStream)

extern "C" aclnnStatus aclnnL1LossGetWorkspaceSize(const aclTensor* self, const aclTensor* target,
                                                   int64_t reduction, aclTensor* out,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::l1_loss_operator, workspaceSize, executor, self, target,
                        reduction, out);
}
extern "C" aclnnStatus aclnnL1LossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::l1_loss_backward_operator, workspaceSize, executor,
                        gradOutput, self, target, reduction, gradInput);
}
extern "C" aclnnStatus aclnnSmoothL1LossGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* target, int64_t reduction,
                                                         float beta, aclTensor* result,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::smooth_l1_loss_operator, workspaceSize, executor, self,
                        target, reduction, beta, result);
}
extern "C" aclnnStatus aclnnSmoothL1LossBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* self, const aclTensor* target, int64_t reduction,
    float beta, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::smooth_l1_loss_backward_operator, workspaceSize, executor,
                        gradOut, self, target, reduction, beta, gradInput);
}
extern "C" aclnnStatus aclnnSoftMarginLossGetWorkspaceSize(const aclTensor* self,
                                                           const aclTensor* target,
                                                           int64_t reduction, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::soft_margin_loss_operator, workspaceSize, executor, self,
                        target, reduction, out);
}
extern "C" aclnnStatus aclnnSoftMarginLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::soft_margin_loss_backward_operator, workspaceSize, executor,
                        gradOutput, self, target, reduction, out);
}
extern "C" aclnnStatus aclnnKlDivGetWorkspaceSize(const aclTensor* self, const aclTensor* target,
                                                  int64_t reduction, bool logTarget, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::kl_div_operator, workspaceSize, executor, self, target,
                        reduction, logTarget, out);
}
extern "C" aclnnStatus aclnnKlDivBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    bool logTarget, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::kl_div_backward_operator, workspaceSize, executor,
                        gradOutput, self, target, reduction, logTarget, out);
}
extern "C" aclnnStatus aclnnBinaryCrossEntropyGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, const aclTensor* weight, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::binary_cross_entropy_operator, workspaceSize, executor,
                        self, target, weight, reduction, out);
}
extern "C" aclnnStatus aclnnBinaryCrossEntropyBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
    const aclTensor* weightOptional, int64_t reduction, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::binary_cross_entropy_backward_operator, workspaceSize,
                        executor, gradOutput, self, target, weightOptional, reduction, out);
}
extern "C" aclnnStatus aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, const aclTensor* weightOptional,
    const aclTensor* posWeightOptional, int64_t reduction, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::binary_cross_entropy_with_logits_operator, workspaceSize,
                        executor, self, target, weightOptional, posWeightOptional, reduction, out);
}
extern "C" aclnnStatus aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
    const aclTensor* weightOptional, const aclTensor* posWeightOptional, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::losses::binary_cross_entropy_with_logits_backward_operator,
                        workspaceSize, executor, gradOutput, self, target, weightOptional,
                        posWeightOptional, reduction, out);
}
