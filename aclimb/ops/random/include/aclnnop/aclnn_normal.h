// Fills a tensor with normally distributed numbers. C++11.
#ifndef ACLNNOP_ACLNN_NORMAL_H_
#define ACLNNOP_ACLNN_NORMAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// selfRef = numbers of the normal distribution. Equal seed and offset give equal numbers on every
// computer, in any view; they are not those of the NPU. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; overwritten
//   mean           in   of the distribution
//   std            in   its standard deviation, 0 or more
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnInplaceNormalGetWorkspaceSize(const aclTensor* selfRef, float mean,
                                                         float std, int64_t seed, int64_t offset,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceNormal(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

// aclnnInplaceNormal with seed and offset on the device. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; overwritten
//   mean, std      in   of the distribution
//   seedTensor     in   [1], INT64 or UINT64: chooses the numbers
//   offsetTensor   in   [1], INT64 or UINT64: with offset, chooses others of the same seed
//   offset         in   added to what offsetTensor holds
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnInplaceNormalTensorGetWorkspaceSize(
    const aclTensor* selfRef, float mean, float std, const aclTensor* seedTensor,
    const aclTensor* offsetTensor, int64_t offset, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceNormalTensor(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_NORMAL_H_
