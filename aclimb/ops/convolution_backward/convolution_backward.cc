// aclnnConvolutionBackward: the C entry points and the plan between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/convolution_backward/contract.h"
#include "aclimb/ops/convolution_backward/plan.h"
#include "aclimb/pieces/pieces.h"
#include "aclnnop/aclnn_convolution_backward.h"

namespace aclimb::convolution_backward {
namespace {

PlanPointer BuildPlan(const contract::Arguments& arguments, Planner& planner) {
  const bool transposed = arguments.Bool(kTransposed);
  PlanBuilder builder(planner,
                      GeometryOf(arguments, kAt, transposed ? kGradOutput : kInput,
                                 transposed ? kInput : kGradOutput),
                      transposed, PlaceOf(arguments, kGradOutput), PlaceOf(arguments, kInput),
                      PlaceOf(arguments, kWeight));
  const auto wanted = [&](size_t index, int parameter) {
    return arguments.Bools(kOutputMask)[index] != 0 ? PlaceOf(arguments, parameter) : Place();
  };
  builder.AddGradients(wanted(0, kGradInput), wanted(1, kGradWeight));
  const Place grad_bias = wanted(2, kGradBias);
  if (grad_bias.Exists()) builder.AddGradBias(grad_bias);
  return builder.Take();
}

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const BoolArrayValue& mask = arguments.Bools(kOutputMask);
  const bool grad_input = mask[0] != 0, grad_weight = mask[1] != 0, grad_bias = mask[2] != 0;
  if (IsEmptyCase(arguments)) {
    // Nothing was convolved: the gradients of weight and bias are sums of no terms.
    pieces::Pieces zeros;
    if (grad_weight) zeros.Fill(0.0, pieces::View(arguments, kGradWeight));
    if (grad_bias) zeros.Fill(0.0, pieces::View(arguments, kGradBias));
    return zeros.Finish(planner);
  }
  if (!grad_input && !grad_weight && !grad_bias) return PlanPointer();

  planner.Reads(kGradOutput);
  if (grad_input) planner.Reads(kWeight);
  if (grad_weight) planner.Reads(kInput);
  if (grad_input) planner.Writes(kGradInput);
  if (grad_weight) planner.Writes(kGradWeight);
  if (grad_bias) planner.Writes(kGradBias);
  return BuildPlan(arguments, planner);
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::convolution_backward

extern "C" aclnnStatus aclnnConvolutionBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* weight,
    const aclIntArray* biasSizes, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, const bool transposed, const aclIntArray* outputPadding,
    const int groups, const aclBoolArray* outputMask, int8_t cubeMathType, aclTensor* gradInput,
    aclTensor* gradWeight, aclTensor* gradBias, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::convolution_backward::kOperator, workspaceSize, executor,
                        gradOutput, input, weight, biasSizes, stride, padding, dilation, transposed,
                        outputPadding, groups, outputMask, cubeMathType, gradInput, gradWeight,
                        gradBias);
}

extern "C" aclnnStatus aclnnConvolutionBackward(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::convolution_backward::kOperator, workspace, workspaceSize, executor,
                        stream);
}
