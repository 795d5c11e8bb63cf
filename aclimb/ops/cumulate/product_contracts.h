#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/cumulate/contract.h"
#include "aclnnop/aclnn_cumprod.h"

// Products of all elements so far, on the newer chips alone.
namespace aclimb::cumulate {

inline constexpr auto kNewChips = static_cast<uint8_t>(
    kAllProducts & ~(Bit(Product::kInference310P) | Bit(Product::kTraining910)));

// The dimension comes as a scalar.
inline std::optional<std::string> DimensionWithFraction(const contract::Arguments& arguments) {
  const ScalarValue& dim = arguments.Scalar(kDim);
  if (IsInteger(dim.dtype)) return std::nullopt;
  return Cat("dim is ", dim.Text(), "; expected an integer.");
}
inline constexpr contract::Rule kWholeDimension =
    contract::Custom("whole/dim", &DimensionWithFraction, "dim is an integer",
                     "create the scalar as ACL_INT32 or ACL_INT64");
inline constexpr contract::Rule kDimensionInRange =
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "name a dimension of input");
inline constexpr contract::Parameter kDimensionParameter =
    contract::Attribute("dim", contract::Kind::kScalar,
                        "the dimension along which elements are multiplied, an integer");

namespace cumprod {
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("input", kDTypes, "any shape"), kDimensionParameter,
    contract::Attribute("dtype", contract::Kind::kInteger,
                        "the dtype of out, to which elements are converted first"),
    contract::MayBe(contract::Output("out", kDTypes, "shape of input"), kSelf)};
inline constexpr contract::Rule kRules[] = {
    contract::ConvertsTo("converts/out", kSelf, kOut,
                         "allocate the output with a floating dtype if the input's is one"),
    contract::NamesDType("dtype/dtype", kDType, kOut, "pass the dtype of the output"),
    kDimensionInRange, kWholeDimension,
    contract::SameShape("same-shape/out", kOut, kSelf,
                        "allocate the output with the shape of the input")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnCumprod",
    .folder = "cumprod",
    .summary = "Cumulative products along a dimension.",
    .products = kNewChips,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnCumprodGetWorkspaceSize)>(kContract));
}  // namespace cumprod

namespace inplace_cumprod {
inline constexpr contract::Parameter kParameters[] = {
    contract::InOut("input", kDTypes, "any shape; gets the products"), kDimensionParameter};
inline constexpr contract::Rule kRules[] = {kDimensionInRange, kWholeDimension};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceCumprod",
    .folder = "inplace_cumprod",
    .summary = "Cumulative products along a dimension, in place.",
    .products = kNewChips,
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnInplaceCumprodGetWorkspaceSize)>(kContract));
}  // namespace inplace_cumprod

}  // namespace aclimb::cumulate
