#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_softshrink.h"

namespace aclimb::softshrink {

// Parameter positions, in the order of the C function.
enum : int { kSelf, kLambd, kOut };

inline constexpr auto kDTypes =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kDTypes, "of any shape"),
    contract::Attribute("lambd", contract::Kind::kScalar, "how far elements move towards 0"),
    contract::MayBe(contract::Output("out", kDTypes, "shape and dtype of self"), kSelf),
};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "create out with the dtype of self"),
    contract::ConvertsToFloat("real/lambd", kLambd, "pass a real scalar"),
    contract::InRange("range/lambd", kLambd, contract::AtLeast(0), "pass 0 or more"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnSoftshrink",
    .folder = "softshrink",
    .summary = "Soft shrinkage: moves each element towards 0 by a number, to 0 at most.",
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnSoftshrinkGetWorkspaceSize)>(kContract));

}  // namespace aclimb::softshrink
