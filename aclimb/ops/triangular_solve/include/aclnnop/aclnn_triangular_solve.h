// Systems of linear equations whose matrix is a triangle. C++11.
#ifndef ACLNNOP_ACLNN_TRIANGULAR_SOLVE_H_
#define ACLNNOP_ACLNN_TRIANGULAR_SOLVE_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// Phase 1. Solves A x = self for x, or with the transposed A. Only one triangle of A counts. It is
// computed in double, element by element in the order of the rows, and rounded once; a 0 on the
// diagonal gives infinities and NaN.
//
//   self           in   [..., M, N], FLOAT or DOUBLE, the right sides. What stands before the
//                       matrices broadcasts with that of A
//   A              in   [..., M, M], dtype of self
//   upper          in   whether the triangle above the diagonal counts, else that below it
//   transpose      in   whether A is transposed
//   unitriangular  in   whether the diagonal counts as ones; then the dtype is FLOAT
//   xOut           out  [..., M, N], dtype of self, the solutions
//   mOut           out  [..., M, M], dtype of self: the triangle of A with its diagonal, 0
//                       elsewhere
//   workspaceSize  out  bytes of device memory for phase 2
//   executor       out  for phase 2
//   returns  161001 a pointer is null
//            161002 a dtype or shape that is not listed, complex dtypes among them
ACLNN_API aclnnStatus aclnnTriangularSolveGetWorkspaceSize(
    const aclTensor* self, const aclTensor* A, bool upper, bool transpose, bool unitriangular,
    aclTensor* xOut, aclTensor* mOut, uint64_t* workspaceSize, aclOpExecutor** executor);

// Phase 2: queues the computation on the stream and consumes the executor.
ACLNN_API aclnnStatus aclnnTriangularSolve(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRIANGULAR_SOLVE_H_
