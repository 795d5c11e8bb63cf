// What frameworks call by type name: functions of one tensor.

#include "aclimb/executor/by_type.h"

#include <initializer_list>
#include <utility>

#include "aclimb/core/text.h"
#include "unary_headers.h"

namespace aclimb::unary::by_type {
namespace {

#define ACLIMB_DIRECTLY(Type, function) \
  const ByType k##Type(#Type, &AnswerDirectly<&function##GetWorkspaceSize, &function, 0>)

ACLIMB_DIRECTLY(Abs, aclnnAbs);
ACLIMB_DIRECTLY(Ceil, aclnnCeil);
ACLIMB_DIRECTLY(Cos, aclnnCos);
ACLIMB_DIRECTLY(Floor, aclnnFloor);
ACLIMB_DIRECTLY(Gelu, aclnnGelu);
ACLIMB_DIRECTLY(HardSigmoid, aclnnHardsigmoid);
ACLIMB_DIRECTLY(HardSwish, aclnnHardswish);
ACLIMB_DIRECTLY(IsFinite, aclnnIsFinite);
ACLIMB_DIRECTLY(LogicalNot, aclnnLogicalNot);
ACLIMB_DIRECTLY(Mish, aclnnMish);
ACLIMB_DIRECTLY(Neg, aclnnNeg);
ACLIMB_DIRECTLY(Reciprocal, aclnnReciprocal);
ACLIMB_DIRECTLY(Relu, aclnnRelu);
ACLIMB_DIRECTLY(Rsqrt, aclnnRsqrt);
ACLIMB_DIRECTLY(Sigmoid, aclnnSigmoid);
ACLIMB_DIRECTLY(Sign, aclnnSign);
ACLIMB_DIRECTLY(Sin, aclnnSin);
ACLIMB_DIRECTLY(Sqrt, aclnnSqrt);
ACLIMB_DIRECTLY(Tanh, aclnnTanh);

#undef ACLIMB_DIRECTLY

// Numbers that may only have the values that stand for nothing.
Status AreOnly(TypedCall& call, std::initializer_list<std::pair<const char*, float>> numbers) {
  for (const auto& [name, value] : numbers) {
    Result<float> given = call.Number(name, value);
    if (!given.ok()) return given.TakeStatus();
    if (given.value() != value) {
      return call.Unsupported(Cat("the attribute ", name, " to be ", value));
    }
  }
  return Ok();
}

// exp(shift + scale * x * log(base)), where a base of -1 is e.
Status AnswerExp(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 1, {"base", "scale", "shift"});
  if (!tensors.ok()) return tensors.TakeStatus();
  if (Status bad = AreOnly(call, {{"base", -1}, {"scale", 1}, {"shift", 0}}); !bad.ok()) return bad;
  RunOperator<&aclnnExpGetWorkspaceSize, &aclnnExp>(call, tensors.value().inputs[0],
                                                    tensors.value().outputs[0]);
  return Ok();
}

// log(shift + scale * x) / log(base), where a base of -1 is e.
Status AnswerLog(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 1, {"base", "scale", "shift"});
  if (!tensors.ok()) return tensors.TakeStatus();
  if (Status bad = AreOnly(call, {{"base", -1}, {"scale", 1}, {"shift", 0}}); !bad.ok()) return bad;
  RunOperator<&aclnnLogGetWorkspaceSize, &aclnnLog>(call, tensors.value().inputs[0],
                                                    tensors.value().outputs[0]);
  return Ok();
}

// x * sigmoid(scale * x).
Status AnswerSwish(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 1, {"scale"});
  if (!tensors.ok()) return tensors.TakeStatus();
  if (Status bad = AreOnly(call, {{"scale", 1}}); !bad.ok()) return bad;
  RunOperator<&aclnnSiluGetWorkspaceSize, &aclnnSilu>(call, tensors.value().inputs[0],
                                                      tensors.value().outputs[0]);
  return Ok();
}

const ByType kExp("Exp", &AnswerExp);
const ByType kLog("Log", &AnswerLog);
const ByType kSwish("Swish", &AnswerSwish);

}  // namespace
}  // namespace aclimb::unary::by_type
