// aclnnTriangularSolve: the C entry points and the choice of a plan between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/triangular_solve/plan.h"
#include "aclimb/ops/triangular_solve/precision.h"

namespace aclimb::triangular_solve {
namespace {

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorView m = arguments.Tensor(kM).View();
  if (m.ElementCount() == 0) return PlanPointer();
  if (arguments.Tensor(kX).IsEmpty()) return MakeDoublePlan(arguments, planner);
  const bool in_float = IsSolvedInFloat(m.dtype, m.shape[m.rank - 1]);
  return in_float ? MakePanelsPlan(arguments, planner) : MakeDoublePlan(arguments, planner);
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::triangular_solve

extern "C" aclnnStatus aclnnTriangularSolveGetWorkspaceSize(
    const aclTensor* self, const aclTensor* A, bool upper, bool transpose, bool unitriangular,
    aclTensor* xOut, aclTensor* mOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::triangular_solve::kOperator, workspaceSize, executor, self, A,
                        upper, transpose, unitriangular, xOut, mOut);
}

extern "C" aclnnStatus aclnnTriangularSolve(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::triangular_solve::kOperator, workspace, workspaceSize, executor,
                        stream);
}
