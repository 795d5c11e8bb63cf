// The sum of a matrix's diagonal. C++11.
#ifndef ACLNNOP_ACLNN_TRACE_H_
#define ACLNNOP_ACLNN_TRACE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out = self[0][0] + self[1][1] + ..., 0 where there is none. Integers wrap at 64 bits.
//   self           in   [rows, columns], strided; dtypes: `aclimb ops trace`
//   out            out  one element, of rank 0 or 1; dtype of self, INT64 of integers and BOOL
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, complex ones among them, another dtype of out, a
//            rank or a shape that does not fit
ACLNN_API aclnnStatus aclnnTraceGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                 uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnTrace(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRACE_H_
