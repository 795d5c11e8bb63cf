#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_amp_update_scale.h"

namespace aclimb::amp_update_scale {

// Parameter positions, in the order of the C function.
enum : int {
  kScale,
  kTracker,
  kFoundInf,
  kGrowthFactor,
  kBackoffFactor,
  kGrowthInterval,
  kNewScale,
  kNewTracker
};

inline constexpr auto kFloat = contract::OnAll(contract::DTypes(DType::kFloat32));
inline constexpr auto kInt32 = contract::OnAll(contract::DTypes(DType::kInt32));

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::Input("currentScale", kFloat, "one element"), 0, 1),
    contract::WithRank(contract::Input("growthTracker", kInt32, "steps since the scale changed"), 0,
                       1),
    contract::WithRank(contract::Input("foundInf", kFloat, "not 0 after an overflow"), 0, 1),
    contract::Attribute("growthFactor", contract::Kind::kReal, "factor after growthInterval steps"),
    contract::Attribute("backoffFactor", contract::Kind::kReal, "factor after an overflow"),
    contract::Attribute("growthInterval", contract::Kind::kInteger,
                        "steps without overflow after which the scale grows"),
    contract::MayBe(
        contract::WithRank(contract::Output("updatedScale", kFloat, "one element"), 0, 1), kScale),
    contract::MayBe(
        contract::WithRank(contract::Output("updatedGrowthTracker", kInt32, "one element"), 0, 1),
        kTracker),
};

inline constexpr contract::Rule kRules[] = {
    contract::OneElement("one-element/currentScale", kScale, "pass a tensor of one element"),
    contract::OneElement("one-element/growthTracker", kTracker, "pass a tensor of one element"),
    contract::OneElement("one-element/foundInf", kFoundInf, "pass a tensor of one element"),
    contract::OneElement("one-element/updatedScale", kNewScale, "pass a tensor of one element"),
    contract::OneElement("one-element/updatedGrowthTracker", kNewTracker,
                         "pass a tensor of one element"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAmpUpdateScale",
    .folder = "amp_update_scale",
    .summary =
        "The loss scale of mixed precision: smaller after an overflow, larger after many steps "
        "without one.",
    .parameters = kParameters,
    .rules = kRules,
};

static_assert(contract::Matches<decltype(aclnnAmpUpdateScaleGetWorkspaceSize)>(kContract));

}  // namespace aclimb::amp_update_scale
