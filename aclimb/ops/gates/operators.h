#pragma once

#include "aclimb/ops/gates/contract.h"
#include "aclimb/ops/gates/draw.h"
#include "aclimb/ops/gates/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::gates {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnSwiGluGetWorkspaceSize)>(swi_glu::kContract, &swi_glu::Truth,
                                                        &swi_glu::DrawCall),
    truth::Entry<decltype(aclnnSwiGluGradGetWorkspaceSize)>(
        swi_glu_grad::kContract, &swi_glu_grad::Truth, &swi_glu_grad::DrawCall),
    truth::Entry<decltype(aclnnGluGetWorkspaceSize)>(glu::kContract, &glu::Truth, &glu::DrawCall),
    truth::Entry<decltype(aclnnGluBackwardGetWorkspaceSize)>(
        glu_backward::kContract, &glu_backward::Truth, &glu_backward::DrawCall),
    truth::Entry<decltype(aclnnGeGluGetWorkspaceSize)>(ge_glu::kContract, &ge_glu::Truth,
                                                       &ge_glu::DrawCall),
    truth::Entry<decltype(aclnnGeGluV3GetWorkspaceSize)>(ge_glu_v3::kContract, &ge_glu_v3::Truth,
                                                         &ge_glu_v3::DrawCall),
};

}  // namespace aclimb::gates
