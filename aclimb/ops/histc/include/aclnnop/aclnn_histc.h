// A histogram. C++11.
#ifndef ACLNNOP_ACLNN_HISTC_H_
#define ACLNNOP_ACLNN_HISTC_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. out[i] = how many elements of self are in bin i of those that are equally wide from min
// to max. The last bin has max too; what is outside, and NaN, is in none.
//
//   self           in   any shape; dtypes: `aclimb ops histc`
//   bins           in   how many there are, above 0
//   min, max       in   real and finite, min <= max. If they are equal, the range is that of the
//                       elements of self, and if these are equal as well, from one below them to
//                       one above. A range of elements that is not finite has nothing in it
//   out            out  [bins]; a count that its dtype does not have is converted as aclnnCast does
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, bins below 1, min or max not finite, min above max,
//            another shape of out
//
// Floating elements are placed by float32 arithmetic, as by PyTorch; integers by that of DOUBLE.
ACLNN_API aclnnStatus aclnnHistcGetWorkspaceSize(const aclTensor* self, int64_t bins,
                                                 const aclScalar* min, const aclScalar* max,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnHistc(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_HISTC_H_
