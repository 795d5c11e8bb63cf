// aclnnTrace: the C entry points and the plan between them.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/trace/contract.h"
#include "aclimb/reduction/reduction.h"

namespace aclimb::trace {
namespace {

// Elements that have both indices in common. A stride by which nothing is reached may be any
// number.
TensorView DiagonalOf(const TensorView& matrix) {
  TensorView diagonal = matrix;
  diagonal.rank = 1;
  diagonal.shape[0] = std::min(matrix.shape[0], matrix.shape[1]);
  diagonal.stride[0] = diagonal.shape[0] > 1 ? matrix.stride[0] + matrix.stride[1] : 0;
  return diagonal;
}

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorView self = arguments.Tensor(kSelf).View();
  return reduction::MakePlan(planner, arguments,
                             {.fold = reduction::Fold::kSum,
                              .input = kSelf,
                              .reduced = 1,
                              .compute = SumDType(self.dtype),
                              .outputs = {reduction::Output{.parameter = kOut}}},
                             DiagonalOf(self));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::trace

extern "C" aclnnStatus aclnnTraceGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::trace::kOperator, workspaceSize, executor, self, out);
}

extern "C" aclnnStatus aclnnTrace(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(aclimb::trace::kOperator, workspace, workspaceSize, executor, stream);
}
