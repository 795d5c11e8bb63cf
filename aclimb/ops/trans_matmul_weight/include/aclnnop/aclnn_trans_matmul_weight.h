// Prepares weights for products of matrices. C++11.
#ifndef ACLNNOP_ACLNN_TRANS_MATMUL_WEIGHT_H_
#define ACLNNOP_ACLNN_TRANS_MATMUL_WEIGHT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// How many elements a weight has when it is prepared for the chip's matrix unit, as the documents
// say it: the last dimension is rounded up to 16, of INT8 to 32, and the one before it to 16. No
// phases, no device. Nothing here brings data into such an order, and a program that allocates so
// much has enough.
//
//   tensorShape       in   2 to 6 extents, none of them 0 or less
//   dataType          in   ACL_FLOAT16, ACL_BF16 or ACL_INT8
//   weightTensorSize  out  elements, not bytes
//   returns  161001 a pointer is null
//            161002 another number of extents, an extent below 1, another dtype, or a product
//                   beyond 2^63
ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape,
                                                       aclDataType dataType,
                                                       uint64_t* weightTensorSize);

// aclnnCalculateMatmulWeightSizeV2 of ACL_FLOAT16 and ACL_BF16.
ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape,
                                                     uint64_t* weightTensorSize);

// Phase 1. Prepares a weight in its own memory: products of matrices here read it as it is, so that
// it stays as it is, and so does its format.
//
//   mmWeightRef    in, out  FLOAT16, INT8 or, on newer chips, BFLOAT16; rank 2, of INT8 up to 6;
//                           not empty
//   workspaceSize  out      bytes of device memory for phase 2
//   executor       out      for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype or rank that is not listed, an empty tensor, a chip without it
ACLNN_API aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor* mmWeightRef,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

// Phase 2: consumes the executor.
ACLNN_API aclnnStatus aclnnTransMatmulWeight(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRANS_MATMUL_WEIGHT_H_
