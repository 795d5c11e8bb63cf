#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_histc.h"

namespace aclimb::histc {

// Parameter positions, in the order of the C function.
enum : int { kSelf, kBins, kMin, kMax, kOut };

inline constexpr auto kDTypes =
    contract::OnAll(contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kInt64, DType::kInt32,
                                     DType::kInt16, DType::kInt8, DType::kUInt8));

// As the elements are compared: those that are whole are compared as DOUBLE.
inline double BoundOf(const contract::Arguments& arguments, int parameter) {
  const ScalarValue& bound = arguments.Scalar(parameter);
  return IsFloating(arguments.Tensor(kSelf).dtype) ? bound.ToFloat() : bound.ToDouble();
}

// Why a run fails (507015) whose bins would reach over elements that are not finite.
inline constexpr const char* kNoFiniteRange =
    "an element of self is infinite or NaN, and min is max, so that bins reach from the least "
    "element to the largest; expected finite elements, or a min below max.";

inline std::optional<std::string> NotFinite(const contract::Arguments& arguments) {
  if (std::isfinite(BoundOf(arguments, kMin)) && std::isfinite(BoundOf(arguments, kMax))) {
    return std::nullopt;
  }
  return Cat("min is ", arguments.Scalar(kMin).Text(), ", max is ", arguments.Scalar(kMax).Text(),
             " and self.dtype is ", NameOf(arguments.Tensor(kSelf).dtype),
             "; expected finite numbers.");
}
inline std::optional<std::string> NoRange(const contract::Arguments& arguments) {
  if (BoundOf(arguments, kMin) <= BoundOf(arguments, kMax)) return std::nullopt;
  return Cat("min is ", arguments.Scalar(kMin).Text(), " and max is ",
             arguments.Scalar(kMax).Text(), "; expected min <= max.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kDTypes, "any shape; NaN is in no bin"),
    contract::Attribute("bins", contract::Kind::kInteger, "how many there are"),
    contract::Attribute("min", contract::Kind::kScalar, "where the first bin begins"),
    contract::Attribute("max", contract::Kind::kScalar,
                        "where the last bin ends; if it is min, bins reach from the least element "
                        "of self to the largest, and from 1 below to 1 above equal ones; where "
                        "one of these is not finite, all counts are 0, and the run fails (507015)"),
    contract::WithShape(contract::Output("out", kDTypes, "how many elements are in each bin"),
                        "bins"),
};

inline constexpr contract::Rule kRules[] = {
    contract::ConvertsToFloat("real/min", kMin, "pass a real scalar"),
    contract::ConvertsToFloat("real/max", kMax, "pass a real scalar"),
    contract::InRange("range/bins", kBins, contract::AtLeast(1), "pass 1 or more"),
    contract::Custom("finite/min", &NotFinite, "min and max are finite, of floating self in FLOAT",
                     "pass finite numbers; equal ones stand for the range of self"),
    contract::Custom("range/min", &NoRange, "min is not above max",
                     "pass the least element that counts, then the largest"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnHistc",
    .folder = "histc",
    .summary = "A histogram: how many elements are in each of some equally wide bins.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnHistcGetWorkspaceSize)>(kContract));

}  // namespace aclimb::histc
