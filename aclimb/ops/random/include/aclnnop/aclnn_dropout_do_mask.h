// Drops the elements whose bits are 0. C++11.
#ifndef ACLNNOP_ACLNN_DROPOUT_DO_MASK_H_
#define ACLNNOP_ACLNN_DROPOUT_DO_MASK_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self / (1 - prob) where the bit of the mask is 1, else 0, as aclnnDropoutGenMaskV2 has made
// it. Phase 1.
//
//   self           in   rank 0 to 8, strided
//   mask           in   UINT8, of the elements' number rounded up to 128, divided by 8
//   prob           in   with which elements are dropped, 0 to 1
//   out            out  shape of self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnDropoutDoMaskGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* mask, double prob,
                                                         aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnDropoutDoMask(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_DROPOUT_DO_MASK_H_
