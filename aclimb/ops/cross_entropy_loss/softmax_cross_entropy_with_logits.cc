// aclnnSoftmaxCrossEntropyWithLogits: the C entry points and the plan between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/cross_entropy_loss/probabilities.h"
#include "aclimb/ops/cross_entropy_loss/probabilities_contract.h"

namespace aclimb::cross_entropy_loss {
namespace {

struct ProbabilitiesPlan final : Plan {
  void Run(const RunContext& run) const override {
    RunWithProbabilities({.features = run.View(Probabilities::kFeatures),
                          .labels = run.View(Probabilities::kLabels),
                          .loss = run.View(Probabilities::kLoss),
                          .backprop = run.View(Probabilities::kBackprop)});
  }
};

Result<PlanPointer> MakeProbabilitiesPlan(const contract::Arguments& arguments, Planner& planner) {
  // Without classes, the loss of a row is still 0.
  if (arguments.Tensor(Probabilities::kLoss).IsEmpty()) return PlanPointer();
  planner.Reads(Probabilities::kFeatures);
  planner.Reads(Probabilities::kLabels);
  planner.Writes(Probabilities::kLoss);
  planner.Writes(Probabilities::kBackprop);
  // Two exponentials for each element.
  const auto count = static_cast<double>(arguments.Tensor(Probabilities::kFeatures).ElementCount());
  planner.Costs({.cycles = 4 * count});
  return PlanPointer(NewPlan<ProbabilitiesPlan>());
}

constinit Operator kProbabilities(kProbabilitiesContract, MakeProbabilitiesPlan);

}  // namespace
}  // namespace aclimb::cross_entropy_loss

extern "C" aclnnStatus aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(
    const aclTensor* features, aclTensor* labels, aclTensor* loss, aclTensor* backprop,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::cross_entropy_loss::kProbabilities, workspaceSize, executor,
                        features, labels, loss, backprop);
}

extern "C" aclnnStatus aclnnSoftmaxCrossEntropyWithLogits(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          const aclrtStream stream) {
  return aclimb::Phase2(aclimb::cross_entropy_loss::kProbabilities, workspace, workspaceSize,
                        executor, stream);
}
