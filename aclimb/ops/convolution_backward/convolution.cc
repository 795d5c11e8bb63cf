// aclnnConvolution: the C entry points and the plan between them. A convolution is what the
// gradient of a transposed one computes for its input, and the other way round: the engines are the
// same.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/convolution_backward/forward_contract.h"
#include "aclimb/ops/convolution_backward/plan.h"
#include "aclnnop/aclnn_convolution.h"

namespace aclimb::convolution_backward::forward {
namespace {

PlanPointer BuildPlan(const contract::Arguments& arguments, Planner& planner) {
  const bool transposed = arguments.Bool(kTransposed);
  // The gradient whose gradOutput is our input and whose gradInput is our output.
  PlanBuilder builder(
      planner,
      GeometryOf(arguments, kAt, transposed ? kOutput : kInput, transposed ? kInput : kOutput),
      !transposed, PlaceOf(arguments, kInput), PlaceOf(arguments, kOutput),
      PlaceOf(arguments, kWeight));
  builder.AddOutput(PlaceOf(arguments, kOutput),
                    arguments.Given(kBias) ? PlaceOf(arguments, kBias) : Place());
  return builder.Take();
}

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kOutput).IsEmpty()) return PlanPointer();
  planner.Reads(kInput);
  planner.Reads(kWeight);
  if (arguments.Given(kBias)) planner.Reads(kBias);
  planner.Writes(kOutput);
  return BuildPlan(arguments, planner);
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::convolution_backward::forward

extern "C" aclnnStatus aclnnConvolutionGetWorkspaceSize(
    const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
    const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation,
    bool transposed, const aclIntArray* outputPadding, const int64_t groups, aclTensor* output,
    int8_t cubeMathType, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::convolution_backward::forward::kOperator, workspaceSize, executor,
                        input, weight, bias, stride, padding, dilation, transposed, outputPadding,
                        groups, output, cubeMathType);
}

extern "C" aclnnStatus aclnnConvolution(void* workspace, const uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::convolution_backward::forward::kOperator, workspace, workspaceSize,
                        executor, stream);
}
