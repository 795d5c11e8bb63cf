// aclnnAminmax, aclnnAminmaxDim and aclnnAminmaxAll: the plan of both folds and the C functions.

#include <utility>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/reduce/extremes_contracts.h"
#include "aclimb/reduction/reduction.h"

namespace aclimb::reduce {
namespace {

struct BothPlan final : Plan {
  BothPlan(PlanPointer first, PlanPointer second)
      : least(std::move(first)), greatest(std::move(second)) {}

  void Run(const RunContext& run) const override {
    least->Run(run);
    greatest->Run(run);
  }

  const PlanPointer least;
  const PlanPointer greatest;
};

// The elements are read twice.
template <typename At, int kDimensions>
Result<PlanPointer> PlanBoth(const contract::Arguments& arguments, Planner& planner) {
  const auto plan = [&](reduction::Fold fold, int out) {
    return reduction::MakePlan(
        planner, arguments,
        {.fold = fold,
         .input = kSelf,
         .reduced = contract::ReducedDimensions(arguments, kSelf, kDimensions),
         .outputs = {reduction::Output{.parameter = out}}});
  };
  Result<PlanPointer> least = plan(reduction::Fold::kMin, At::kMinOut);
  if (!least.ok() || least.value() == nullptr) return least;
  const double cycles = planner.cost().cycles;
  Result<PlanPointer> greatest = plan(reduction::Fold::kMax, At::kMaxOut);
  if (!greatest.ok()) return greatest;
  planner.Costs({.cycles = cycles + planner.cost().cycles});
  return PlanPointer(NewPlan<BothPlan>(std::move(least.value()), std::move(greatest.value())));
}

constinit Operator aminmax_operator(aminmax::kContract, PlanBoth<Both, kDims>);
constinit Operator aminmax_dim_operator(aminmax_dim::kContract, PlanBoth<Both, kDims>);
constinit Operator aminmax_all_operator(aminmax_all::kContract, PlanBoth<BothOfAll, -1>);

}  // namespace
}  // namespace aclimb::reduce

using namespace aclimb::reduce;  // NOLINT: the operators

aclnnStatus aclnnAminmaxGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim,
                                         bool keepDim, aclTensor* minOut, aclTensor* maxOut,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aminmax_operator, workspaceSize, executor, self, dim, keepDim, minOut,
                        maxOut);
}
aclnnStatus aclnnAminmax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                         aclrtStream stream) {
  return aclimb::Phase2(aminmax_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnAminmaxDimGetWorkspaceSize(const aclTensor* self, const int64_t dim, bool keepDim,
                                            aclTensor* minOut, aclTensor* maxOut,
                                            uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aminmax_dim_operator, workspaceSize, executor, self, dim, keepDim, minOut,
                        maxOut);
}
aclnnStatus aclnnAminmaxDim(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                            aclrtStream stream) {
  return aclimb::Phase2(aminmax_dim_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnAminmaxAllGetWorkspaceSize(const aclTensor* self, aclTensor* minOut,
                                            aclTensor* maxOut, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return aclimb::Phase1(aminmax_all_operator, workspaceSize, executor, self, minOut, maxOut);
}
aclnnStatus aclnnAminmaxAll(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                            aclrtStream stream) {
  return aclimb::Phase2(aminmax_all_operator, workspace, workspaceSize, executor, stream);
}
