// aclnnEluBackward: the C entry points and the plan between them.

#include "aclimb/elementwise/elementwise.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/ops/elu_backward/formulas.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace aclimb::elu_backward {
namespace {

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  // As float32 whatever the scalars' dtypes are.
  const Attributes attributes = {.alpha = arguments.Scalar(kAlpha).ToFloat(),
                                 .scale = arguments.Scalar(kScale).ToFloat(),
                                 .input_scale = arguments.Scalar(kInputScale).ToFloat()};
  return elementwise::MakePlan(planner, arguments,
                               {.inputs = {kGradOutput, kSelfOrResult}, .output = kGradInput},
                               FormulaOf(attributes, arguments.Bool(kIsResult)), attributes);
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::elu_backward

extern "C" aclnnStatus aclnnEluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale,
    const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::elu_backward::kOperator, workspaceSize, executor, gradOutput, alpha,
                        scale, inputScale, isResult, selfOrResult, gradInput);
}

extern "C" aclnnStatus aclnnEluBackward(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::elu_backward::kOperator, workspace, workspaceSize, executor,
                        stream);
}
