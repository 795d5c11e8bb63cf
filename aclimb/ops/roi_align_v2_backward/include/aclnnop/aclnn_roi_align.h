// Regions of feature maps, pooled to one size by bilinear interpolation. C++11.
#ifndef ACLNNOP_ACLNN_ROI_ALIGN_H_
#define ACLNNOP_ACLNN_ROI_ALIGN_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Each region is cut into outputHeight by outputWidth bins, and each bin is the mean of
// samples on a regular grid; a sample outside the map counts as zero. As aclnnRoiAlignV2 with
// aligned = false.
//
//   self           in   [B, C, H, W], FLOAT or FLOAT16, NCHW or ND, strided
//   rois           in   [K, 4] rows (x1, y1, x2, y2) in coordinates of the image, dtype of self
//   batchIndices   in   [K] INT32, image of each region; one outside [0, B) gives zeros
//   mode           in   "avg"; the document's other one, "max", is refused
//   outputHeight   in   out's third extent
//   outputWidth    in   out's fourth extent
//   samplingRatio  in   samples per bin along each axis, 0 for about one per pixel
//   spatialScale   in   size of the map relative to the image, above 0
//   out            out  [K, C, outputHeight, outputWidth], dtype of self, NCHW or ND
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, a negative
//                   samplingRatio, a spatialScale that is not positive, another mode
ACLNN_API aclnnStatus aclnnRoiAlignGetWorkspaceSize(const aclTensor* self, const aclTensor* rois,
                                                    const aclTensor* batchIndices, const char* mode,
                                                    int outputHeight, int outputWidth,
                                                    int samplingRatio, float spatialScale,
                                                    aclTensor* out, uint64_t* workspaceSize,
                                                    aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRoiAlign(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROI_ALIGN_H_
