// Fills a tensor with uniformly distributed numbers. C++11.
#ifndef ACLNNOP_ACLNN_UNIFORM_H_
#define ACLNNOP_ACLNN_UNIFORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// selfRef = numbers from `from` up to `to`, `to` itself not among them. Equal seed and offset give
// equal numbers on every computer, in any view; they are not those of the NPU. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; overwritten
//   from           in   the least number
//   to             in   above all numbers; equal to `from`: every element is `from`
//   seed           in   chooses the numbers
//   offset         in   chooses others of the same seed
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnInplaceUniformGetWorkspaceSize(const aclTensor* selfRef, double from,
                                                          double to, uint64_t seed, uint64_t offset,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceUniform(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

// aclnnInplaceUniform with seed and offset on the device. Phase 1.
//
//   selfRef        out  rank 0 to 8, strided; overwritten
//   from, to       in   the least number, and what is above all of them
//   seedTensor     in   [1], INT64 or UINT64: chooses the numbers
//   offsetTensor   in   [1], INT64 or UINT64: with offset, chooses others of the same seed
//   offset         in   added to what offsetTensor holds
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 all else that breaks a rule (`aclimb ops`)
ACLNN_API aclnnStatus aclnnInplaceUniformTensorGetWorkspaceSize(
    const aclTensor* selfRef, double from, double to, const aclTensor* seedTensor,
    const aclTensor* offsetTensor, uint64_t offset, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceUniformTensor(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UNIFORM_H_
