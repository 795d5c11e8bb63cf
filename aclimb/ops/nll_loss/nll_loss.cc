// aclnnNLLLoss, aclnnNLLLoss2d and their gradients: the C entry points and the plans between them.

#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/nll_loss/contract.h"
#include "aclimb/ops/nll_loss/cpu.h"

namespace aclimb::nll_loss {
namespace {

// P has the positions of the parameters. Needs no workspace.
template <class P>
struct NLLLossPlan final : Plan {
  static constexpr bool kIsGradient = std::is_same_v<P, Backward>;

  int class_dim = 0;
  int64_t reduction = 0;
  int64_t ignore_index = 0;

  void Run(const RunContext& run) const override {
    Args args = {.self = {},
                 .target = run.View(P::kTarget),
                 .weight = run.View(P::kWeight),
                 .loss = {},
                 .total_weight = run.View(P::kTotalWeight),
                 .class_dim = class_dim,
                 .per_position = reduction == kNone,
                 .mean = reduction == kMean,
                 .ignore_index = ignore_index};
    if constexpr (kIsGradient) {
      args.self = run.View(P::kOut);
      args.loss = run.View(P::kGradOutput);
    } else {
      args.self = run.View(P::kSelf);
      args.loss = run.View(P::kOut);
    }
    // [1] goes with a target of rank 0 too.
    if (args.target.rank == 0) args.loss.rank = 0;
    const bool all_known = kIsGradient ? ComputeGradient(args) : ComputeLoss(args);
    if (!all_known) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    const int64_t classes = run.View(P::kWeight).shape[0];
    InspectRange(inspector, "check/data/label-range", "target", run.View(P::kTarget),
                 {.begin = 0,
                  .end = classes,
                  .excepted = ignore_index,
                  .because = Cat("self has ", classes, " classes; ignoreIndex is ", ignore_index)});
  }
};

template <class P>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  auto plan = NewPlan<NLLLossPlan<P>>();
  plan->reduction = arguments.Integer(P::kReduction);
  plan->ignore_index = arguments.Integer(P::kIgnoreIndex);
  const int rank = arguments.Tensor(P::kSelf).rank();
  plan->class_dim = rank == 4 ? 1 : rank - 1;
  planner.Reads(P::kTarget);
  planner.Reads(P::kWeight);
  planner.Writes(P::kOut);
  const auto positions = static_cast<double>(arguments.Tensor(P::kTarget).ElementCount());
  double cycles = 10 * positions;
  if constexpr (std::is_same_v<P, Backward>) {
    if (arguments.Tensor(P::kOut).IsEmpty()) return PlanPointer();
    planner.Reads(P::kGradOutput);
    if (plan->reduction == kMean) planner.Reads(P::kTotalWeight);
    cycles += 0.1 * static_cast<double>(arguments.Tensor(P::kOut).ElementCount());
  } else {
    planner.Reads(P::kSelf);
    planner.Writes(P::kTotalWeight);
  }
  planner.Costs({.cycles = cycles});
  return PlanPointer(std::move(plan));
}

constinit Operator kNLLLoss(kNLLLossContract, MakePlan<Forward>);
constinit Operator kNLLLoss2d(kNLLLoss2dContract, MakePlan<Forward>);
constinit Operator kNLLLossBackward(kNLLLossBackwardContract, MakePlan<Backward>);
constinit Operator kNLLLoss2dBackward(kNLLLoss2dBackwardContract, MakePlan<Backward>);

}  // namespace
}  // namespace aclimb::nll_loss

#define ACLIMB_FORWARD(Name)                                                                      \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                           \
      const aclTensor* self, const aclTensor* target, const aclTensor* weight, int64_t reduction, \
      int64_t ignoreIndex, aclTensor* out, aclTensor* totalWeightOut, uint64_t* workspaceSize,    \
      aclOpExecutor** executor) {                                                                 \
    return aclimb::Phase1(aclimb::nll_loss::k##Name, workspaceSize, executor, self, target,       \
                          weight, reduction, ignoreIndex, out, totalWeightOut);                   \
  }
#define ACLIMB_BACKWARD(Name, Total)                                                            \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                         \
      const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,              \
      const aclTensor* weight, int64_t reduction, int64_t ignoreIndex, Total* totalWeight,      \
      aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {                      \
    return aclimb::Phase1(aclimb::nll_loss::k##Name, workspaceSize, executor, gradOutput, self, \
                          target, weight, reduction, ignoreIndex, totalWeight, out);            \
  }
#define ACLIMB_PHASE_2(Name)                                                                      \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                     \
                                     aclOpExecutor* executor, aclrtStream stream) {               \
    return aclimb::Phase2(aclimb::nll_loss::k##Name, workspace, workspaceSize, executor, stream); \
  }

ACLIMB_FORWARD(NLLLoss)
ACLIMB_PHASE_2(NLLLoss)
ACLIMB_FORWARD(NLLLoss2d)
ACLIMB_PHASE_2(NLLLoss2d)
ACLIMB_BACKWARD(NLLLossBackward, const aclTensor)
ACLIMB_PHASE_2(NLLLossBackward)
ACLIMB_BACKWARD(NLLLoss2dBackward, aclTensor)
ACLIMB_PHASE_2(NLLLoss2dBackward)
