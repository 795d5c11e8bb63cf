// Norms of the elements along dimensions. C++11.
#ifndef ACLNNOP_ACLNN_LINALG_VECTOR_NORM_H_
#define ACLNNOP_ACLNN_LINALG_VECTOR_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The sum of |x|^p, of which the root is taken by p; for infinite p the largest or the
// smallest |x|, of which there has to be one, as for negative p.
//
//   self      in   rank 0 to 8, strided; FLOAT, FLOAT16, on A2 and later chips BF16
//   ord       in   p, any real number, also infinite; 0 counts what is not 0
//   dims      in   the dimensions, from -rank to rank - 1; none means all
//   keepDims  in   whether the dimensions are kept, as 1
//   dtype     in   what the norms are rounded to
//   out       out  the shape of self without those dimensions, strided; dtypes as of self
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a shape, a dimension, a rank above 8, a
//            blocked format
ACLNN_API aclnnStatus aclnnLinalgVectorNormGetWorkspaceSize(
    const aclTensor* self, const aclScalar* ord, const aclIntArray* dims, bool keepDims,
    const aclDataType dtype, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnLinalgVectorNorm(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LINALG_VECTOR_NORM_H_
