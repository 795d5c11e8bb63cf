#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_reduce_nansum.h"

namespace aclimb::reduce_nansum {

// Parameter positions, in the order of the C function.
enum : int { kSelf, kDim, kKeepDim, kDType, kOut };

inline constexpr auto kDTypes = contract::OnAll(
    contract::kFloatDTypes | contract::DTypes(DType::kInt8, DType::kInt16, DType::kInt32,
                                              DType::kInt64, DType::kUInt8, DType::kBool));

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kDTypes, "any shape"),
    contract::Attribute("dim", contract::Kind::kIntArray,
                        "the dimensions that are reduced; none means all"),
    contract::Attribute("keepDim", contract::Kind::kBool,
                        "whether the reduced dimensions are kept, as 1"),
    contract::Attribute("dtype", contract::Kind::kInteger, "what elements are converted to first"),
    contract::Output("out", kDTypes, "what is left of self"),
};

inline constexpr contract::Rule kRules[] = {
    contract::NamesDTypeBetween("dtype/dtype", kDType, kSelf, kOut, "pass the dtype of out"),
    contract::InRange("range/dim", kDim, contract::DistinctDimensionsOf(kSelf),
                      "name dimensions of self, each once; none means all"),
    contract::Reduces("shape/out", kOut, kSelf, kDim, kKeepDim,
                      "allocate out with the shape that is left, or with 1 in place of what is "
                      "reduced"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnReduceNansum",
    .folder = "reduce_nansum",
    .summary = "Sums of the elements along dimensions that are not NaN.",
    .products = kAllProducts & ~(Bit(Product::kInference310P) | Bit(Product::kTraining910)),
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnReduceNansumGetWorkspaceSize)>(kContract));

}  // namespace aclimb::reduce_nansum
