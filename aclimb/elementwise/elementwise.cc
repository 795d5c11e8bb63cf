#include "aclimb/elementwise/elementwise.h"

#include <algorithm>
#include <utility>

#include "aclimb/contract/promotion.h"

namespace aclimb::elementwise {
namespace {

struct ElementwisePlan final : Plan {
  ElementwisePlan(Problem planned, const Positions& positions)
      : problem(std::move(planned)), output(positions.output) {
    std::ranges::copy(positions.inputs, inputs);
    input_count = positions.inputs.size();
  }

  void Run(const RunContext& run) const override {
    Addresses addresses;
    for (size_t n = 0; n < input_count; ++n) addresses.input[n] = run.Data(inputs[n]);
    addresses.output = run.Data(output);
    Solve(problem, addresses);
  }

  const Problem problem;
  int inputs[kMostInputs];
  size_t input_count;
  int output;
};

}  // namespace

namespace internal {

Result<PlanPointer> MakePlan(Planner& planner, const contract::Arguments& arguments,
                             const Positions& positions, Formula formula, const void* attributes,
                             size_t bytes) {
  if (arguments.Tensor(positions.output).IsEmpty()) return PlanPointer();
  TensorView views[kMostInputs];
  size_t count = 0;
  DType promoted = positions.compute;
  for (const int input : positions.inputs) {
    planner.Reads(input);
    const TensorView& view = views[count++] = arguments.Tensor(input).View();
    if (positions.compute != DType::kUndefined) continue;
    // Inputs that have no dtype in common are the contract's to refuse.
    promoted =
        count == 1 ? view.dtype : contract::PromoteTensors(promoted, view.dtype).value_or(promoted);
  }
  planner.Writes(positions.output);
  Problem problem(formula, {views, count}, arguments.Tensor(positions.output).View(), promoted);
  problem.SetAttributes(attributes, bytes);
  planner.Costs({.cycles = problem.cycles});
  return PlanPointer(NewPlan<ElementwisePlan>(problem, positions));
}

}  // namespace internal
}  // namespace aclimb::elementwise
