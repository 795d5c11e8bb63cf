#pragma once

#include "aclimb/ops/fills/contracts.h"
#include "aclimb/ops/fills/draw.h"
#include "aclimb/ops/fills/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::fills {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnInplaceZeroGetWorkspaceSize)>(inplace_zero::kContract, &ZeroTruth),
    truth::Entry<decltype(aclnnInplaceOneGetWorkspaceSize)>(inplace_one::kContract, &OneTruth),
    truth::Entry<decltype(aclnnInplaceFillScalarGetWorkspaceSize)>(inplace_fill_scalar::kContract,
                                                                   &ScalarTruth),
    truth::Entry<decltype(aclnnInplaceFillTensorGetWorkspaceSize)>(inplace_fill_tensor::kContract,
                                                                   &TensorTruth, &DrawFillTensor),
    truth::Entry<decltype(aclnnInplaceFillDiagonalGetWorkspaceSize)>(
        inplace_fill_diagonal::kContract, &DiagonalTruth, &DrawFillDiagonal),
    truth::Entry<decltype(aclnnEyeGetWorkspaceSize)>(eye::kContract, &EyeTruth, &DrawEye),
    truth::Entry<decltype(aclnnOneHotGetWorkspaceSize)>(one_hot::kContract, &OneHotTruth,
                                                        &DrawOneHot),
};

}  // namespace aclimb::fills
