// Gradients of a normalization of groups of channels. C++11.
#ifndef ACLNNOP_ACLNN_GROUP_NORM_BACKWARD_H_
#define ACLNNOP_ACLNN_GROUP_NORM_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gradients of aclnnGroupNorm with respect to self, gamma and beta. Phase 1.
//   gradOut       in    gradient of the forward output: N * C * HxW elements
//   input         in    the forward input: as many
//   mean          in    N * group elements, what the forward call returned
//   rstd          in    N * group elements, what the forward call returned
//   gamma         in    C elements, may be null: ones
//   N             in    samples
//   C             in    channels, a multiple of group
//   HxW           in    elements of a channel of a sample
//   group         in    groups of neighbouring channels
//   outputMask    in    three flags: which of the outputs to write; the others may be null
//   gradInput     out   as many elements as input
//   gradGammaOut  out   C elements
//   gradBetaOut   out   C elements
//   workspaceSize  out  bytes of device memory for phase 2, executor out for phase 2
//   returns  161001 a required pointer is null; 161002 a dtype, a shape, a number, a rank above 8,
//            a blocked format
ACLNN_API aclnnStatus aclnnGroupNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclTensor* mean, const aclTensor* rstd,
    const aclTensor* gamma, int64_t N, int64_t C, int64_t HxW, int64_t group,
    const aclBoolArray* outputMask, aclTensor* gradInput, aclTensor* gradGammaOut,
    aclTensor* gradBetaOut, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnGroupNormBackward(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUP_NORM_BACKWARD_H_
