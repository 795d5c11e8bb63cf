// aclnnSoftshrink: the C entry points and the plan between them.

#include "aclimb/elementwise/elementwise.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/softshrink/contract.h"
#include "aclimb/ops/softshrink/formulas.h"

namespace aclimb::softshrink {
namespace {

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const Attributes attributes = {.lambd = arguments.Scalar(kLambd).ToFloat()};
  return elementwise::MakePlan(planner, arguments, {.inputs = {kSelf}, .output = kOut},
                               {&FormulaRuns, 0}, attributes);
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::softshrink

extern "C" aclnnStatus aclnnSoftshrinkGetWorkspaceSize(const aclTensor* self,
                                                       const aclScalar* lambd, aclTensor* out,
                                                       uint64_t* workspaceSize,
                                                       aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::softshrink::kOperator, workspaceSize, executor, self, lambd, out);
}

extern "C" aclnnStatus aclnnSoftshrink(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::softshrink::kOperator, workspace, workspaceSize, executor, stream);
}
