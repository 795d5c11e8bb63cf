// Elements go back to where they were the largest of a window, in volumes. C++11.
#ifndef ACLNNOP_ACLNN_MAX_UNPOOL3D_H_
#define ACLNNOP_ACLNN_MAX_UNPOOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// outRef[indices[i]] = self[i] in each volume, 0 elsewhere. Of equal indices the last counts.
// Phase 1.
//
//   self           in   [N, C, D, H, W] or [C, D, H, W], strided; dtypes:
//                       `aclimb ops max_unpool3d`
//   indices        in   INT64 or INT32, shape of self, strided: numbers of elements of a volume of
//                       outRef, row by row
//   outputSize     in   depth, height and width of outRef, none of them 0 unless self has no
//                       elements
//   stride         in   three numbers, 1 or more, which change nothing: the indices tell all
//   padding        in   three numbers, which change nothing either
//   outRef         out  shape of self with outputSize in place of D, H and W, strided; dtype of
//                       self
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a rank, a shape, how many numbers
//            outputSize, stride or padding has, a number outside its range, a blocked format
ACLNN_API aclnnStatus aclnnMaxUnpool3dGetWorkspaceSize(
    const aclTensor* self, const aclTensor* indices, const aclIntArray* outputSize,
    const aclIntArray* stride, const aclIntArray* padding, aclTensor* outRef,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor. An index that is outside of its
// volume fails the run.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnMaxUnpool3d(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MAX_UNPOOL3D_H_
