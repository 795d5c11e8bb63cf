#pragma once

#include <cstddef>

#include "aclimb/core/status.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/executor/plan.h"

// Products of matrices for every operator that has one. Operands are taken as they lie in memory,
// transposed and with gaps too; a dense copy is booked only of what no kernel reads. FLOAT16 and
// BFLOAT16 are multiplied and added in float32 and rounded once. Long sums are made of blocks, and
// neither they nor what is computed together depend on the number of threads.
namespace aclimb::matmul {

// A tensor as matrices: the last two dimensions of the view, whose first element is the tensor's.
struct Term {
  int parameter = -1;
  size_t element = 0;  // of the list that the parameter is
  TensorView view = {};
};

// The views of vectors as matrices of one row and of one column: a dimension is added.
TensorView AsRow(TensorView view);
TensorView AsColumn(TensorView view);

// out = beta * self + alpha * (a @ b): [..., M, N] from [..., M, K] and [..., K, N], in float32.
// Any dtypes that copy/storage.h knows; what is neither FLOAT nor one of its halves is converted.
//   a, b  the dimensions before the matrices broadcast to those of out
//   self  broadcasts to out, and may be the same elements; it is not read if beta is 0, nor where
//         its parameter is -1. a and b are not read if alpha is 0
struct Call {
  Term a, b, out;
  Term self = {};
  double alpha = 1;
  double beta = 1;
  // The products of a batch, of one dimension in a and b and none in out, are added up.
  bool adds_batch = false;
};

// Books what is read and written, the workspace and the cost. Null when the output is empty.
Result<PlanPointer> MakePlan(Planner& planner, const Call& call);

}  // namespace aclimb::matmul
