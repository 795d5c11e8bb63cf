// Gradient of the Kullback-Leibler divergence. C++11.
#ifndef ACLNNOP_ACLNN_KL_DIV_BACKWARD_H_
#define ACLNNOP_ACLNN_KL_DIV_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. -target * gradOutput where target is above 0, else 0, or -exp(target) * gradOutput if
// logTarget; divided by the number of terms if reduction is 1, by self.shape[0] if it is 3.
//   gradOutput     in   gradient of the loss; broadcasts with the others
//   self           in   rank 0 to 8, strided; FLOAT, FLOAT16 or BF16
//   target         in   broadcasts with self; FLOAT, FLOAT16 or BF16
//   reduction      in   that of the loss; 3 is the mean over the batch
//   logTarget      in   that of the loss
//   out            out  the shape that the others broadcast to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null that may not be
//            161002 a dtype, a rank or a shape that does not fit, an attribute out of range
ACLNN_API aclnnStatus aclnnKlDivBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    bool logTarget, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnKlDivBackward(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_KL_DIV_BACKWARD_H_
