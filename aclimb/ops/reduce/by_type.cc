// What frameworks call by type name: ReduceSum, ReduceMean and ReduceMax.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <vector>

#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"

namespace aclimb::reduce {
namespace {

enum class Kind { kWithDType, kWithoutDType };

template <auto kPhase1, auto kPhase2, Kind kKind>
Status Answer(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {"keep_dims"}, 1);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<std::vector<int64_t>> axes = call.InputInts(1);
  if (!axes.ok()) return axes.TakeStatus();
  // Type names and functions of aclnnop/ do not mean the same by no axes.
  if (axes.value().empty() && call.Input(0).rank > 0) {
    return call.Unsupported("axes to reduce over");
  }
  Result<bool> keep = call.Flag("keep_dims", false);
  if (!keep.ok()) return keep.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const aclIntArray* const dims = call.Array(axes.value());
  if constexpr (kKind == Kind::kWithDType) {
    const auto dtype = static_cast<aclDataType>(call.Output(0).dtype);
    RunOperator<kPhase1, kPhase2>(call, inputs[0], dims, keep.value(), dtype, outputs[0]);
  } else {
    RunOperator<kPhase1, kPhase2>(call, inputs[0], dims, keep.value(), outputs[0]);
  }
  return Ok();
}

const ByType kReduceSum(
    "ReduceSum", &Answer<&aclnnReduceSumGetWorkspaceSize, &aclnnReduceSum, Kind::kWithDType>);
const ByType kReduceMean("ReduceMean",
                         &Answer<&aclnnMeanGetWorkspaceSize, &aclnnMean, Kind::kWithDType>);
const ByType kReduceMax("ReduceMax",
                        &Answer<&aclnnAmaxGetWorkspaceSize, &aclnnAmax, Kind::kWithoutDType>);

}  // namespace
}  // namespace aclimb::reduce
