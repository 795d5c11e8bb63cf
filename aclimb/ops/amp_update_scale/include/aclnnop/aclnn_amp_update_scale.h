// The scale of a loss, halved after an overflow and doubled after many steps without one. C++11.
#ifndef ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H_
#define ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. What torch._amp_update_scale_ does: where foundInf is not 0, the scale is multiplied by
// backoffFactor and the tracker starts again at 0. Elsewhere the tracker grows by 1; when it is
// growthInterval, it starts again, and the scale is multiplied by growthFactor unless the product
// is no finite FLOAT.
//
//   currentScale          in   FLOAT, one element in 0 or 1 dimensions, as all tensors here
//   growthTracker         in   INT32, steps since the scale has changed
//   foundInf              in   FLOAT, not 0 where a gradient was infinite or NaN
//   growthFactor          in   factor of the scale after growthInterval steps
//   backoffFactor         in   factor of the scale after an overflow
//   growthInterval        in   steps without overflow after which the scale grows
//   updatedScale          out  FLOAT; may be currentScale
//   updatedGrowthTracker  out  INT32; may be growthTracker
//   workspaceSize         out  bytes of device memory for phase 2
//   executor              out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, a tensor of another shape
ACLNN_API aclnnStatus aclnnAmpUpdateScaleGetWorkspaceSize(
    const aclTensor* currentScale, const aclTensor* growthTracker, const aclTensor* foundInf,
    double growthFactor, double backoffFactor, int64_t growthInterval, aclTensor* updatedScale,
    aclTensor* updatedGrowthTracker, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnAmpUpdateScale(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_AMP_UPDATE_SCALE_H_
