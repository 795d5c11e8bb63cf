// What frameworks call by type name: a batch norm in two steps, its gradient in two steps, and the
// same with given statistics. Between the two steps of a batch norm stand sums of x and of its
// squares, in FLOAT. Their difference would cancel where the mean is large, so the second step
// finds the statistics of x again and moves them by what the given sums differ from those of x.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/core/text.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_var_mean.h"

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

// out = a + factor * b, and so on; operands and results may be the same.
void AddMultiple(TypedCall& call, const aclTensor* a, const aclTensor* b, double factor,
                 aclTensor* out) {
  RunOperator<&aclnnAddGetWorkspaceSize, &aclnnAdd>(call, a, b,
                                                    ScopedScalar(static_cast<float>(factor)), out);
}
void Multiply(TypedCall& call, const aclTensor* a, const aclTensor* b, aclTensor* out) {
  RunOperator<&aclnnMulGetWorkspaceSize, &aclnnMul>(call, a, b, out);
}
void Scale(TypedCall& call, const aclTensor* a, double factor, aclTensor* out) {
  RunOperator<&aclnnMulsGetWorkspaceSize, &aclnnMuls>(
      call, a, ScopedScalar(static_cast<float>(factor)), out);
}

void AddProduct(TypedCall& call, const aclTensor* a, const aclTensor* b, double factor,
                aclTensor* to) {
  RunOperator<&aclnnAddcmulGetWorkspaceSize, &aclnnAddcmul>(
      call, to, a, b, ScopedScalar(static_cast<float>(factor)), to);
}

// b = (a - b) / count, and 0 where they are equal, as two sums that are infinite.
void Difference(TypedCall& call, const aclTensor* a, const Floats& b, double count) {
  const ScopedTensor equal(call.Scratch(static_cast<uint64_t>(b.dims[0])), ACL_BOOL, b.dims);
  RunOperator<&aclnnEqTensorGetWorkspaceSize, &aclnnEqTensor>(call, a, b.tensor(), equal);
  AddMultiple(call, a, b.tensor(), -1, b.tensor());
  Scale(call, b.tensor(), 1 / count, b.tensor());
  RunOperator<&aclnnInplaceMaskedFillScalarGetWorkspaceSize, &aclnnInplaceMaskedFillScalar>(
      call, b.tensor(), equal, ScopedScalar(0));
}

// The elements of a channel.
double CountOf(const AclimbOpTensor& x) {
  double count = 1;
  for (int d = 0; d < x.rank; ++d) {
    if (d != 1) count *= static_cast<double>(x.dims[d]);
  }
  return count;
}

// Of each channel of x [N, C, ...].
struct Statistics {
  // `x` is input 0.
  Statistics(TypedCall& call, const aclTensor* x)
      : mean(call, {call.Input(0).dims[1]}),
        variance(call, mean.dims),
        count(CountOf(call.Input(0))) {
    std::vector<int64_t> others = {0};
    for (int d = 2; d < call.Input(0).rank; ++d) others.push_back(d);
    RunOperator<&aclnnVarMeanGetWorkspaceSize, &aclnnVarMean>(
        call, x, call.Array(others), int64_t{0}, false, variance.tensor(), mean.tensor());
  }

  // The sums of the channel's elements and of their squares: the same bits whenever x is the same.
  void Sums(TypedCall& call, aclTensor* sum, aclTensor* squares) const {
    Multiply(call, mean.tensor(), mean.tensor(), squares);
    AddMultiple(call, squares, variance.tensor(), 1, squares);
    Scale(call, squares, count, squares);
    Scale(call, mean.tensor(), count, sum);
  }

  Floats mean, variance;
  double count;
};

// Whether input `place`, x, is [N, C, ...].
Status HasChannels(TypedCall& call, int place) {
  if (call.Input(place).rank >= 2) return Ok();
  return call.Unsupported(Cat("input ", place, " (x) of the shape [N, C, ...]"));
}

// Whether x is [N, C, ...], and the inputs from `first` to `last` are [C].
Status AreOfChannels(TypedCall& call, int place, int first, int last) {
  if (Status bad = HasChannels(call, place); !bad.ok()) return bad;
  const AclimbOpTensor& x = call.Input(place);
  for (int i = first; i <= last; ++i) {
    const AclimbOpTensor& each = call.Input(i);
    if (each.rank == 1 && each.dims[0] == x.dims[1]) continue;
    return call.Unsupported(Cat("input ", i, " of the shape ", ShapeText(&x.dims[1], 1)));
  }
  return Ok();
}

// By the given statistics, which are not written; x, scale and offset.
void Normalize(TypedCall& call, const aclTensor* const (&of)[3], aclTensor* mean,
               aclTensor* variance, float epsilon, aclTensor* y) {
  RunOperator<&aclnnBatchNormGetWorkspaceSize, &aclnnBatchNorm>(
      call, of[0], of[1], of[2], mean, variance, false, 0.1, double{epsilon}, y, nullptr, nullptr);
}

// The sums of all elements of a channel, and of their squares.
Status AnswerReduce(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 2, {"epsilon"});
  if (!tensors.ok()) return tensors.TakeStatus();
  if (Status bad = HasChannels(call, 0); !bad.ok()) return bad;
  const auto& [inputs, outputs] = tensors.value();
  Statistics(call, inputs[0]).Sums(call, outputs[0], outputs[1]);
  return Ok();
}

