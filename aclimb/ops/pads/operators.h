#pragma once

#include "aclimb/ops/pads/contracts.h"
#include "aclimb/ops/pads/draw.h"
#include "aclimb/ops/pads/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::pads {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnConstantPadNdGetWorkspaceSize)>(constant::kContract, &ConstantTruth,
                                                               &DrawConstant),
    truth::Entry<decltype(aclnnReflectionPad1dGetWorkspaceSize)>(
        reflection::kContract1d, &ReflectionTruth, &DrawReflection<1>),
    truth::Entry<decltype(aclnnReflectionPad2dGetWorkspaceSize)>(
        reflection::kContract2d, &ReflectionTruth, &DrawReflection<2>),
};

}  // namespace aclimb::pads
