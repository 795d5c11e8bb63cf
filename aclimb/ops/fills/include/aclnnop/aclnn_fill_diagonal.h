// Fills a diagonal with a number of the host. C++11.
#ifndef ACLNNOP_ACLNN_FILL_DIAGONAL_H_
#define ACLNNOP_ACLNN_FILL_DIAGONAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Elements of selfRef whose indices are all equal become fillValue, the others stay.
//
//   selfRef        in/out  rank 2 to 8, strided; with more dimensions than two all of them have one
//                          extent; dtypes: `aclimb ops inplace_fill_diagonal`
//   fillValue      in      converted to the dtype of selfRef; a number of that dtype, where it is
//                          one of integers
//   wrap           in      whether in a matrix with more rows than columns a diagonal begins again
//                          one row behind the end of each
//   workspaceSize  out     bytes of device memory for phase 2
//   executor       out     for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype that is not listed, complex ones among them, another rank, extents that
//            differ
ACLNN_API aclnnStatus aclnnInplaceFillDiagonalGetWorkspaceSize(aclTensor* selfRef,
                                                               const aclScalar* fillValue,
                                                               bool wrap, uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);

// Phase 2: queues the work on the stream and consumes the executor.
//   returns  as phase 2 of every operator (aclnn/acl_meta.h)
ACLNN_API aclnnStatus aclnnInplaceFillDiagonal(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FILL_DIAGONAL_H_
