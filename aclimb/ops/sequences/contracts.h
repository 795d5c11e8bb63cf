#pragma once

#include <algorithm>
#include <cmath>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/sequences/number.h"
#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_range.h"

// Numbers at equal distances.
namespace aclimb::sequences {

enum : int { kStart, kEnd, kStep, kOut };  // the third one is Linspace's number of steps

// The old chips lack BFLOAT16.
inline constexpr auto kNumbers = contract::OnOldAndNew(
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16,
                     DType::kInt32, DType::kInt64, DType::kUInt8),
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16,
                     DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBFloat16));

// From start to end; of integers exactly, however large they are.
inline double Distance(const contract::Arguments& arguments) {
  const ScalarValue& start = arguments.Scalar(kStart);
  const ScalarValue& end = arguments.Scalar(kEnd);
  if (!IsInteger(start.dtype) || !IsInteger(end.dtype)) {
    return NumberOf<double>(end) - NumberOf<double>(start);
  }
  __extension__ using Wide = __int128;
  return static_cast<double>(Wide{NumberOf<int64_t>(end)} - Wide{NumberOf<int64_t>(start)});
}

template <bool kMayBeEmpty>
std::optional<std::string> NoStep(const contract::Arguments& arguments) {
  const double distance = Distance(arguments);
  const double step = NumberOf<double>(arguments.Scalar(kStep));
  const bool leads = (step > 0 && distance > 0) || (step < 0 && distance < 0) ||
                     (kMayBeEmpty && step != 0 && distance == 0);
  if (leads && std::isfinite(distance) && !std::isnan(step)) return std::nullopt;
  return Cat("start is ", arguments.Scalar(kStart).Text(), ", end is ",
             arguments.Scalar(kEnd).Text(), " and step is ", arguments.Scalar(kStep).Text(),
             kMayBeEmpty ? "; expected a step that leads from start to end."
                         : "; expected a step that leads from start to another number, end.");
}

// A fraction is cut off where out has integers, which may leave no step.
inline std::optional<std::string> StepIsLost(const contract::Arguments& arguments) {
  const DType out = arguments.Tensor(kOut).dtype;
  const double step = NumberOf<double>(arguments.Scalar(kStep));
  if (IsFloating(out) || !(std::fabs(step) < 1)) return std::nullopt;
  return Cat("step is ", arguments.Scalar(kStep).Text(), " but out.dtype is ", NameOf(out),
             ", in which that is 0; expected a step of 1 or more, or of -1 or less.");
}
inline constexpr contract::Rule kStepOfIntegers = contract::Custom(
    "least/step", &StepIsLost, "if out has integers, the step is 1 or more, or -1 or less",
    "pass a larger step, or an out of a floating dtype");

// How many numbers there are. Who counts in float32 may come to one more or less where the last
// number is a rounding error away from the end.
inline std::optional<std::string> OtherCount(const contract::Arguments& arguments, bool with_end) {
  const double steps = Distance(arguments) / NumberOf<double>(arguments.Scalar(kStep));
  const auto count_of = [with_end](double of) {
    return with_end ? std::floor(of) + 1 : std::ceil(of);
  };
  const auto count = static_cast<double>(arguments.Tensor(kOut).ElementCount());
  const double right = count_of(steps);
  bool is_whole = true;
  for (const int number : {kStart, kEnd, kStep}) {
    is_whole = is_whole && !IsFloating(arguments.Scalar(number).dtype);
  }
  const double rounding = is_whole || steps == 0 ? 0 : 1e-6 * std::max(1.0, steps);
  const double least = std::max(count_of(steps - rounding), right - 1);
  const double most = std::min(count_of(steps + rounding), right + 1);
  if (count >= least && count <= most) return std::nullopt;
  return Cat("out.shape is ", contract::ShapeText(arguments.Tensor(kOut)), " but start is ",
             arguments.Scalar(kStart).Text(), ", end is ", arguments.Scalar(kEnd).Text(),
             " and step is ", arguments.Scalar(kStep).Text(), "; expected ",
             right < 0x1p63 ? Cat(static_cast<int64_t>(right), " elements.")
                            : "more elements than a tensor can have.");
}
inline std::optional<std::string> OtherCountWithoutEnd(const contract::Arguments& arguments) {
  return OtherCount(arguments, false);
}
inline std::optional<std::string> OtherCountWithEnd(const contract::Arguments& arguments) {
  return OtherCount(arguments, true);
}

