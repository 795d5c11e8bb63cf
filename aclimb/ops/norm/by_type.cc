// What frameworks call by type name: Cdist, the p-norms of differences.

#include "aclimb/executor/by_type.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_sub.h"

namespace aclimb::norm {
namespace {

// Of two inputs of one shape, along the last dimension. The difference of half types is rounded.
Status AnswerCdist(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {"p"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> p = call.Number("p", 2);
  if (!p.ok()) return p.TakeStatus();
  // How torch_npu says infinity.
  const bool is_infinite = p.value() == -1;
  if (!is_infinite && !(p.value() >= 0)) {
    return call.Unsupported("the attribute p of 0 or more, or -1 for infinity");
  }
  const AclimbOpTensor &a = call.Input(0), &b = call.Input(1);
  const std::vector<int64_t> dims(a.dims, a.dims + a.rank);
  if (dims.empty() || a.dtype != b.dtype || dims != std::vector(b.dims, b.dims + b.rank)) {
    return call.Unsupported("inputs 0 and 1 of one dtype and shape, with a dimension at least");
  }
  // So many rows at a time that their differences stay in a cache.
  constexpr int64_t kBytes = 256 * 1024;
  const auto size = static_cast<int64_t>(SizeOf(DType(a.dtype)));
  const int64_t length = dims.back();
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < dims.size(); ++d) rows *= dims[d];
  const AclimbOpTensor& y = call.Output(0);
  if (y.dtype != a.dtype || !std::equal(dims.begin(), dims.end() - 1, y.dims, y.dims + y.rank)) {
    return call.Unsupported("output 0 of the dtype of input 0, and of its shape without the last");
  }
  const int64_t most = std::clamp<int64_t>(kBytes / std::max<int64_t>(1, length * size), 1,
                                           std::max<int64_t>(1, rows));
  void* const difference = call.Scratch(static_cast<uint64_t>(most * length * size));
  const float order = is_infinite ? std::numeric_limits<float>::infinity() : p.value();
  const auto part = [](const AclimbOpTensor& tensor, int64_t first, std::vector<int64_t> shape) {
    const auto each = static_cast<int64_t>(SizeOf(DType(tensor.dtype)));
    return ScopedTensor(static_cast<char*>(tensor.data) + first * each, tensor.dtype, shape);
  };
  const aclIntArray* const last = call.Array(std::vector<int64_t>{-1});
  for (int64_t row = 0; row < rows; row += most) {
    const int64_t n = std::min(most, rows - row);
    const ScopedTensor between(difference, a.dtype, {n, length});
    RunOperator<&aclnnSubGetWorkspaceSize, &aclnnSub>(call, part(a, row * length, {n, length}),
                                                      part(b, row * length, {n, length}),
                                                      ScopedScalar(1), between);
    RunOperator<&aclnnNormGetWorkspaceSize, &aclnnNorm>(call, between, ScopedScalar(order), last,
                                                        false, part(call.Output(0), row, {n}));
  }
  return Ok();
}

const ByType kCdist("Cdist", &AnswerCdist);

}  // namespace
}  // namespace aclimb::norm
