#pragma once

#include "aclimb/ops/convolution_backward/contract.h"
#include "aclimb/ops/convolution_backward/draw.h"
#include "aclimb/ops/convolution_backward/forward_contract.h"
#include "aclimb/ops/convolution_backward/forward_draw.h"
#include "aclimb/ops/convolution_backward/forward_truth.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::convolution_backward {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnConvolutionBackwardGetWorkspaceSize)>(kContract, &Truth, &DrawCall),
    truth::Entry<decltype(aclnnConvolutionGetWorkspaceSize)>(forward::kContract, &forward::Truth,
                                                             &forward::DrawCall)};

}  // namespace aclimb::convolution_backward
