#pragma once

#include "aclimb/core/tensor_view.h"

namespace aclimb::copy {

// Copies `from` to `to`, equally shaped views of any strides (those of `from` may be 0) and of any
// two dtypes that StorageIndex() knows; Converter says how elements are converted. They do not
// overlap. The threads that the calling one may have take part. False when the run was cancelled.
[[nodiscard]] bool Copy(const TensorView& from, const TensorView& to);

}  // namespace aclimb::copy
