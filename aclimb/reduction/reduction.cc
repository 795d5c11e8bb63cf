#include "aclimb/reduction/reduction.h"

#include <algorithm>
#include <utility>

namespace aclimb::reduction {
namespace {

struct ReductionPlan final : Plan {
  ReductionPlan(const Problem& planned, WorkspacePiece booked)
      : problem(planned), scratch(booked) {}

  void Run(const RunContext& run) const override {
    Addresses addresses = {run.Data(problem.request.input), {}, run.Piece(scratch)};
    for (int n = 0; n < problem.request.output_count; ++n) {
      addresses.output[n] = run.Data(problem.request.outputs[n].parameter);
    }
    Solve(problem, addresses);
  }

  const Problem problem;
  const WorkspacePiece scratch;
};

}  // namespace

Result<PlanPointer> MakePlan(Planner& planner, const contract::Arguments& arguments,
                             const Request& request) {
  return MakePlan(planner, arguments, request, arguments.Tensor(request.input).View());
}

Result<PlanPointer> MakePlan(Planner& planner, const contract::Arguments& arguments,
                             const Request& request, const TensorView& part) {
  TensorView outputs[kMostOutputs];
  for (int n = 0; n < request.output_count; ++n) {
    const TensorDescriptor& output = arguments.Tensor(request.outputs[n].parameter);
    if (output.IsEmpty()) return PlanPointer();
    outputs[n] = output.View();
    planner.Writes(request.outputs[n].parameter);
  }
  if (part.ElementCount() > 0) planner.Reads(request.input);
  const Problem problem(request, part, outputs);
  planner.Costs({.cycles = problem.cycles});
  const int64_t scratch = problem.ScratchBytes();
  return PlanPointer(NewPlan<ReductionPlan>(
      problem, scratch > 0 ? planner.workspace().Book(scratch) : WorkspacePiece()));
}

}  // namespace aclimb::reduction
