#include "aclimb/ops/upsample/plan.h"

#include <algorithm>

#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/upsample/kernels.h"
#include "aclimb/rows/dense.h"

namespace aclimb::upsample {
namespace {

struct UpsamplePlan final : Plan {
  Problem problem;
  bool repeats = false;
  rows::Dense from, to;
  WorkspacePiece tables;
  UnitScratch scratch;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&from, &to}, [&] {
      const Args args = {from.Data(run), to.Data(run), run.Piece<void>(tables),
                         scratch.Memory(run)};
      if (repeats) return Repeat(problem, SizeOf(from.dtype()), args);
      return to.dtype() == DType::kFloat64 ? Combine<double>(problem, args)
                                           : Combine<float>(problem, args);
    });
  }
};

// The channels last where they lie side by side in memory.
rows::Order OrderOf(const TensorView& view) {
  constexpr int64_t kLeastChannels = 8;
  const rows::Order order = rows::OrderWithLast(view.rank, 1);
  const bool is_last = view.shape[1] >= kLeastChannels && !view.IsContiguous() &&
                       rows::Permuted(view, order).IsContiguous();
  return is_last ? order : rows::OwnOrder(view.rank);
}

double CyclesOf(Way way) { return way == Way::kNearest ? 1 : way == Way::kLinear ? 2 : 4; }

}  // namespace

Result<PlanPointer> MakePlanOf(const contract::Arguments& arguments, Planner& planner, Way way,
                               bool backward, bool has_factors) {
  const bool has_corners = way != Way::kNearest;
  const int axes = arguments.Tensor(0).rank() - 2;
  const int first_factor = (backward ? 3 : 2) + (has_corners ? 1 : 0);
  const int output = first_factor + (has_factors ? axes : 0);
  const TensorView from = arguments.Tensor(0).View(), to = arguments.Tensor(output).View();
  if (to.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<UpsamplePlan>();
  Problem& problem = plan->problem;
  const TensorView &in = backward ? to : from, &out = backward ? from : to;
  for (int d = 0; d < axes; ++d) {
    problem.axes[kAxes - axes + d] = {.in = in.shape[2 + d],
                                      .out = out.shape[2 + d],
                                      .factor = has_factors ? arguments.Real(first_factor + d) : 0,
                                      .corners = has_corners && arguments.Bool(first_factor - 1),
                                      .way = way,
                                      .backward = backward};
  }
  const rows::Order order = OrderOf(in.ElementCount() > out.ElementCount() ? in : out);
  const bool channels_last = order.dimension[1] != 1;
  problem.count = channels_last ? to.shape[0] : to.shape[0] * to.shape[1];
  problem.inner = channels_last ? to.shape[1] : 1;
  plan->repeats = way == Way::kNearest && !backward;
  const DType dtype = plan->repeats || to.dtype == DType::kFloat64 ? to.dtype : DType::kFloat32;
  plan->from = rows::Dense::Input(planner, 0, from, dtype, order);
  plan->to = rows::Dense::Output(planner, output, to, dtype, order);
  plan->tables = planner.workspace().Book(TableBytes(problem));
  if (!plan->repeats) {
    const int64_t bytes = ScratchElements(problem) * static_cast<int64_t>(SizeOf(dtype));
    plan->scratch.Book(planner, to.ElementCount(), bytes);
  }
  planner.Costs({.cycles = plan->from.CopyCycles() + plan->to.CopyCycles() +
                           CyclesOf(way) * static_cast<double>(
                                               std::max(in.ElementCount(), out.ElementCount()))});
  return PlanPointer(std::move(plan));
}

}  // namespace aclimb::upsample
