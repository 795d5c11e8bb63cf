// Gradient of aclnnElu with respect to its input. C++11.
#ifndef ACLNNOP_ACLNN_ELU_BACKWARD_H_
#define ACLNNOP_ACLNN_ELU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. With g from gradOutput, v from selfOrResult and c = alpha * scale, all in float32:
//   v > 0 or NaN              gradInput = g * scale
//   v <= 0, isResult true     gradInput = g * inputScale * (v + c)
//   v <= 0, isResult false    gradInput = g * inputScale * c * exp(v * inputScale)
// rounded to the dtype of gradOutput, and from that converted to the dtype of gradInput.
//
//   gradOutput    in   rank 0 to 8, strided; FLOAT, FLOAT16, on A2 and later chips BF16
//   alpha         in   scalar of any real dtype; not negative when isResult is true
//   scale         in   scalar of any real dtype
//   inputScale    in   scalar of any real dtype
//   isResult      in   selfOrResult is what the forward call returned (true) or read (false)
//   selfOrResult  in   shape and dtype of gradOutput, strided
//   gradInput     out  shape of gradOutput, strided; FLOAT, FLOAT16, BF16 or DOUBLE
//   workspaceSize out  bytes of device memory for phase 2
//   executor      out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, complex scalars, unequal shapes, rank above 8, a
//                   blocked format, alpha < 0 with isResult
ACLNN_API aclnnStatus aclnnEluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale,
    const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  161001 null executor, or null workspace although phase 1 asked for one
//            161002 workspace smaller than phase 1 said, an address outside device memory, or
//                   an executor of another operator
//            361001 no context, or a stream of another one
//            561103 an executor that has already run
ACLNN_API aclnnStatus aclnnEluBackward(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ELU_BACKWARD_H_