// From x, sums, scale, offset and the running mean and variance: y, the running ones moved on, and
// the batch's own, which are those of the sums. An empty batch leaves the running ones as they are;
// one element makes the running variance NaN, as in aclnnBatchNorm: the unbiased one is 0 / 0.
Status AnswerUpdate(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(7, 5, {"epsilon", "factor"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> epsilon = EpsilonOf(call);
  if (!epsilon.ok()) return epsilon.TakeStatus();
  Result<float> factor = call.Number("factor", 0.1f);
  if (!factor.ok()) return factor.TakeStatus();
  if (Status bad = AreOfChannels(call, 0, 1, 6); !bad.ok()) return bad;
  const auto& [inputs, outputs] = tensors.value();
  const Statistics own(call, inputs[0]);
  aclTensor *const mean = outputs[3], *const variance = outputs[4];
  const Floats shift(call, own.mean.dims), squares(call, own.mean.dims);
  own.Sums(call, shift.tensor(), squares.tensor());
  // shift = (given sum - sum) / count, mean = own mean + shift.
  Difference(call, inputs[1], shift, own.count);
  AddMultiple(call, own.mean.tensor(), shift.tensor(), 1, mean);
  // variance = own variance + (given squares - squares) / count - shift * (mean + own mean)
  Difference(call, inputs[2], squares, own.count);
  AddMultiple(call, own.variance.tensor(), squares.tensor(), 1, squares.tensor());
  AddProduct(call, shift.tensor(), mean, -1, squares.tensor());
  AddProduct(call, shift.tensor(), own.mean.tensor(), -1, squares.tensor());
  // Rounded, it may be a little below 0.
  RunOperator<&aclnnReluGetWorkspaceSize, &aclnnRelu>(call, squares.tensor(), variance);
  const double share = factor.value(), unbiased = own.count / (own.count - 1);
  const auto move = [&](const aclTensor* batch, double scale, const aclTensor* running,
                        aclTensor* out) {
    if (own.count == 0) {
      RunOperator<&aclnnInplaceCopyGetWorkspaceSize, &aclnnInplaceCopy>(call, out, running);
      return;
    }
    Scale(call, batch, share * scale, out);
    AddMultiple(call, out, running, 1 - share, out);
  };
  move(mean, 1, inputs[5], outputs[1]);
  move(variance, unbiased, inputs[6], outputs[2]);
  Normalize(call, {inputs[0], inputs[3], inputs[4]}, mean, variance, epsilon.value(), outputs[0]);
  return Ok();
}

Status AnswerInfer(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(5, 1, {"epsilon"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> epsilon = EpsilonOf(call);
  if (!epsilon.ok()) return epsilon.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const AclimbOpTensor &mean = call.Input(3), &variance = call.Input(4);
  Normalize(call, {inputs[0], inputs[1], inputs[2]}, call.Describe(mean), call.Describe(variance),
            epsilon.value(), outputs[0]);
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
// mean and variance:
//
//   factor = scale / sqrt(variance + epsilon), normal = (x - mean) / sqrt(variance + epsilon)
//   factor * (gradient - (normal * gradient of scale + gradient of offset) / count)
Status AnswerReduceGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(7, 1, {"epsilon"});
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<float> epsilon = EpsilonOf(call);
  if (!epsilon.ok()) return epsilon.TakeStatus();
  const AclimbOpTensor &grad = call.Input(0), &x = call.Input(1);
  if (Status bad = AreOfChannels(call, 1, 2, 6); !bad.ok()) return bad;
  const auto& [inputs, outputs] = tensors.value();
  const Dims shape(x.dims, x.dims + x.rank), of_channels = {x.dims[1]};
  if (Dims(grad.dims, grad.dims + grad.rank) != shape) {
    return call.Unsupported("inputs 0 and 1 (the gradient and x) of one shape");
  }
  const Floats factor = InverseOf(call, 6, epsilon.value());
  Multiply(call, factor.tensor(), inputs[4], factor.tensor());
  const Floats weight(call, of_channels), bias(call, of_channels), exact(call, shape);
  const double share = -1 / CountOf(x);
  for (const auto& [sums, to] : {std::pair(inputs[2], &weight), std::pair(inputs[3], &bias)}) {
    Multiply(call, factor.tensor(), sums, to->tensor());
    Scale(call, to->tensor(), share, to->tensor());
  }
  // Half types would round the parts of the result.
  if (x.dtype != ACL_FLOAT) {
    RunOperator<&aclnnCastGetWorkspaceSize, &aclnnCast>(call, inputs[1], ACL_FLOAT, exact.tensor());
  }
  Normalize(
      call, {x.dtype == ACL_FLOAT ? inputs[1] : exact.tensor(), weight.tensor(), bias.tensor()},
      call.Describe(call.Input(5)), call.Describe(call.Input(6)), epsilon.value(), exact.tensor());
  Dims spread(shape.size(), 1);
  spread[1] = x.dims[1];
  RunOperator<&aclnnAddcmulGetWorkspaceSize, &aclnnAddcmul>(
      call, exact.tensor(), inputs[0], ScopedTensor(factor.data, ACL_FLOAT, spread),
      ScopedScalar(1), outputs[0]);
  return Ok();
}

const ByType kReduce("BNTrainingReduce", &AnswerReduce);
const ByType kUpdate("BNTrainingUpdate", &AnswerUpdate);
const ByType kInfer("BNInfer", &AnswerInfer);
const ByType kUpdateGrad("BNTrainingUpdateGrad", &AnswerUpdateGradient);
const ByType kReduceGrad("BNTrainingReduceGrad", &AnswerReduceGradient);

}  // namespace
}  // namespace aclimb::norms
