// Whether elements are about equal. C++11.
#ifndef ACLNNOP_ACLNN_ISCLOSE_H_
#define ACLNNOP_ACLNN_ISCLOSE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = whether |self - other| <= atol + rtol * |other|. Infinities are close to themselves alone.
// Phase 1.
//
//   self           in   rank 0 to 8, strided; broadcasts with other
//   other          in   dtype of self
//   rtol           in   0 or more
//   atol           in   0 or more
//   equal_nan      in   whether NaN is close to NaN
//   out            out  BOOL, of the shape that both broadcast to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnIsCloseGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                                   double rtol, double atol, bool equal_nan,
                                                   aclTensor* out, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnIsClose(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ISCLOSE_H_
