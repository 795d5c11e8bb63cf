#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_cumsum.h"

namespace aclimb::cumulate {

// Parameter positions.
enum : int { kSelf, kDim, kDType, kOut };

inline constexpr contract::DTypeMask kOldDTypes =
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16,
                     DType::kInt32, DType::kInt64, DType::kUInt8);
inline constexpr auto kDTypes =
    contract::OnOldAndNew(kOldDTypes, kOldDTypes | contract::DTypes(DType::kBFloat16));

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kDTypes, "any shape"),
    contract::Attribute("dim", contract::Kind::kInteger,
                        "the dimension along which elements are added"),
    contract::Attribute("dtype", contract::Kind::kInteger,
                        "the dtype of out, to which elements are converted first"),
    contract::MayBe(contract::Output("out", kDTypes, "shape of self"), kSelf)};

inline constexpr contract::Rule kRules[] = {
    contract::ConvertsTo("converts/out", kSelf, kOut,
                         "allocate the output with a floating dtype if the input's is one"),
    contract::NamesDType("dtype/dtype", kDType, kOut, "pass the dtype of the output"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "name a dimension of self"),
    contract::SameShape("same-shape/out", kOut, kSelf,
                        "allocate the output with the shape of the input")};

inline constexpr contract::Contract kContract = {.function = "aclnnCumsum",
                                                 .folder = "cumsum",
                                                 .summary = "Cumulative sums along a dimension.",
                                                 .parameters = kParameters,
                                                 .rules = kRules};
static_assert(contract::Matches<decltype(aclnnCumsumGetWorkspaceSize)>(kContract));

}  // namespace aclimb::cumulate
