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

inline constexpr contract::Contract kContract = {
    .function = "aclnnInverse",
    .folder = "inverse",
    .summary =
        "Inverses of matrices; NaN where double would get fewer than three digits of one right, as "
        "for a matrix that has none.",
    .parameters = kParameters,
};
static_assert(contract::Matches<decltype(aclnnInverseGetWorkspaceSize)>(kContract));

}  // namespace aclimb::inverse
