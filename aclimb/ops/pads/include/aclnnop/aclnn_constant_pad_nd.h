// A tensor with a number around it. C++11.
#ifndef ACLNNOP_ACLNN_CONSTANT_PAD_ND_H_
#define ACLNNOP_ACLNN_CONSTANT_PAD_ND_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self with a number put around it. Phase 1.
//
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops constant_pad_nd`
//   pad            in   pairs of how much is put before and behind, the last dimension first;
//                       what is below 0 is cut off
//   value          in   converted to the dtype of self as aclnnCast does
//   out            out  dtype of self, strided; the shape of self with both added
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, an odd number or too many of pad, more cut
//            off than there is, a complex value for a real self, another shape of out, a rank
//            that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnConstantPadNdGetWorkspaceSize(const aclTensor* self,
                                                         const aclIntArray* pad,
                                                         const aclScalar* value, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnConstantPadNd(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CONSTANT_PAD_ND_H_
