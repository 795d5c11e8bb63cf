// The different slices of a tensor along a dimension. C++11.
#ifndef ACLNNOP_ACLNN_UNIQUE_DIM_H_
#define ACLNNOP_ACLNN_UNIQUE_DIM_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. The different slices along a dimension, in the order of their elements: the first ones
// decide, in row-major order. NaN is larger than all numbers, and a slice with one is different
// from all others. After the run the shapes of valueOut and countsOut are what is there
// (aclGetViewShape, once the stream is synchronised): slices lie without gaps, or by the strides of
// an output of one dimension, and what comes behind them is 0.
//   self           in   rank 0 to 8, strided; dtypes: `aclimb ops unique_dim`
//   sorted         in   whether valueOut has to be in order; it always is
//   returnInverse  in   whether inverseOut is written
//   dim            in   the dimension along which slices are compared, -1 the last
//   valueOut       out  shape and dtype of self
//   inverseOut     out  where each slice of self is in valueOut: one dimension, as long as self
//                       along dim; INT64
//   countsOut      out  how often each slice of valueOut is there: one dimension, as long as self
//                       along dim; INT64
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, a rank, a dim or a shape that does not fit, slices
//            without elements
ACLNN_API aclnnStatus aclnnUniqueDimGetWorkspaceSize(const aclTensor* self, bool sorted,
                                                     bool returnInverse, int64_t dim,
                                                     aclTensor* valueOut, aclTensor* inverseOut,
                                                     aclTensor* countsOut, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnUniqueDim(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UNIQUE_DIM_H_
