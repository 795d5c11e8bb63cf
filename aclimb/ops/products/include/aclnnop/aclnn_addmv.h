// A scaled vector plus the scaled product of a matrix and a vector. C++11.
#ifndef ACLNNOP_ACLNN_ADDMV_H_
#define ACLNNOP_ACLNN_ADDMV_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = beta * self + alpha * (mat @ vec). Note that alpha comes before beta here. FLOAT16
// is added in float32 and rounded once; integers wrap; BOOL is any(mat and vec) or self.
//   self, mat, vec  in   [M] or [1], [M, K] and [K], strided; FLOAT, FLOAT16, DOUBLE, BOOL and
//                        signed integers, UINT8
//   alpha, beta     in   real scalars; self is not read if beta is 0, nor the factors if alpha is
//   out             out  [M]; the dtype to which the five inputs are promoted
//   cubeMathType    in   0 keep the dtype; 1, 2, 3 allow less precision, which is not used
//   workspaceSize   out  bytes of device memory for phase 2
//   executor        out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a shape, a blocked format, cubeMathType, a self of [1] with alpha 0
ACLNN_API aclnnStatus aclnnAddmvGetWorkspaceSize(const aclTensor* self, const aclTensor* mat,
                                                 const aclTensor* vec, const aclScalar* alpha,
                                                 const aclScalar* beta, aclTensor* out,
                                                 int8_t cubeMathType, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnAddmv(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADDMV_H_
