// What frameworks call by type name: functions of two tensors, of which one may be a number in host
// memory.

#include "aclimb/executor/by_type.h"

#include "binary_headers.h"

namespace aclimb::binary::by_type {
namespace {

#define ACLIMB_DIRECTLY(Type, function) \
  const ByType k##Type(#Type, &AnswerDirectly<&function##GetWorkspaceSize, &function, 0, 1>)

ACLIMB_DIRECTLY(Equal, aclnnEqTensor);
ACLIMB_DIRECTLY(Greater, aclnnGtTensor);
ACLIMB_DIRECTLY(GreaterEqual, aclnnGeTensor);
ACLIMB_DIRECTLY(Less, aclnnLtTensor);
ACLIMB_DIRECTLY(LessEqual, aclnnLeTensor);
ACLIMB_DIRECTLY(LogicalAnd, aclnnLogicalAnd);
ACLIMB_DIRECTLY(LogicalOr, aclnnLogicalOr);
ACLIMB_DIRECTLY(Maximum, aclnnMaximum);
ACLIMB_DIRECTLY(Minimum, aclnnMinimum);
ACLIMB_DIRECTLY(Mul, aclnnMul);
ACLIMB_DIRECTLY(NotEqual, aclnnNeTensor);
ACLIMB_DIRECTLY(Pow, aclnnPowTensorTensor);
ACLIMB_DIRECTLY(RealDiv, aclnnDiv);

#undef ACLIMB_DIRECTLY

// a + alpha * b.
template <auto kPhase1, auto kPhase2>
Status AnswerSum(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2);
  if (!tensors.ok()) return tensors.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<kPhase1, kPhase2>(call, inputs[0], inputs[1], ScopedScalar(1), outputs[0]);
  return Ok();
}

Status AnswerAxpy(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(3, 1, {}, 2);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<const aclScalar*> alpha = call.InputScalar(2);
  if (!alpha.ok()) return alpha.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnAddGetWorkspaceSize, &aclnnAdd>(call, inputs[0], inputs[1], alpha.value(),
                                                    outputs[0]);
  return Ok();
}

Status AnswerSquare(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1);
  if (!tensors.ok()) return tensors.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnMulGetWorkspaceSize, &aclnnMul>(call, inputs[0], inputs[0], outputs[0]);
  return Ok();
}

const ByType kAdd("Add", &AnswerSum<&aclnnAddGetWorkspaceSize, &aclnnAdd>);
const ByType kSub("Sub", &AnswerSum<&aclnnSubGetWorkspaceSize, &aclnnSub>);
const ByType kAxpy("AxpyV2", &AnswerAxpy);
const ByType kSquare("Square", &AnswerSquare);

}  // namespace
}  // namespace aclimb::binary::by_type
