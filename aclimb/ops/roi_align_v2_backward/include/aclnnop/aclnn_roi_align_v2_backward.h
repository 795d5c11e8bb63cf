// Gradient of aclnnRoiAlignV2 with respect to the feature map. C++11.
#ifndef ACLNNOP_ACLNN_ROI_ALIGN_V2_BACKWARD_H_
#define ACLNNOP_ACLNN_ROI_ALIGN_V2_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Spreads the gradient of K pooled regions over the feature map, each sample with bilinear
// weights, and adds the contributions of all regions.
//
//   gradOutput     in   [K, C, pooledHeight, pooledWidth] FLOAT, NCHW, strided
//   boxes          in   [K, 5] FLOAT, ND, strided; rows (image, x1, y1, x2, y2) in coordinates of
//                       the image. A region whose image is outside [0, B) is skipped
//   inputShape     in   the four numbers B, C, H, W of gradInput
//   pooledHeight   in   gradOutput's third dimension
//   pooledWidth    in   gradOutput's fourth dimension
//   spatialScale   in   size of the feature map relative to the image, above 0
//   samplingRatio  in   samples per bin along each axis; 0 chooses by the size of the region
//   aligned        in   true shifts the coordinates by -0.5
//   gradInput      out  [B, C, H, W] FLOAT, NCHW, strided, fully written
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 another dtype, format, rank or shape, samplingRatio < 0, spatialScale not above
//                   FLT_MIN
ACLNN_API aclnnStatus aclnnRoiAlignV2BackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* boxes, const aclIntArray* inputShape,
    int64_t pooledHeight, int64_t pooledWidth, float spatialScale, int64_t samplingRatio,
    bool aligned, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  161001 null executor, or null workspace although phase 1 asked for one
//            161002 workspace smaller than phase 1 said, an address outside device memory, or
//                   an executor of another operator
//            361001 no context, or a stream of another one
//            561103 an executor that has already run
ACLNN_API aclnnStatus aclnnRoiAlignV2Backward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROI_ALIGN_V2_BACKWARD_H_
