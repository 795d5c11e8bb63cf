// Turns queries and keys by angles that depend on the position, in place. C++11.
#ifndef ACLNNOP_ACLNN_APPLY_ROTARY_POS_EMB_H_
#define ACLNNOP_ACLNN_APPLY_ROTARY_POS_EMB_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. queryRef = queryRef * cos + turned(queryRef) * sin, where turned(x) of halves x1, x2 is
// (-x2, x1), and keyRef alike.
//
//   queryRef       in and out  [B, S, N, D]; FLOAT or FLOAT16, on newer chips also BFLOAT16
//   keyRef         in and out  [B, S, N2, D]; dtype of queryRef
//   cos, sin       in          [B, S, 1, D]; dtype of queryRef; D is even
//   layout         in          1, the order above
//   workspaceSize  out         bytes of device memory for phase 2
//   executor       out         for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, shape or layout that is not listed
ACLNN_API aclnnStatus aclnnApplyRotaryPosEmbGetWorkspaceSize(aclTensor* queryRef, aclTensor* keyRef,
                                                             const aclTensor* cos,
                                                             const aclTensor* sin, int64_t layout,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnApplyRotaryPosEmb(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_APPLY_ROTARY_POS_EMB_H_
