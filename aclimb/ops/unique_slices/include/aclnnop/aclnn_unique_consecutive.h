// The first of each run of equal elements. C++11.
#ifndef ACLNNOP_ACLNN_UNIQUE_CONSECUTIVE_H_
#define ACLNNOP_ACLNN_UNIQUE_CONSECUTIVE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Of elements, or slices along a dimension, that are equal and follow each other, the
// first stays. No NaN is equal to another. After the run the shapes of valueOut and countsOut are
// what is there (aclGetViewShape, once the stream is synchronised): results lie without gaps, or by
// the strides of an output of one dimension, and what comes behind them is 0.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops unique_consecutive`
//   returnInverse  in   whether inverseOut is written
//   returnCounts   in   whether countsOut is written
//   dim            in   the dimension along which slices are compared, -1 the last; 1000, as
//                       torch_npu passes it: elements are, in row-major order
//   valueOut       out  shape of self; with 1000 one dimension, as long as self has elements; dtype
//                       of self
//   inverseOut     out  where each element or slice stands in valueOut: shape of self, of slices
//                       one dimension, as long as self along dim; INT64
//   countsOut      out  how many followed each other: one dimension, as long as there are elements
//                       or slices; INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, complex ones among them, a rank, a dim or a shape
//            that does not fit, slices without elements
ACLNN_API aclnnStatus aclnnUniqueConsecutiveGetWorkspaceSize(
    const aclTensor* self, bool returnInverse, bool returnCounts, int64_t dim, aclTensor* valueOut,
    aclTensor* inverseOut, aclTensor* countsOut, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUniqueConsecutive(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UNIQUE_CONSECUTIVE_H_
