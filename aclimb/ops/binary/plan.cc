#include "aclimb/ops/binary/plan.h"

#include <utility>

#include "aclimb/contract/promotion.h"
#include "aclimb/copy/cast.h"
#include "aclimb/elementwise/elementwise.h"
#include "aclimb/ops/binary/formulas.h"

namespace aclimb::binary {
namespace {

using contract::Kind;
using elementwise::Formula;

Formula FormulaOf(Arithmetic which, Form form) {
  return {&ArithmeticRuns, kForms * static_cast<int>(which) + form};
}
Formula FormulaOf(Division which, Form form) {
  return {&DivisionRuns, kForms * static_cast<int>(which) + form};
}
Formula FormulaOf(Comparison which, Form form) {
  return {&ComparisonRuns, kForms * static_cast<int>(which) + form};
}
Formula FormulaOf(Bits which, Form form) {
  return {&BitsRuns, kForms * static_cast<int>(which) + form};
}
Formula FormulaOf(Logarithm which, Form form) {
  return {&LogarithmRuns, kForms * static_cast<int>(which) + form};
}
Formula FormulaOf(Power which, Form form) {
  constexpr int kTwoOperands = 2;
  const int number = static_cast<int>(which);
  if (number < kTwoOperands) return {&PowerRuns, kForms * number + form};
  return {&PowerRuns, kForms * kTwoOperands + number - kTwoOperands};
}

Number NumberOf(const ScalarValue& scalar) {
  return {scalar.ToDouble(), scalar.ToWrappedInteger()};
}

DType CommonDType(const contract::Arguments& arguments, Form form) {
  const auto tensor = [&](int p) { return arguments.Tensor(p).dtype; };
  const auto scalar = [&](int p) { return arguments.Scalar(p).dtype; };
  // Operands without a common dtype are the contract's to refuse.
  switch (form) {
    case kScalarSecond:
      return contract::PromoteTensorAndScalar(tensor(0), scalar(1)).value_or(tensor(0));
    case kScalarFirst:
      return contract::PromoteTensorAndScalar(tensor(1), scalar(0)).value_or(tensor(1));
    default:
      return contract::PromoteTensors(tensor(0), tensor(1)).value_or(tensor(0));
  }
}

// The form of a call with the operands in the other order.
Form Turned(Form form) {
  return form == kScalarSecond ? kScalarFirst : form == kScalarFirst ? kScalarSecond : form;
}

Formula PowerOf(Form form, const Number& exponent, DType common) {
  if (form != kScalarSecond || !IsFloating(common)) return FormulaOf(Power::kPow, form);
  if (exponent.real == 2) return FormulaOf(Power::kSquare, form);
  if (exponent.real == 3) return FormulaOf(Power::kCube, form);
  if (exponent.real == 0.5) return FormulaOf(Power::kSquareRoot, form);
  if (exponent.real == -1) return FormulaOf(Power::kReciprocal, form);
  if (exponent.real == -0.5) return FormulaOf(Power::kReciprocalSquareRoot, form);
  return FormulaOf(Power::kPow, form);
}

Formula FormulaFor(Operation operation, Form form, const Number& scalar, DType common) {
  switch (operation) {
    case kAdd:
      return FormulaOf(Arithmetic::kAdd, form);
    case kSub:
    case kRsub:
      return FormulaOf(Arithmetic::kSub, form);
    case kMul:
      return FormulaOf(Arithmetic::kMul, form);
    case kDiv:
    case kDivMod:
      return FormulaOf(Arithmetic::kDiv, form);
    case kDivTrunc:
      return FormulaOf(Division::kTrunc, form);
    case kFloorDivide:
      return FormulaOf(Division::kFloor, form);
    case kRemainder:
      return FormulaOf(Division::kRemainder, form);
    case kFmod:
      return FormulaOf(Division::kFmod, form);
    case kMaximum:
      return FormulaOf(Arithmetic::kMaximum, form);
    case kMinimum:
      return FormulaOf(Arithmetic::kMinimum, form);
    case kPow:
      return PowerOf(form, scalar, common);
    case kAtan2:
      return FormulaOf(Power::kAtan2, form);
    case kLogAddExp:
      return FormulaOf(Logarithm::kAddExp, form);
    case kLogAddExp2:
      return FormulaOf(Logarithm::kAddExp2, form);
    case kXLogY:
      return FormulaOf(Logarithm::kXLogY, form);
    case kEq:
      return FormulaOf(Comparison::kEq, form);
    case kNe:
      return FormulaOf(Comparison::kNe, form);
    case kGt:
    case kLt:
      return FormulaOf(Comparison::kGt, form);
    case kGe:
    case kLe:
      return FormulaOf(Comparison::kGe, form);
    case kLogicalAnd:
      return FormulaOf(Comparison::kLogicalAnd, form);
    case kLogicalOr:
      return FormulaOf(Comparison::kLogicalOr, form);
    case kLogicalXor:
      return FormulaOf(Comparison::kLogicalXor, form);
    case kBitwiseAnd:
      return FormulaOf(Bits::kAnd, form);
    case kBitwiseOr:
      return FormulaOf(Bits::kOr, form);
    case kBitwiseXor:
      return FormulaOf(Bits::kXor, form);
  }
  return {};
}

}  // namespace

Result<PlanPointer> MakePlanOf(Operation operation, bool in_place,
                               const contract::Arguments& arguments, Planner& planner) {
  const int output = in_place ? 0 : static_cast<int>(arguments.size()) - 1;
  const int third = in_place || output > 2 ? 2 : -1;
  Form form = arguments.At(0).kind == Kind::kScalar   ? kScalarFirst
              : arguments.At(1).kind == Kind::kScalar ? kScalarSecond
                                                      : kTensors;
  const DType common = CommonDType(arguments, form);
  if (operation == kDivMod) operation = OfMode(arguments.Integer(third));
  Attributes attributes;
  if (form != kTensors) {
    attributes.scalar = NumberOf(arguments.Scalar(form == kScalarFirst ? 0 : 1));
    double& real = attributes.scalar.real;
    if (RoundsScalar(operation)) real = RoundedToHalf(common, real);
  }
  if (TakesAlpha(operation)) attributes.alpha = NumberOf(arguments.Scalar(third));
  int first = 0, second = 1;
  if (operation == kLt || operation == kLe || operation == kRsub) {
    std::swap(first, second);
    form = Turned(form);
  }
  const Formula formula = FormulaFor(operation, form, attributes.scalar, common);
  if (form == kTensors) {
    return elementwise::MakePlan(planner, arguments,
                                 {.inputs = {first, second}, .output = output, .compute = common},
                                 formula, attributes);
  }
  const int tensor = arguments.At(0).kind == Kind::kScalar ? 1 : 0;
  return elementwise::MakePlan(planner, arguments,
                               {.inputs = {tensor}, .output = output, .compute = common}, formula,
                               attributes);
}

}  // namespace aclimb::binary
