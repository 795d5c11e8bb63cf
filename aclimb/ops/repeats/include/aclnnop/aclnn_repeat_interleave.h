// Each index of a tensor several times. C++11.
#ifndef ACLNNOP_ACLNN_REPEAT_INTERLEAVE_H_
#define ACLNNOP_ACLNN_REPEAT_INTERLEAVE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = every index of a dimension so often, one after another. Phase 1.
//
//   self           in   rank 0 to 8, strided; dtypes:
//                       `aclimb ops repeat_interleave_int_with_dim`
//   repeats        in   at least 0
//   dim            in   of self, -1 the last
//   outputSize     in   extent of dimension dim times repeats
//   out            out  dtype of self, strided; outputSize long in dimension dim
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, repeats below 0, a dimension that is none,
//            another outputSize, another shape of out, a rank that is not listed, a blocked
//            format
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntWithDimGetWorkspaceSize(
    const aclTensor* self, int64_t repeats, int64_t dim, int64_t outputSize, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntWithDim(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

// out = every element so often, one after another. Phase 1.
//
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops repeat_interleave_int`
//   repeats        in   at least 0
//   outputSize     in   elements of self times repeats
//   out            out  [outputSize], dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a number below 0, a dimension that is none,
//            another shape or count, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntGetWorkspaceSize(const aclTensor* self,
                                                               int64_t repeats, int64_t outputSize,
                                                               aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRepeatInterleaveInt(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

// out = every element as often as repeats says, one after another. Phase 1.
//
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops repeat_interleave`
//   repeats        in   rank 0 or 1, strided; INT32 or INT64: one number for all, or one for each
//                       element. One below 0, or another sum than outputSize, fails the run
//                       (507015)
//   outputSize     in   the sum of repeats
//   out            out  [outputSize], dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a number below 0, a dimension that is none,
//            another shape or count, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnRepeatInterleaveGetWorkspaceSize(const aclTensor* self,
                                                            const aclTensor* repeats,
                                                            int64_t outputSize, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRepeatInterleave(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

// out = every index of a dimension as often as repeats says, one after another. Phase 1.
//
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops repeat_interleave_with_dim`
//   repeats        in   as of aclnnRepeatInterleave, one for each index of the dimension
//   dim            in   of self, -1 the last
//   outputSize     in   the sum of repeats
//   out            out  dtype of self, strided; outputSize long in dimension dim
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, a number below 0, a dimension that is none,
//            another shape or count, a rank that is not listed, a blocked format
ACLNN_API aclnnStatus aclnnRepeatInterleaveWithDimGetWorkspaceSize(
    const aclTensor* self, const aclTensor* repeats, int64_t dim, int64_t outputSize,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnRepeatInterleaveWithDim(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_REPEAT_INTERLEAVE_H_
