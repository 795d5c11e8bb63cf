// aclnnCumsum and aclnnCumprod: the C entry points and the plan between them.

#include "aclimb/core/dimensions.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/cumulate/contract.h"
#include "aclimb/ops/cumulate/cpu.h"
#include "aclimb/ops/cumulate/product_contracts.h"

namespace aclimb::cumulate {
namespace {

struct CumulatePlan final : Plan {
  CumulatePlan(const Problem& planned, int output, WorkspacePiece booked)
      : problem(planned), out(output), scratch(booked) {}

  void Run(const RunContext& run) const override {
    problem.Run(run.Data(kSelf), run.Data(out), run.Piece(scratch));
  }

  const Problem problem;
  const int out;
  const WorkspacePiece scratch;
};

// In place, `out` is kSelf.
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner,
                             Operation operation, int64_t dim, int out) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty()) return PlanPointer();
  if (out != kSelf) planner.Reads(kSelf);
  planner.Writes(out);
  const Problem problem(self.View(), static_cast<int>(WrapDimension(dim, self.rank())),
                        arguments.Tensor(out).View(), operation);
  planner.Costs({.cycles = problem.Cycles()});
  const int64_t bytes = problem.ScratchBytes();
  return PlanPointer(NewPlan<CumulatePlan>(
      problem, out, bytes > 0 ? planner.workspace().Book(bytes) : WorkspacePiece()));
}

Result<PlanPointer> PlanSums(const contract::Arguments& arguments, Planner& planner) {
  return MakePlan(arguments, planner, Operation::kSum, arguments.Integer(kDim), kOut);
}
template <int kResult>
Result<PlanPointer> PlanProducts(const contract::Arguments& arguments, Planner& planner) {
  return MakePlan(arguments, planner, Operation::kProduct, arguments.Scalar(kDim).ToInteger(),
                  kResult);
}

constinit Operator kOperator(kContract, PlanSums);
constinit Operator cumprod_operator(cumprod::kContract, PlanProducts<kOut>);
constinit Operator inplace_cumprod_operator(inplace_cumprod::kContract, PlanProducts<kSelf>);

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

extern "C" aclnnStatus aclnnCumprodGetWorkspaceSize(const aclTensor* input, const aclScalar* dim,
                                                    const aclDataType dtype, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::cumulate::cumprod_operator, workspaceSize, executor, input, dim,
                        dtype, out);
}

extern "C" aclnnStatus aclnnCumprod(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::cumulate::cumprod_operator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnInplaceCumprodGetWorkspaceSize(aclTensor* input, const aclScalar* dim,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::cumulate::inplace_cumprod_operator, workspaceSize, executor, input,
                        dim);
}

extern "C" aclnnStatus aclnnInplaceCumprod(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::cumulate::inplace_cumprod_operator, workspace, workspaceSize,
                        executor, stream);
}
