// Gradients of aclnnPrelu. C++11.
#ifndef ACLNNOP_ACLNN_PRELU_BACKWARD_H_
#define ACLNNOP_ACLNN_PRELU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. gradInput = gradOutput where self > 0, else weight * gradOutput; gradWeight is the sum
// of gradOutput * self over all elements of the weight's channel that are not above 0.
//
//   gradOutput     in   broadcasts to the shape of self; FLOAT or FLOAT16, on newer chips also
//                       BFLOAT16
//   self           in   input of the forward call, any shape; dtype of gradOutput
//   weight         in   weight of the forward call; dtype of gradOutput
//   gradInput      out  shape of self; dtype of gradOutput
//   gradWeight     out  shape of a weight of one element, else one dimension of as many elements
//                       as weight has; dtype of gradOutput
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, a shape that does not fit
ACLNN_API aclnnStatus aclnnPreluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* weight,
    aclTensor* gradInput, aclTensor* gradWeight, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnPreluBackward(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_PRELU_BACKWARD_H_
