// Whether a number is among the elements of a tensor. C++11.
#ifndef ACLNNOP_ACLNN_ISIN_SCALAR_TENSOR_H_
#define ACLNNOP_ACLNN_ISIN_SCALAR_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = whether the number is among the elements, compared in the dtype that they promote
// to; NaN equals nothing.
//
//   element        in   the number, real
//   testElements   in   rank 0 to 8, strided; dtypes: `aclimb ops is_in_scalar_tensor`
//   assumeUnique   in   whether no element is there twice, which does not matter
//   invert         in   true: out is true if the number is not among the elements
//   out            out  BOOL, one element
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, a complex scalar, another shape of out
ACLNN_API aclnnStatus aclnnIsInScalarTensorGetWorkspaceSize(const aclScalar* element,
                                                            const aclTensor* testElements,
                                                            bool assumeUnique, bool invert,
                                                            aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIsInScalarTensor(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ISIN_SCALAR_TENSOR_H_
