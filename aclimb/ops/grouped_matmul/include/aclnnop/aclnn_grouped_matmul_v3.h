// Several products of matrices in one call. C++11.
#ifndef ACLNNOP_ACLNN_GROUPED_MATMUL_V3_H_
#define ACLNNOP_ACLNN_GROUPED_MATMUL_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. y[i] = x[i] @ weight[i] + bias[i] for each i, where every product has tensors of its
// own. The other forms of the interface, in which groups are parts of one tensor or weights are
// quantised, are not implemented and refused by name.
//
//   x                         in   1 to 128 tensors [..., K], of 2 to 6 dimensions and of one
//                                  dtype: FLOAT, FLOAT16 or BFLOAT16
//   weight                    in   as many [K, N], dtype of x; a transposed view is as fast
//   biasOptional              in   as many [N], FLOAT16 with FLOAT16, else FLOAT; or null
//   scaleOptional             in   null
//   offsetOptional            in   null
//   antiquantScaleOptional    in   null
//   antiquantOffsetOptional   in   null
//   groupListOptional         in   null
//   splitItem                 in   0 or 1: y has a tensor for each product
//   groupType                 in   -1: nothing is divided into groups
//   y                         out  as many [..., N], dtype of x
//   workspaceSize             out  bytes of device memory for phase 2
//   executor                  out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or form that is not listed
ACLNN_API aclnnStatus aclnnGroupedMatmulV3GetWorkspaceSize(
    const aclTensorList* x, const aclTensorList* weight, const aclTensorList* biasOptional,
    const aclTensorList* scaleOptional, const aclTensorList* offsetOptional,
    const aclTensorList* antiquantScaleOptional, const aclTensorList* antiquantOffsetOptional,
    const aclTensor* groupListOptional, int64_t splitItem, int64_t groupType,
    const aclTensorList* y, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnGroupedMatmulV3(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUPED_MATMUL_V3_H_