inline constexpr contract::Parameter kArangeParameters[] = {
    contract::Attribute("start", contract::Kind::kScalar, "the first number"),
    contract::Attribute("end", contract::Kind::kScalar, "behind the last number"),
    contract::Attribute("step", contract::Kind::kScalar, "from one number to the next"),
    contract::Output("out", kNumbers, "as many elements as there are numbers")};
inline constexpr contract::Rule kArangeRules[] = {
    contract::ConvertsToFloat("real/start", kStart, "pass a real scalar"),
    contract::ConvertsToFloat("real/end", kEnd, "pass a real scalar"),
    contract::ConvertsToFloat("real/step", kStep, "pass a real scalar"),
    contract::Custom("leads/step", &NoStep<true>, "step is not 0 and leads from start to end",
                     "pass a step of the other sign"),
    kStepOfIntegers,
    contract::Custom("count/out", &OtherCountWithoutEnd,
                     "out has an element for each number from start on that comes before end",
                     "allocate out with ceil((end - start) / step) elements"),
};
inline constexpr contract::Contract kArange = {
    .function = "aclnnArange",
    .folder = "arange",
    .summary = "out[i] = start + i * step for all that come before end.",
    .parameters = kArangeParameters,
    .rules = kArangeRules,
};
static_assert(contract::Matches<decltype(aclnnArangeGetWorkspaceSize)>(kArange));

inline constexpr contract::Parameter kRangeParameters[] = {
    contract::Attribute("start", contract::Kind::kScalar, "the first number"),
    contract::Attribute("end", contract::Kind::kScalar, "which the last number does not pass"),
    contract::Attribute("step", contract::Kind::kScalar, "from one number to the next"),
    contract::Output("out", kNumbers, "as many elements as there are numbers")};
inline constexpr contract::Rule kRangeRules[] = {
    contract::ConvertsToFloat("real/start", kStart, "pass a real scalar"),
    contract::ConvertsToFloat("real/end", kEnd, "pass a real scalar"),
    contract::ConvertsToFloat("real/step", kStep, "pass a real scalar"),
    contract::Custom("leads/step", &NoStep<false>,
                     "step leads from start to end, which is another number",
                     "pass a step of the other sign"),
    kStepOfIntegers,
    contract::Custom("count/out", &OtherCountWithEnd,
                     "out has an element for each number from start on that does not pass end",
                     "allocate out with floor((end - start) / step) + 1 elements"),
};
inline constexpr contract::Contract kRange = {
    .function = "aclnnRange",
    .folder = "range",
    .summary = "out[i] = start + i * step for all that do not pass end.",
    .parameters = kRangeParameters,
    .rules = kRangeRules,
};
static_assert(contract::Matches<decltype(aclnnRangeGetWorkspaceSize)>(kRange));

inline constexpr contract::Parameter kLinspaceParameters[] = {
    contract::Attribute("start", contract::Kind::kScalar, "the first number"),
    contract::Attribute("end", contract::Kind::kScalar, "the last number"),
    contract::Attribute("steps", contract::Kind::kInteger, "how many numbers"),
    contract::Output("out", kNumbers, "as many elements as there are numbers")};
inline constexpr contract::Rule kLinspaceRules[] = {
    contract::ConvertsToFloat("real/start", kStart, "pass a real scalar"),
    contract::ConvertsToFloat("real/end", kEnd, "pass a real scalar"),
    contract::InRange("range/steps", kStep, contract::AtLeast(0), "pass how many numbers"),
    contract::Elements("count/out", kOut, kStep, "allocate out with as many elements"),
};
inline constexpr contract::Contract kLinspace = {
    .function = "aclnnLinspace",
    .folder = "linspace",
    .summary = "out[i] = start + i * (end - start) / (steps - 1).",
    .parameters = kLinspaceParameters,
    .rules = kLinspaceRules,
};
static_assert(contract::Matches<decltype(aclnnLinspaceGetWorkspaceSize)>(kLinspace));

}  // namespace aclimb::sequences
