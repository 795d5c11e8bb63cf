// The product of a matrix and a weight of small integers, which have scales. C++11.
#ifndef ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V2_H_
#define ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. y = x @ w + bias, where w = (weight + antiquantOffset) * antiquantScale. It is computed
// in float32, from the weight's integers, and rounded once. Of INT4 two elements share a byte, the
// even one in the low half; strides and offset count elements.
//
//   x                        in   [M, K], FLOAT16 or BFLOAT16
//   weight                   in   [K, N], INT8 or INT4; a transposed view is as fast. The format
//                                 FRACTAL_NZ counts as ND
//   antiquantScale           in   dtype of x: [1] for all, [N] or [1, N] for columns, or
//                                 [ceil(K / antiquantGroupSize), N] for groups of a column
//   antiquantOffsetOptional  in   as antiquantScale, or null for 0
//   quantScaleOptional       in   null: y is not made INT8 here
//   quantOffsetOptional      in   null, likewise
//   biasOptional             in   [N] or [1, N], FLOAT16 with FLOAT16, FLOAT with BFLOAT16; or null
//   antiquantGroupSize       in   0, or elements of a group: 32, 64, 96 ... below K
//   y                        out  [M, N], dtype of x
//   workspaceSize            out  bytes of device memory for phase 2
//   executor                 out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or group that is not listed; INT4 that begins within a byte
ACLNN_API aclnnStatus aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* weight, const aclTensor* antiquantScale,
    const aclTensor* antiquantOffsetOptional, const aclTensor* quantScaleOptional,
    const aclTensor* quantOffsetOptional, const aclTensor* biasOptional, int antiquantGroupSize,
    const aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnWeightQuantBatchMatmulV2(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V2_H_
