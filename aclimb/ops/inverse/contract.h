#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_inverse.h"

namespace aclimb::inverse {

// Parameter positions, in the order of the C function.
enum : int { kSelf, kOut };

inline constexpr auto kFloats =
    contract::OnAll(contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64));

inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(contract::Input("self", kFloats, "matrices"), "*B M M"),
    contract::WithShape(contract::Output("out", kFloats, "their inverses"), "*B M M"),
};

// No inverse of a matrix A is given where the largest row sum of |inverse| |A| is above this:
// double would get no more than three digits of it right, if it has one at all.
inline constexpr double kMostCondition = 4e12;

inline constexpr contract::Contract kContract = {
    .function = "aclnnInverse",
    .folder = "inverse",
    .summary = "Inverses of matrices.",
    .parameters = kParameters,
};
static_assert(contract::Matches<decltype(aclnnInverseGetWorkspaceSize)>(kContract));

}  // namespace aclimb::inverse
