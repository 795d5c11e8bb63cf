// What frameworks call by type name: a batch norm in two steps, its gradient in two steps, and the
// same with given statistics. The second steps have the same x as the first ones, so they find the
// statistics and sums again instead of trusting to squares of FLOAT sums, which cancel.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <vector>

#include "aclimb/core/text.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"

namespace aclimb::norms {
namespace {

using Dims = std::vector<int64_t>;

// FLOAT for the time of the call.
struct Floats {
  Floats(TypedCall& call, const Dims& shape) : dims(shape) {
    uint64_t bytes = sizeof(float);
    for (const int64_t d : dims) bytes *= static_cast<uint64_t>(d);
    data = call.Scratch(bytes);
  }
  ScopedTensor tensor() const { return ScopedTensor(data, ACL_FLOAT, dims); }

  Dims dims;
  void* data;
};

Result<float> EpsilonOf(TypedCall& call) { return call.Number("epsilon", 1e-4f); }

// The sums of all elements of a channel, and of their squares.
Status AnswerReduce(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 2, {"epsilon"});
  if (!tensors.ok()) return tensors.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const AclimbOpTensor& x = call.Input(0);
  if (x.rank < 2) return call.Unsupported("input 0 (x) of the shape [N, C, ...]");
  Dims others = {0};
  for (int d = 2; d < x.rank; ++d) others.push_back(d);
  const aclIntArray* const dims = call.Array(others);
  const Dims shape(x.dims, x.dims + x.rank);
  const Floats exact(call, shape), squares(call, shape);
  RunOperator<&aclnnCastGetWorkspaceSize, &aclnnCast>(call, inputs[0], ACL_FLOAT, exact.tensor());
  RunOperator<&aclnnMulGetWorkspaceSize, &aclnnMul>(call, exact.tensor(), exact.tensor(),
                                                    squares.tensor());
  RunOperator<&aclnnReduceSumGetWorkspaceSize, &aclnnReduceSum>(call, exact.tensor(), dims, false,
                                                                ACL_FLOAT, outputs[0]);
  RunOperator<&aclnnReduceSumGetWorkspaceSize, &aclnnReduceSum>(call, squares.tensor(), dims, false,
                                                                ACL_FLOAT, outputs[1]);
  return Ok();
}

// From x, sums, scale, offset and the running mean and variance: y, the running ones moved on, and
// the batch's own.
Status AnswerUpdate(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(7, 5, {"epsilon", "factor"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> epsilon = EpsilonOf(call);
  if (!epsilon.ok()) return epsilon.TakeStatus();
  Result<float> factor = call.Number("factor", 0.1f);
  if (!factor.ok()) return factor.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const AclimbOpTensor& variance = call.Output(4);
  const Floats inverse(call, Dims(variance.dims, variance.dims + variance.rank));
  const Floats square(call, inverse.dims);
  for (int i = 0; i < 2; ++i) {
    RunOperator<&aclnnInplaceCopyGetWorkspaceSize, &aclnnInplaceCopy>(call, outputs[1 + i],
                                                                      inputs[5 + i]);
  }
  RunOperator<&aclnnBatchNormGetWorkspaceSize, &aclnnBatchNorm>(
      call, inputs[0], inputs[3], inputs[4], outputs[1], outputs[2], true, double{factor.value()},
      double{epsilon.value()}, outputs[0], outputs[3], inverse.tensor());
  // The variance that the gradient makes the same inverse of.
  RunOperator<&aclnnMulGetWorkspaceSize, &aclnnMul>(call, inverse.tensor(), inverse.tensor(),
                                                    square.tensor());
  RunOperator<&aclnnReciprocalGetWorkspaceSize, &aclnnReciprocal>(call, square.tensor(),
                                                                  inverse.tensor());
  RunOperator<&aclnnAddsGetWorkspaceSize, &aclnnAdds>(
      call, inverse.tensor(), ScopedScalar(-epsilon.value()), ScopedScalar(1), square.tensor());
  // Rounded, it may be a little below 0.
  RunOperator<&aclnnReluGetWorkspaceSize, &aclnnRelu>(call, square.tensor(), outputs[4]);
  return Ok();
}

Status AnswerInfer(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(5, 1, {"epsilon"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> epsilon = EpsilonOf(call);
  if (!epsilon.ok()) return epsilon.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const AclimbOpTensor& mean = call.Input(3);
  const Dims dims(mean.dims, mean.dims + mean.rank);
  const AclimbOpTensor& variance = call.Input(4);
  // Not written, but for the batch's own statistics, which nobody asks for.
  const Floats saved_mean(call, dims), saved_inverse(call, dims);
  RunOperator<&aclnnBatchNormGetWorkspaceSize, &aclnnBatchNorm>(
      call, inputs[0], inputs[1], inputs[2], ScopedTensor(mean.data, mean.dtype, dims),
      ScopedTensor(variance.data, variance.dtype, dims), false, 0.1, double{epsilon.value()},
      outputs[0], saved_mean.tensor(), saved_inverse.tensor());
  return Ok();
}

// 1 / sqrt(variance + epsilon).
Floats InverseOf(TypedCall& call, int place, float epsilon) {
  const AclimbOpTensor& variance = call.Input(place);
  const Dims dims(variance.dims, variance.dims + variance.rank);
  const Floats sum(call, dims), inverse(call, dims);
  RunOperator<&aclnnAddsGetWorkspaceSize, &aclnnAdds>(
      call, ScopedTensor(variance.data, variance.dtype, dims), ScopedScalar(epsilon),
      ScopedScalar(1), sum.tensor());
  RunOperator<&aclnnRsqrtGetWorkspaceSize, &aclnnRsqrt>(call, sum.tensor(), inverse.tensor());
  return inverse;
}

// Of scale and offset, from the result's gradient, x, and the batch's mean and variance.
Status AnswerUpdateGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(4, 2, {"epsilon"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> epsilon = EpsilonOf(call);
  if (!epsilon.ok()) return epsilon.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const Floats inverse = InverseOf(call, 3, epsilon.value());
  RunOperator<&aclnnBatchNormBackwardGetWorkspaceSize, &aclnnBatchNormBackward>(
      call, inputs[0], inputs[1], nullptr, nullptr, nullptr, inputs[2], inverse.tensor(), true,
      double{epsilon.value()}, call.Array({false, true, true}), nullptr, outputs[0], outputs[1]);
  return Ok();
}

// Of x, from the result's gradient, x, the gradients of scale and offset, scale, and the batch's
// mean and variance.
Status AnswerReduceGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(7, 1, {"epsilon"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> epsilon = EpsilonOf(call);
  if (!epsilon.ok()) return epsilon.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const Floats inverse = InverseOf(call, 6, epsilon.value());
  RunOperator<&aclnnBatchNormBackwardGetWorkspaceSize, &aclnnBatchNormBackward>(
      call, inputs[0], inputs[1], inputs[4], nullptr, nullptr, inputs[5], inverse.tensor(), true,
      double{epsilon.value()}, call.Array({true, false, false}), outputs[0], nullptr, nullptr);
  return Ok();
}

const ByType kReduce("BNTrainingReduce", &AnswerReduce);
const ByType kUpdate("BNTrainingUpdate", &AnswerUpdate);
const ByType kInfer("BNInfer", &AnswerInfer);
const ByType kUpdateGrad("BNTrainingUpdateGrad", &AnswerUpdateGradient);
const ByType kReduceGrad("BNTrainingReduceGrad", &AnswerReduceGradient);

}  // namespace
}  // namespace aclimb::norms
