// aclnnReduceNansum: the C entry points and the plan between them.

#include "aclimb/contract/reduced.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/reduce_nansum/contract.h"
#include "aclimb/reduction/reduction.h"

namespace aclimb::reduce_nansum {
namespace {

using reduction::Fold;

// What has no NaN is summed like everything else; a sum of truth values is whether any is true.
Fold FoldOf(DType dtype) {
  if (IsFloating(dtype)) return Fold::kSumOfNumbers;
  return dtype == DType::kBool ? Fold::kAny : Fold::kSum;
}

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const auto dtype = DType(arguments.Integer(kDType));
  return reduction::MakePlan(planner, arguments,
                             {.fold = FoldOf(dtype),
                              .input = kSelf,
                              .reduced = contract::ReducedDimensions(arguments, kSelf, kDim),
                              .compute = dtype,
                              .outputs = {reduction::Output{.parameter = kOut, .as = dtype}}});
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::reduce_nansum

extern "C" aclnnStatus aclnnReduceNansumGetWorkspaceSize(const aclTensor* self,
                                                         const aclIntArray* dim, bool keepDim,
                                                         aclDataType dtype, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::reduce_nansum::kOperator, workspaceSize, executor, self, dim,
                        keepDim, dtype, out);
}

extern "C" aclnnStatus aclnnReduceNansum(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::reduce_nansum::kOperator, workspace, workspaceSize, executor,
                        stream);
}
