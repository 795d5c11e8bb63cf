// A tensor with its mirror image around it. C++11.
#ifndef ACLNNOP_ACLNN_REFLECTION_PAD1D_H_
#define ACLNNOP_ACLNN_REFLECTION_PAD1D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self with the indices next to its ends put around it, mirrored at the ends. Phase 1.
//
//   self           in   rank 2 or 3, strided; dtypes: `aclimb ops reflection_pad1d`
//   padding        in   how much is put before and behind, at least 0 and less than the last
//                       dimension of self
//   out            out  dtype of self, strided; the shape of self with both added to the last
//                       dimension
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a padding of other length or outside its
//            bounds, another shape of out, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnReflectionPad1dGetWorkspaceSize(const aclTensor* self,
                                                           const aclIntArray* padding,
                                                           aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnReflectionPad1d(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_REFLECTION_PAD1D_H_
