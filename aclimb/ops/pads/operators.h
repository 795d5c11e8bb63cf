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
#define ACLIMB_PAD(name, Name, header, edge, dims, ...)  \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>( \
      k##Name##Contract, &AroundTruth<Edge::k##edge>, &DrawAround<Edge::k##edge, dims>),
#define ACLIMB_PAD_BACKWARD(name, Name, header, edge, dims, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(         \
      k##Name##Contract, &GradientTruth<Edge::k##edge>, &DrawGradient<Edge::k##edge, dims>),
#include "aclimb/ops/pads/rows.inc"
#undef ACLIMB_PAD
#undef ACLIMB_PAD_BACKWARD
};

}  // namespace aclimb::pads
