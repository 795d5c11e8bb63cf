// aclnnAmpUpdateScale: the C entry points and the plan between them.

#include <cmath>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/amp_update_scale/contract.h"

namespace aclimb::amp_update_scale {
namespace {

struct UpdatePlan final : Plan {
  UpdatePlan(double growth_factor, double backoff_factor, int64_t growth_interval)
      : growth(growth_factor), backoff(backoff_factor), interval(growth_interval) {}

  void Run(const RunContext& run) const override {
    float scale = *static_cast<const float*>(run.Data(kScale));
    int32_t tracker = *static_cast<const int32_t*>(run.Data(kTracker));
    if (*static_cast<const float*>(run.Data(kFoundInf)) != 0) {
      scale = static_cast<float>(scale * backoff);
      tracker = 0;
    } else if (int64_t{tracker} + 1 == interval) {
      const auto grown = static_cast<float>(scale * growth);
      if (std::isfinite(grown)) scale = grown;
      tracker = 0;
    } else {
      tracker = static_cast<int32_t>(static_cast<uint32_t>(tracker) + 1);
    }
    *static_cast<float*>(run.Data(kNewScale)) = scale;
    *static_cast<int32_t*>(run.Data(kNewTracker)) = tracker;
  }

  double growth, backoff;
  int64_t interval;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  for (const int tensor : {kScale, kTracker, kFoundInf}) planner.Reads(tensor);
  for (const int tensor : {kNewScale, kNewTracker}) planner.Writes(tensor);
  return PlanPointer(NewPlan<UpdatePlan>(arguments.Real(kGrowthFactor),
                                         arguments.Real(kBackoffFactor),
                                         arguments.Integer(kGrowthInterval)));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::amp_update_scale

extern "C" aclnnStatus aclnnAmpUpdateScaleGetWorkspaceSize(
    const aclTensor* currentScale, const aclTensor* growthTracker, const aclTensor* foundInf,
    double growthFactor, double backoffFactor, int64_t growthInterval, aclTensor* updatedScale,
    aclTensor* updatedGrowthTracker, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::amp_update_scale::kOperator, workspaceSize, executor, currentScale,
                        growthTracker, foundInf, growthFactor, backoffFactor, growthInterval,
                        updatedScale, updatedGrowthTracker);
}

extern "C" aclnnStatus aclnnAmpUpdateScale(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::amp_update_scale::kOperator, workspace, workspaceSize, executor,
                        stream);
}
