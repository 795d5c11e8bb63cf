// The product of a matrix and a weight of small integers, with a choice of precision. C++11.
#ifndef ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V3_H_
#define ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. As aclnnWeightQuantBatchMatmulV2 (aclnn_weight_quant_batch_matmul_v2.h), with
//
//   innerPrecise  in   0, or 1, which allows less precision and changes nothing here
//   returns  161001 and 161002 as that function does; 161002 also on chips that lack this one, and
//            where innerPrecise is another number
ACLNN_API aclnnStatus aclnnWeightQuantBatchMatmulV3GetWorkspaceSize(
    const aclTensor* x, const aclTensor* weight, const aclTensor* antiquantScale,
    const aclTensor* antiquantOffsetOptional, const aclTensor* quantScaleOptional,
    const aclTensor* quantOffsetOptional, const aclTensor* biasOptional, int antiquantGroupSize,
    int innerPrecise, const aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnWeightQuantBatchMatmulV3(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V3_H_
