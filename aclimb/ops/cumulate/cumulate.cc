// aclnnCumsum: the C entry points and the plan between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/cumulate/contract.h"
#include "aclimb/ops/cumulate/cpu.h"

namespace aclimb::cumulate {
namespace {

struct CumsumPlan final : Plan {
  CumsumPlan(const Problem& planned, WorkspacePiece booked) : problem(planned), scratch(booked) {}

  void Run(const RunContext& run) const override {
    problem.Run(run.Data(kSelf), run.Data(kOut), run.Piece(scratch));
  }

  const Problem problem;
  const WorkspacePiece scratch;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty()) return PlanPointer();
  planner.Reads(kSelf);
  planner.Writes(kOut);
  const int64_t dim = arguments.Integer(kDim);
  const Problem problem(self.View(), static_cast<int>(dim < 0 ? dim + self.rank() : dim),
                        arguments.Tensor(kOut).View());
  planner.Costs({.cycles = problem.Cycles()});
  const int64_t bytes = problem.ScratchBytes();
  return PlanPointer(
      NewPlan<CumsumPlan>(problem, bytes > 0 ? planner.workspace().Book(bytes) : WorkspacePiece()));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::cumulate

extern "C" aclnnStatus aclnnCumsumGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                   aclDataType dtype, aclTensor* out,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::cumulate::kOperator, workspaceSize, executor, self, dim, dtype,
                        out);
}

extern "C" aclnnStatus aclnnCumsum(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return aclimb::Phase2(aclimb::cumulate::kOperator, workspace, workspaceSize, executor, stream);
}
