// What frameworks call by type name: Cdist, the p-norms of differences.

#include "aclimb/executor/by_type.h"

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
  uint64_t bytes = SizeOf(DType(a.dtype));
  for (const int64_t extent : dims) bytes *= static_cast<uint64_t>(extent);
  const ScopedTensor difference(call.Scratch(bytes), a.dtype, dims);
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnSubGetWorkspaceSize, &aclnnSub>(call, inputs[0], inputs[1], ScopedScalar(1),
                                                    difference);
  RunOperator<&aclnnNormGetWorkspaceSize, &aclnnNorm>(
      call, difference,
      ScopedScalar(is_infinite ? std::numeric_limits<float>::infinity() : p.value()),
      call.Array(std::vector<int64_t>{-1}), false, outputs[0]);
  return Ok();
}

const ByType kCdist("Cdist", &AnswerCdist);

}  // namespace
}  // namespace aclimb::norm
