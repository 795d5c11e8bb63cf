// The largest or smallest elements along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_TOPK_H_
#define ACLNNOP_ACLNN_TOPK_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The k largest elements, or the smallest, along a dimension and their places in it, in
// order; NaN is larger than all numbers, and of equal elements the first one counts first.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops topk`
//   k              in   0 to self.shape[dim]
//   dim            in   -rank to rank - 1 of self
//   largest        in   whether the largest are wanted
//   sorted         in   whether they have to be in order; they always are
//   valuesOut      out  shape of self with k in place of dimension dim; dtype of self
//   indicesOut     out  the same shape, INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype, a rank or a shape that does not fit, dim or k out of range
ACLNN_API aclnnStatus aclnnTopkGetWorkspaceSize(const aclTensor* self, int64_t k, int64_t dim,
                                                bool largest, bool sorted, aclTensor* valuesOut,
                                                aclTensor* indicesOut, uint64_t* workspaceSize,
                                                aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnTopk(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TOPK_H_
