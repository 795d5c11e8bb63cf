// Normally distributed numbers around others. C++11.
#ifndef ACLNNOP_ACLNN_NORMAL_OUT_H_
#define ACLNNOP_ACLNN_NORMAL_OUT_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = numbers of the normal distribution. Phase 1.
//
//   mean, std      in   of the distribution; std is 0 or more
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   out            out  any shape, strided; FLOAT, FLOAT16 or DOUBLE
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnNormalFloatFloatGetWorkspaceSize(float mean, float std, int64_t seed,
                                                            int64_t offset, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnNormalFloatFloat(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

// aclnnNormalFloatFloat with a mean for each element. Phase 1.
//
//   mean           in   FLOAT, FLOAT16 or DOUBLE
//   std            in   0 or more
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   out            out  shape of mean
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnNormalTensorFloatGetWorkspaceSize(const aclTensor* mean, float std,
                                                             int64_t seed, int64_t offset,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnNormalTensorFloat(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

// aclnnNormalFloatFloat with a standard deviation for each element. Phase 1.
//
//   mean           in   of the distribution
//   std            in   FLOAT, FLOAT16 or DOUBLE
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   out            out  shape of std
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnNormalFloatTensorGetWorkspaceSize(float mean, const aclTensor* std,
                                                             int64_t seed, int64_t offset,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnNormalFloatTensor(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

// aclnnNormalFloatFloat with a mean and a standard deviation for each element. Phase 1.
//
//   mean, std      in   FLOAT, FLOAT16 or DOUBLE; they broadcast
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   out            out  the shape that they broadcast to
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnNormalTensorTensorGetWorkspaceSize(const aclTensor* mean,
                                                              const aclTensor* std, int64_t seed,
                                                              int64_t offset, aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnNormalTensorTensor(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_NORMAL_OUT_H_
