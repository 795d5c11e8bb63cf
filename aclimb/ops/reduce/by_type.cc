// What frameworks call by type name: ReduceSum.

#include "aclimb/executor/by_type.h"

#include "aclnnop/aclnn_reduce_sum.h"

namespace aclimb::reduce {
namespace {

Status AnswerReduceSum(TypedCall& call) {
  if (Status bad = call.Has(2, 2, 1, {"keep_dims"}); !bad.ok()) return bad;
  Result<const aclTensor*> x = call.InputTensor(0);
  if (!x.ok()) return x.TakeStatus();
  Result<std::vector<int64_t>> axes = call.InputInts(1);
  if (!axes.ok()) return axes.TakeStatus();
  // Type names and aclnnReduceSum do not mean the same by no axes.
  if (axes.value().empty() && call.Input(0).rank > 0) {
    return call.Unsupported("axes to sum over");
  }
  Result<bool> keep = call.Flag("keep_dims", false);
  if (!keep.ok()) return keep.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  const aclIntArray* const dims = call.Array(axes.value());
  call.Run(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnReduceSumGetWorkspaceSize(x.value(), dims, keep.value(),
                                              static_cast<aclDataType>(call.Output(0).dtype),
                                              y.value(), size, executor);
      },
      &aclnnReduceSum);
  return Ok();
}

const ByType kReduceSum("ReduceSum", &AnswerReduceSum);

}  // namespace
}  // namespace aclimb::reduce
