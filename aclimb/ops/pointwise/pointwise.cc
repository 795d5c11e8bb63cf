// The C functions of the rows in rows.inc, and the plans between them.

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclimb/contract/promotion.h"
#include "aclimb/copy/cast.h"
#include "aclimb/elementwise/elementwise.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/pointwise/contracts.h"
#include "aclimb/ops/pointwise/formulas.h"

namespace aclimb::pointwise {
namespace {

using contract::Arguments;

// The scalars and numbers in the order of the parameters.
Attributes AttributesOf(const Arguments& arguments) {
  Attributes attributes;
  int next = 0;
  for (int i = 0; i < static_cast<int>(arguments.size()); ++i) {
    if (arguments.At(i).kind == Kind::kReal) attributes.real[next++] = arguments.Real(i);
    if (arguments.At(i).kind != Kind::kScalar) continue;
    attributes.real[next] = arguments.Scalar(i).ToDouble();
    attributes.whole[next] = arguments.Scalar(i).ToInteger();
    attributes.wraps[next] = IsInteger(arguments.Scalar(i).dtype);
    ++next;
  }
  return attributes;
}

// Computes the formula of the tensors that are given, in their order: the last one is the output,
// or the first one where each is an input.
Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner,
                             elementwise::Formula formula, const Attributes& attributes,
                             DType compute = DType::kUndefined) {
  int tensors[elementwise::kOperands];
  int count = 0;
  for (int i = 0; i < static_cast<int>(arguments.size()); ++i) {
    if (arguments.At(i).kind == Kind::kTensor && arguments.Given(i)) tensors[count++] = i;
  }
  const int inputs = formula.Get().inputs;
  const int output = tensors[count > inputs ? count - 1 : 0];
  const auto make = [&](std::initializer_list<int> positions) {
    return elementwise::MakePlan(planner, arguments,
                                 {.inputs = positions, .output = output, .compute = compute},
                                 formula, attributes);
  };
  if (inputs == 1) return make({tensors[0]});
  if (inputs == 2) return make({tensors[0], tensors[1]});
  return make({tensors[0], tensors[1], tensors[2]});
}

template <const elementwise::Formula& kFormula>
Result<PlanPointer> Plan(const Arguments& arguments, Planner& planner) {
  return MakePlan(arguments, planner, kFormula, AttributesOf(arguments));
}

Result<PlanPointer> PlanCelu(const Arguments& arguments, Planner& planner) {
  const double alpha = arguments.Scalar(1).ToDouble();
  return MakePlan(arguments, planner, kElu, {.real = {alpha, 1, 1 / alpha}});
}

// The bound is a number of the dtype, as in PyTorch. What is within 0 of 0 is 0 alone.
template <const elementwise::Formula& kFormula>
Result<PlanPointer> PlanShrink(const Arguments& arguments, Planner& planner) {
  Attributes attributes = AttributesOf(arguments);
  DType dtype = arguments.Tensor(0).dtype;
  if (arguments.At(1).kind == contract::Kind::kTensor) {
    dtype = contract::PromoteTensors(dtype, arguments.Tensor(1).dtype).value_or(dtype);
  }
  attributes.real[0] = std::max(0.0, RoundedToHalf(dtype, attributes.real[0]));
  return MakePlan(arguments, planner, kFormula, attributes);
}

// A third tensor is reserved: it is neither read nor written.
Result<PlanPointer> PlanLogSigmoid(const Arguments& arguments, Planner& planner) {
  return elementwise::MakePlan(planner, arguments, {.inputs = {0}, .output = 1}, kLogSigmoid,
                               Attributes());
}

Result<PlanPointer> PlanRoundDecimals(const Arguments& arguments, Planner& planner) {
  const int64_t decimals = arguments.Integer(1);
  const double power = std::pow(10.0, std::fabs(static_cast<double>(decimals)));
  // 0 where int64 has no such power.
  const int64_t whole = power < 0x1p63 ? static_cast<int64_t>(power) : 0;
  return MakePlan(arguments, planner, kRoundDecimals,
                  {.real = {power}, .whole = {whole, decimals < 0 ? 1 : 0}});
}

// Conditions and masks have no say in what is computed in.
Result<PlanPointer> PlanSWhere(const Arguments& arguments, Planner& planner) {
  const DType self = arguments.Tensor(1).dtype, other = arguments.Tensor(2).dtype;
  return MakePlan(arguments, planner, kWhere, {},
                  contract::PromoteTensors(self, other).value_or(self));
}

template <const elementwise::Formula& kFormula>
Result<PlanPointer> PlanMaskedFill(const Arguments& arguments, Planner& planner) {
  return MakePlan(arguments, planner, kFormula, AttributesOf(arguments), arguments.Tensor(0).dtype);
}

Result<PlanPointer> PlanClampTensor(const Arguments& arguments, Planner& planner) {
  const bool both = arguments.Given(1) && arguments.Given(2);
  return MakePlan(arguments, planner,
                  both                 ? kClampBy
                  : arguments.Given(1) ? kClampMinBy
                                       : kClampMaxBy,
                  {});
}

Result<PlanPointer> PlanGeluBackwardV2(const Arguments& arguments, Planner& planner) {
  const bool by_tanh = arguments.String(2, "none") == "tanh";
  return MakePlan(arguments, planner, by_tanh ? kGeluBackwardByTanh : kGeluBackwardByErf, {});
}

Result<PlanPointer> PlanGeluV2(const Arguments& arguments, Planner& planner) {
  return MakePlan(arguments, planner, arguments.Integer(1) == 0 ? kGeluByErf : kGeluByTanh, {});
}

// Parameters of the bounds; -1 and null are none.
template <int kLeast, int kMost>
Result<PlanPointer> PlanBounds(const Arguments& arguments, Planner& planner) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr int64_t kWhole = std::numeric_limits<int64_t>::max();
  Attributes attributes = {.real = {-kInfinity, kInfinity}, .whole = {-kWhole - 1, kWhole}};
  const auto set = [&](int bound, int parameter) {
    if (parameter < 0 || !arguments.Given(parameter)) return;
    attributes.real[bound] = arguments.Scalar(parameter).ToDouble();
    attributes.whole[bound] = arguments.Scalar(parameter).ToInteger();
    attributes.wraps[bound] = IsInteger(arguments.Scalar(parameter).dtype);
  };
  set(0, kLeast);
  set(1, kMost);
  return MakePlan(arguments, planner, kClamp, attributes);
}
constexpr PlanFunction PlanClamp = PlanBounds<1, 2>;
constexpr PlanFunction PlanClampMin = PlanBounds<1, -1>;
constexpr PlanFunction PlanClampMax = PlanBounds<-1, 1>;

}  // namespace
}  // namespace aclimb::pointwise

#define ACLIMB_LIST(...) __VA_ARGS__
#define ACLIMB_POINTWISE(name, Name, header, plan, truth, parameter_list, argument_list, sentence) \
  namespace aclimb::pointwise {                                                                    \
  constinit static Operator k##Name##Operator(k##Name##Contract, plan);                            \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      ACLIMB_LIST parameter_list, uint64_t* workspaceSize, aclOpExecutor** executor) {             \
    return aclimb::Phase1(aclimb::pointwise::k##Name##Operator, workspaceSize, executor,           \
                          ACLIMB_LIST argument_list);                                              \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                      \
                                     aclOpExecutor* executor, aclrtStream stream) {                \
    return aclimb::Phase2(aclimb::pointwise::k##Name##Operator, workspace, workspaceSize,          \
                          executor, stream);                                                       \
  }
#include "aclimb/ops/pointwise/rows.inc"
