// Lines in another length, by interpolation between two elements. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// out = self in another length: element o of n lies at (o + 0.5) * m / n - 0.5 between the m of
// self, at least 0; with alignCorners at o * (m - 1) / (n - 1). Phase 1.
//
//   self           in   [N, C, L], strided; dtypes: `aclimb ops upsample_linear1d`
//   outputSize     in   one number, the length of out
//   alignCorners   in   whether the centers of the elements at the ends stay where they are
//   scales         in   n / m, where that is not quite the quotient; 0, what is below, and 1: the
//                       quotient
//   out            out  N and C of self and the new length; dtype of self, strided
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null; 161002 a dtype, another rank than 3, a shape, lines without
//            elements, another count of sizes, one outside its range, another format than NCL
ACLNN_API aclnnStatus aclnnUpsampleLinear1dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, const bool alignCorners,
    const double scales, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUpsampleLinear1d(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_H_
