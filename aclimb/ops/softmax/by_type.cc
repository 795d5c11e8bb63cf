// What frameworks call by type name: SoftmaxV2, LogSoftmaxV2 and their gradients.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <vector>

#include "aclimb/core/text.h"
#include "softmax_headers.h"

namespace aclimb::softmax {
namespace {

// The one dimension.
Result<int64_t> Dimension(TypedCall& call, const char* name) {
  Result<std::vector<int64_t>> axes = call.Ints(name, {-1});
  if (!axes.ok()) return axes.TakeStatus();
  if (axes.value().size() != 1) {
    return call.Unsupported(Cat("the attribute ", name, " with one dimension"));
  }
  return axes.value()[0];
}

template <auto kPhase1, auto kPhase2>
Status AnswerForward(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 1, {"axes"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<int64_t> dim = Dimension(call, "axes");
  if (!dim.ok()) return dim.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<kPhase1, kPhase2>(call, inputs[0], dim.value(), outputs[0]);
  return Ok();
}

// Of the result and its gradient, the gradient stands at `place`.
template <auto kPhase1, auto kPhase2>
Status AnswerGradient(TypedCall& call, int place, const char* dimension) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {dimension});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<int64_t> dim = Dimension(call, dimension);
  if (!dim.ok()) return dim.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<kPhase1, kPhase2>(call, inputs[place], inputs[1 - place], dim.value(), outputs[0]);
  return Ok();
}

Status AnswerSoftmaxGradient(TypedCall& call) {
  return AnswerGradient<&aclnnSoftmaxBackwardGetWorkspaceSize, &aclnnSoftmaxBackward>(call, 1,
                                                                                      "axes");
}

Status AnswerLogSoftmaxGradient(TypedCall& call) {
  return AnswerGradient<&aclnnLogSoftmaxBackwardGetWorkspaceSize, &aclnnLogSoftmaxBackward>(call, 0,
                                                                                            "axis");
}

const ByType kSoftmax("SoftmaxV2", &AnswerForward<&aclnnSoftmaxGetWorkspaceSize, &aclnnSoftmax>);
const ByType kLogSoftmax("LogSoftmaxV2",
                         &AnswerForward<&aclnnLogSoftmaxGetWorkspaceSize, &aclnnLogSoftmax>);
const ByType kSoftmaxGrad("SoftmaxGrad", &AnswerSoftmaxGradient);
const ByType kLogSoftmaxGrad("LogSoftmaxGrad", &AnswerLogSoftmaxGradient);

}  // namespace
}  // namespace aclimb::softmax
