// What frameworks call by type name: Identity, by which torch_npu brings a tensor into another
// format of its storage. And the copies by which all calls by type name do the same.

#include "aclimb/executor/by_type.h"

#include <algorithm>

#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
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
  if (Status bad = call.Has(1, 1, 1, {}); !bad.ok()) return bad;
  Result<const aclTensor*> x = call.InputTensor(0);
  if (!x.ok()) return x.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  const AclimbOpTensor &from = call.Input(0), &to = call.Output(0);
  if (from.dtype != to.dtype ||
      !std::equal(from.dims, from.dims + from.rank, to.dims, to.dims + to.rank)) {
    return call.Unsupported("output 0 of the shape and dtype of input 0");
  }
  Copy(call, x.value(), y.value());
  return Ok();
}

const StorageCopies kCopies(&Copy, &Zero, &Fill);
const ByType kIdentity("Identity", &AnswerIdentity);

}  // namespace
}  // namespace aclimb::copies
