#pragma once

#include "aclimb/ops/roi_align_v2_backward/contract.h"
#include "aclimb/ops/roi_align_v2_backward/draw.h"
#include "aclimb/ops/roi_align_v2_backward/forward_contract.h"
#include "aclimb/ops/roi_align_v2_backward/forward_draw.h"
#include "aclimb/ops/roi_align_v2_backward/forward_truth.h"
#include "aclimb/ops/roi_align_v2_backward/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::roi_align_v2_backward {

// Truths hold for finite maps and gradients: kernels add the weights that the samples of a bin give
// a pixel before they meet it, and leave it out where they are 0. Sample by sample a weight of 0
// makes NaN of infinity.
inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnRoiAlignV2BackwardGetWorkspaceSize)>(kContract, &Truth, &DrawCall,
                                                                    /*holds_beyond_finite=*/false),
    truth::Entry<decltype(aclnnRoiAlignV2GetWorkspaceSize)>(
        kForwardContract, &ForwardTruth, &DrawForward, /*holds_beyond_finite=*/false),
    truth::Entry<decltype(aclnnRoiAlignGetWorkspaceSize)>(kFirstContract, &FirstTruth, &DrawFirst,
                                                          /*holds_beyond_finite=*/false)};

}  // namespace aclimb::roi_align_v2_backward
