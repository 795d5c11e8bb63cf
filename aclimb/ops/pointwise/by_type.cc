// What frameworks call by type name: activations with attributes, and gradients of activations.

#include "aclimb/executor/by_type.h"

#include "pointwise_headers.h"

namespace aclimb::pointwise::by_type {
namespace {

// From the result and its gradient.
const ByType kSigmoidGrad(
    "SigmoidGrad",
    &AnswerDirectly<&aclnnSigmoidBackwardGetWorkspaceSize, &aclnnSigmoidBackward, 1, 0>);
const ByType kTanhGrad(
    "TanhGrad", &AnswerDirectly<&aclnnTanhBackwardGetWorkspaceSize, &aclnnTanhBackward, 1, 0>);
// From the result's gradient and x.
const ByType kSiluGrad(
    "SiluGrad", &AnswerDirectly<&aclnnSiluBackwardGetWorkspaceSize, &aclnnSiluBackward, 0, 1>);
const ByType kHardSwishGrad(
    "HardSwishGrad",
    &AnswerDirectly<&aclnnHardswishBackwardGetWorkspaceSize, &aclnnHardswishBackward, 0, 1>);

// From the result's gradient and x or the result.
Status AnswerReluGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2);
  if (!tensors.ok()) return tensors.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnThresholdBackwardGetWorkspaceSize, &aclnnThresholdBackward>(
      call, inputs[0], inputs[1], ScopedScalar(0), outputs[0]);
  return Ok();
}

// From the result's gradient, x, and the result, of which the last is not read.
Status AnswerGeluGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(3, 1, {}, 2);
  if (!tensors.ok()) return tensors.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnGeluBackwardGetWorkspaceSize, &aclnnGeluBackward>(call, inputs[0], inputs[1],
                                                                      outputs[0]);
  return Ok();
}

Status AnswerSwishGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(3, 1, {"scale"}, 2);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> scale = call.Number("scale", 1);
  if (!scale.ok()) return scale.TakeStatus();
  if (scale.value() != 1) return call.Unsupported("the attribute scale to be 1");
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnSiluBackwardGetWorkspaceSize, &aclnnSiluBackward>(call, inputs[0], inputs[1],
                                                                      outputs[0]);
  return Ok();
}

Status AnswerLeakyRelu(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 1, {"negative_slope"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> slope = call.Number("negative_slope", 0);
  if (!slope.ok()) return slope.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnLeakyReluGetWorkspaceSize, &aclnnLeakyRelu>(
      call, inputs[0], ScopedScalar(slope.value()), outputs[0]);
  return Ok();
}

Status AnswerLeakyReluGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {"negative_slope"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> slope = call.Number("negative_slope", 0);
  if (!slope.ok()) return slope.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnLeakyReluBackwardGetWorkspaceSize, &aclnnLeakyReluBackward>(
      call, inputs[0], inputs[1], ScopedScalar(slope.value()), false, outputs[0]);
  return Ok();
}

// From x and the result's gradient.
Status AnswerHardtanhGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {"min_val", "max_val"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> least = call.Number("min_val", -1);
  if (!least.ok()) return least.TakeStatus();
  Result<float> most = call.Number("max_val", 1);
  if (!most.ok()) return most.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnHardtanhBackwardGetWorkspaceSize, &aclnnHardtanhBackward>(
      call, inputs[1], inputs[0], ScopedScalar(least.value()), ScopedScalar(most.value()),
      outputs[0]);
  return Ok();
}

// The bounds are numbers in host memory, or tensors.
Status AnswerClip(TypedCall& call) {
  if (call.input_count() == 3 && !(call.IsOnHost(1) && call.IsOnHost(2))) {
    return AnswerDirectly<&aclnnClampTensorGetWorkspaceSize, &aclnnClampTensor, 0, 1, 2>(call);
  }
  Result<TypedCall::Tensors> tensors = call.Open(3, 1, {}, 1);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<const aclScalar*> least = call.InputScalar(1);
  if (!least.ok()) return least.TakeStatus();
  Result<const aclScalar*> most = call.InputScalar(2);
  if (!most.ok()) return most.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnClampGetWorkspaceSize, &aclnnClamp>(call, inputs[0], least.value(),
                                                        most.value(), outputs[0]);
  return Ok();
}

// Where the condition holds, the first, elsewhere the second.
const ByType kSelect("Select",
                     &AnswerDirectly<&aclnnSWhereGetWorkspaceSize, &aclnnSWhere, 0, 1, 2>);
const ByType kReluGrad("ReluGrad", &AnswerReluGradient);
const ByType kGeluGrad("GeluGrad", &AnswerGeluGradient);
const ByType kSwishGrad("SwishGrad", &AnswerSwishGradient);
const ByType kLeakyRelu("LeakyRelu", &AnswerLeakyRelu);
const ByType kLeakyReluGrad("LeakyReluGrad", &AnswerLeakyReluGradient);
const ByType kHardtanhGrad("HardtanhGrad", &AnswerHardtanhGradient);
const ByType kClipByValue("ClipByValue", &AnswerClip);
const ByType kClipByValueV2("ClipByValueV2", &AnswerClip);

}  // namespace
}  // namespace aclimb::pointwise::by_type
