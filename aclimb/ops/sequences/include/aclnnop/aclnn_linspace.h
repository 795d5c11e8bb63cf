// So many numbers at equal distances, with the end. C++11.
#ifndef ACLNNOP_ACLNN_LINSPACE_H_
#define ACLNNOP_ACLNN_LINSPACE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[i] = start + i * (end - start) / (steps - 1), so that the last number is end: in float64,
// rounded once. Phase 1.
//
//   start          in   the first number, of any real dtype
//   end            in   the last number, of any real dtype
//   steps          in   how many numbers, at least 0
//   out            out  in row-major order, rank 0 to 8, strided; dtypes: `aclimb ops linspace`
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 steps below 0, another number of elements, a dtype,
//            a rank above 8, a blocked format
ACLNN_API aclnnStatus aclnnLinspaceGetWorkspaceSize(const aclScalar* start, const aclScalar* end,
                                                    int64_t steps, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnLinspace(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LINSPACE_H_
