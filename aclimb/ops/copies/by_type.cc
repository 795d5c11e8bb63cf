// What frameworks call by type name: Identity, by which torch_npu brings a tensor into another
// format of its storage, and other copies. And the copies by which all calls by type name do the
// same.

#include "aclimb/executor/by_type.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_zero.h"

namespace aclimb::copies {
namespace {

void Copy(TypedCall& call, const aclTensor* from, aclTensor* to) {
  RunOperator<&aclnnInplaceCopyGetWorkspaceSize, &aclnnInplaceCopy>(call, to, from);
}

void Zero(TypedCall& call, aclTensor* to) {
  RunOperator<&aclnnInplaceZeroGetWorkspaceSize, &aclnnInplaceZero>(call, to);
}

void Fill(TypedCall& call, const aclScalar* value, aclTensor* to) {
  RunOperator<&aclnnInplaceFillScalarGetWorkspaceSize, &aclnnInplaceFillScalar>(call, to, value);
}

Status AnswerIdentity(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1);
  if (!tensors.ok()) return tensors.TakeStatus();
  const AclimbOpTensor &from = call.Input(0), &to = call.Output(0);
  if (from.dtype != to.dtype ||
      !std::equal(from.dims, from.dims + from.rank, to.dims, to.dims + to.rank)) {
    return call.Unsupported("output 0 of the shape and dtype of input 0");
  }
  Copy(call, tensors.value().inputs[0], tensors.value().outputs[0]);
  return Ok();
}

// To the dtype of the output, which the attribute names once more.
Status AnswerCast(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(1, 1, {"dst_type"});
  if (!tensors.ok()) return tensors.TakeStatus();
  const auto dtype = static_cast<aclDataType>(call.Output(0).dtype);
  Result<int64_t> named = call.Integer("dst_type", dtype);
  if (!named.ok()) return named.TakeStatus();
  if (named.value() != dtype) {
    return call.Unsupported("the attribute dst_type to be the dtype of output 0");
  }
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnCastGetWorkspaceSize, &aclnnCast>(call, inputs[0], dtype, outputs[0]);
  return Ok();
}

Status AnswerTranspose(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {}, 1);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<std::vector<int64_t>> order = call.InputInts(1);
  if (!order.ok()) return order.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnPermuteGetWorkspaceSize, &aclnnPermute>(call, inputs[0],
                                                            call.Array(order.value()), outputs[0]);
  return Ok();
}

// To the shape of the output, which the second input names.
Status AnswerBroadcast(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {}, 1);
  if (!tensors.ok()) return tensors.TakeStatus();
  if (Status bad = call.InputNamesOutput(1); !bad.ok()) return bad;
  if (call.Input(0).dtype != call.Output(0).dtype) {
    return call.Unsupported("output 0 of the dtype of input 0");
  }
  Copy(call, tensors.value().inputs[0], tensors.value().outputs[0]);
  return Ok();
}

// A view of x: its shape, its strides and where it begins, in elements.
Status AnswerAsStrided(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(4, 1, {}, 1);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<std::vector<int64_t>> shape = call.InputInts(1);
  if (!shape.ok()) return shape.TakeStatus();
  Result<std::vector<int64_t>> strides = call.InputInts(2);
  if (!strides.ok()) return strides.TakeStatus();
  Result<std::vector<int64_t>> first = call.InputInts(3);
  if (!first.ok()) return first.TakeStatus();
  const AclimbOpTensor &x = call.Input(0), &y = call.Output(0);
  const std::vector<int64_t>&dims = shape.value(), &steps = strides.value();
  if (dims.size() != steps.size() || first.value().size() != 1 || x.dtype != y.dtype ||
      !std::equal(dims.begin(), dims.end(), y.dims, y.dims + y.rank)) {
    return call.Unsupported(
        "the shape of output 0, as many strides, one offset, and output 0 of the dtype of input 0");
  }
  int64_t count = 1, last = first.value()[0];
  for (int d = 0; d < x.rank; ++d) count *= x.dims[d];
  bool is_empty = false, is_inside = last >= 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    is_empty = is_empty || dims[d] == 0;
    int64_t way = 0;
    is_inside = is_inside && steps[d] >= 0 &&
                !__builtin_mul_overflow(dims[d] - 1, steps[d], &way) &&
                !__builtin_add_overflow(last, way, &last);
  }
  if (is_empty) return Ok();
  if (!is_inside || last >= count) return call.Unsupported("a view inside input 0");
  const auto size = static_cast<int64_t>(SizeOf(static_cast<DType>(x.dtype)));
  Copy(call,
       ScopedTensor(static_cast<char*>(x.data) + first.value()[0] * size, x.dtype, dims, steps),
       tensors.value().outputs[0]);
  return Ok();
}

// The first input names the shape of the output.
Status AnswerFill(TypedCall& call) {
  if (Status bad = call.Has(2, 2, 1, {}); !bad.ok()) return bad;
  if (Status bad = call.InputNamesOutput(0); !bad.ok()) return bad;
  Result<const aclScalar*> value = call.InputScalar(1);
  if (!value.ok()) return value.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  Fill(call, value.value(), y.value());
  return Ok();
}

// Zeros of the shape of x, which is not read.
Status AnswerZeros(TypedCall& call) {
  if (Status bad = call.Has(1, 1, 1, {}); !bad.ok()) return bad;
  const AclimbOpTensor& x = call.Input(0);
  if (Status bad = call.NamesOutput("the shape of input 0", {x.dims, x.dims + x.rank}); !bad.ok()) {
    return bad;
  }
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  Zero(call, y.value());
  return Ok();
}

const StorageCopies kCopies(&Copy, &Zero, &Fill);
const ByType kIdentity("Identity", &AnswerIdentity);
const ByType kCast("Cast", &AnswerCast);
const ByType kTranspose("Transpose", &AnswerTranspose);
const ByType kAsStrided("AsStrided", &AnswerAsStrided);
const ByType kBroadcast("BroadcastTo", &AnswerBroadcast);
const ByType kFill("Fill", &AnswerFill);
const ByType kZerosLike("ZerosLike", &AnswerZeros);

}  // namespace
}  // namespace aclimb::copies
