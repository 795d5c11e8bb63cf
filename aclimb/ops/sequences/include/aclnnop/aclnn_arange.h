// Numbers at equal distances, without the end. C++11.
#ifndef ACLNNOP_ACLNN_ARANGE_H_
#define ACLNNOP_ACLNN_ARANGE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[i] = start + i * step for all that come before end: in float64, rounded once, or in int64
// when out is of integers, as PyTorch does; numbers with a fraction lose it first then. Phase 1.
//
//   start          in   the first number, of any real dtype
//   end            in   behind the last number, of any real dtype
//   step           in   not 0, of any real dtype
//   out            out  in row-major order, rank 0 to 8, strided; dtypes: `aclimb ops arange`
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a step of 0, an end that is not reached, another
//            number of elements, a dtype, a rank above 8, a blocked format
ACLNN_API aclnnStatus aclnnArangeGetWorkspaceSize(const aclScalar* start, const aclScalar* end,
                                                  const aclScalar* step, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnArange(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ARANGE_H_
