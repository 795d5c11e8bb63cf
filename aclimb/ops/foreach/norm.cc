#include <algorithm>
#include <cmath>
#include <vector>

#include "aclimb/ops/foreach/list_plan.h"
#include "aclimb/reduction/problem.h"

namespace aclimb::foreach {
namespace {

using reduction::Finishing;
using reduction::Fold;
using reduction::Slot;

enum : int { kX, kOrder, kOut };

void ToRoot(const Finishing& of, int64_t count, Slot* first, Slot*) {
  for (int64_t i = 0; i < count; ++i) {
    first[i].real =
        of.number == 2 ? std::sqrt(first[i].real) : std::pow(first[i].real, 1 / of.number);
  }
}

Fold FoldOf(double order) {
  if (std::isinf(order)) return order > 0 ? Fold::kMaxAbsolute : Fold::kMinAbsolute;
  if (order == 0) return Fold::kNonzeros;
  if (order == 1) return Fold::kAbsoluteSum;
  return order == 2 ? Fold::kSquares : Fold::kPowers;
}

struct NormPlan final : Plan {
  void Run(const RunContext& run) const override {
    for (size_t e = 0; e < problems.size(); ++e) {
      Solve(problems[e], {run.Data(kX, e), {run.Data(kOut, e)}, run.Piece(scratch)});
    }
  }

  std::vector<reduction::Problem> problems;  // one for each tensor
  WorkspacePiece scratch;                    // that they use one after the other
};

}  // namespace

Result<PlanPointer> MakeNormPlan(const contract::Arguments& arguments, Planner& planner) {
  const size_t count = arguments.ElementCount(kX);
  if (count == 0) return PlanPointer();
  const double order = arguments.Scalar(kOrder).ToFloat();
  const Fold fold = FoldOf(order);
  const bool has_root = fold == Fold::kSquares || fold == Fold::kPowers;
  const auto plan = NewPlan<NormPlan>();
  double cycles = 0;
  int64_t scratch = 0;
  for (size_t e = 0; e < count; ++e) {
    const TensorView input = arguments.Tensor(kX, e).View();
    TensorView outputs[reduction::kMostOutputs];
    outputs[0] = arguments.Tensor(kOut, e).View();
    reduction::Request request = {.fold = fold,
                                  .input = kX,
                                  .reduced = (uint32_t{1} << input.rank) - 1,
                                  .finish = has_root ? &ToRoot : nullptr,
                                  .number = order};
    request.outputs[0].parameter = kOut;
    plan->problems.emplace_back(request, input, outputs);
    cycles += plan->problems.back().cycles;
    scratch = std::max(scratch, plan->problems.back().ScratchBytes());
  }
  if (scratch > 0) plan->scratch = planner.workspace().Book(scratch);
  planner.Reads(kX);
  planner.Writes(kOut);
  planner.Costs({.cycles = cycles});
  return PlanPointer(plan);
}

}  // namespace aclimb::foreach
