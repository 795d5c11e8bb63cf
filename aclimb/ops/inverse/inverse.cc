// aclnnInverse: the C entry points and the choice of a plan.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/inverse/condition.h"
#include "aclimb/ops/inverse/contract.h"
#include "aclimb/ops/inverse/plans.h"

namespace aclimb::inverse {
namespace {

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  const TensorView out = arguments.Tensor(kOut).View();
  const bool in_float =
      IsInvertedInFloat(arguments.Tensor(kSelf).dtype, out.dtype, out.shape[out.rank - 1]);
  return in_float ? MakeFloatPlan(arguments, planner) : MakeDoublePlan(arguments, planner);
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::inverse

extern "C" aclnnStatus aclnnInverseGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::inverse::kOperator, workspaceSize, executor, self, out);
}

extern "C" aclnnStatus aclnnInverse(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::inverse::kOperator, workspace, workspaceSize, executor, stream);
}
