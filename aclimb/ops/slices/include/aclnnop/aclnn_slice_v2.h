// Part of a tensor along several dimensions. C++11.
#ifndef ACLNNOP_ACLNN_SLICE_V2_H_
#define ACLNNOP_ACLNN_SLICE_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = every step-th index from start on that comes before end, along several dimensions. Phase
// 1.
//
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops slice_v2`
//   starts         in   the first index of each axis; one below 0 counts from the end, one
//                       outside is cut to the nearest
//   ends           in   behind the last index of each axis, counted likewise
//   axes           in   dimensions of self, each once, -1 the last
//   steps          in   above 0, one of each axis
//   out            out  dtype of self, strided; as long in each axis as indices are taken
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, axes that are none, arrays of unequal
//            length, a step of 0 or less, another shape of out, a rank that is not listed, a
//            blocked format
ACLNN_API aclnnStatus aclnnSliceV2GetWorkspaceSize(const aclTensor* self, const aclIntArray* starts,
                                                   const aclIntArray* ends, const aclIntArray* axes,
                                                   const aclIntArray* steps, aclTensor* out,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnSliceV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SLICE_V2_H_
