#pragma once

#include "aclimb/ops/weight_quant_batch_matmul/contract.h"
#include "aclimb/ops/weight_quant_batch_matmul/draw.h"
#include "aclimb/ops/weight_quant_batch_matmul/truth.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::weight_quant_batch_matmul {

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize)>(kContractOfV2, &Truth<kY>,
                                                                          &Draw<kContractOfV2, kY>),
    truth::Entry<decltype(aclnnWeightQuantBatchMatmulV3GetWorkspaceSize)>(
        kContractOfV3, &Truth<kYOfV3>, &Draw<kContractOfV3, kYOfV3>),
};

}  // namespace aclimb::weight_quant_batch_matmul
