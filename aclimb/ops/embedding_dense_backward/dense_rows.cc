#include "aclimb/ops/embedding_dense_backward/dense_rows.h"

#include "aclimb/copy/copy.h"

namespace aclimb::embedding_dense_backward {

bool RowsAreScattered(const TensorView& grad) {
  const int last = grad.rank - 1;
  return grad.shape[last] > 1 && grad.stride[last] != 1 && grad.ElementCount() > 0;
}

bool CopyDense(const TensorView& from, void* to) { return copy::Copy(from, DenseLike(from, to)); }

}  // namespace aclimb::embedding_dense_backward
