// Regions of feature maps, pooled to one size by bilinear interpolation. C++11.
#ifndef ACLNNOP_ACLNN_ROI_ALIGN_V2_H_
#define ACLNNOP_ACLNN_ROI_ALIGN_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Each region is cut into pooledHeight by pooledWidth bins, and each bin is the mean of
// samples on a regular grid; a sample outside the map counts as zero.
//
//   self           in   [B, C, H, W], FLOAT or FLOAT16, NCHW or ND, strided
//   boxes          in   [K, 5] rows (image, x1, y1, x2, y2) in coordinates of the image, dtype of
//                       self; a region whose image, rounded down, is outside [0, B) gives zeros
//   pooledHeight   in   out's third extent
//   pooledWidth    in   out's fourth extent
//   spatialScale   in   size of the map relative to the image, above 1.17549435e-38
//   samplingRatio  in   samples per bin along each axis, 0 for about one per pixel
//   aligned        in   true shifts coordinates by -0.5 and lets regions shrink to nothing
//   out            out  [K, C, pooledHeight, pooledWidth], dtype of self, NCHW or ND
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, a negative
//                   samplingRatio, a spatialScale that is not positive
ACLNN_API aclnnStatus aclnnRoiAlignV2GetWorkspaceSize(const aclTensor* self, const aclTensor* boxes,
                                                      int64_t pooledHeight, int64_t pooledWidth,
                                                      float spatialScale, int64_t samplingRatio,
                                                      bool aligned, aclTensor* out,
                                                      uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRoiAlignV2(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROI_ALIGN_V2_H_
