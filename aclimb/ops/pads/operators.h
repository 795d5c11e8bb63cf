#pragma once

#include "aclimb/ops/pads/contracts.h"
#include "aclimb/ops/pads/draw.h"
#include "aclimb/ops/pads/edge_contracts.h"
#include "aclimb/ops/pads/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::pads {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnConstantPadNdGetWorkspaceSize)>(constant::kContract, &ConstantTruth,
                                                               &DrawConstant),
    truth::Entry<decltype(aclnnReflectionPad1dGetWorkspaceSize)>(
        reflection::kContract1d, &AroundTruth<Edge::kMirrored>, &DrawReflection<1>),
    truth::Entry<decltype(aclnnReflectionPad2dGetWorkspaceSize)>(
        reflection::kContract2d, &AroundTruth<Edge::kMirrored>, &DrawReflection<2>),
#define ACLIMB_PAD(name, Name, header, dims, ...)        \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>( \
      k##Name##Contract, &AroundTruth<Edge::kRepeated>, &DrawReplication<dims>),
#define ACLIMB_PAD_BACKWARD(name, Name, header, edge, dims, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(         \
      k##Name##Contract, &GradientTruth<Edge::k##edge>, &DrawGradient<Edge::k##edge, dims>),
#include "aclimb/ops/pads/rows.inc"
#undef ACLIMB_PAD
#undef ACLIMB_PAD_BACKWARD
};

}  // namespace aclimb::pads
