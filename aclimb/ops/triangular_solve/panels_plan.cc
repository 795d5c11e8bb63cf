#include <algorithm>
#include <span>
#include <utility>

#include "aclimb/core/divide.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/matmul/panels.h"
#include "aclimb/matmul/triangle.h"
#include "aclimb/ops/triangular_solve/plan.h"
#include "aclimb/rows/dense.h"

namespace aclimb::triangular_solve {
namespace {

// Panels of a unit of work, which read the matrix from a near cache one after the other.
constexpr int64_t kMostPanels = 8;

// A tensor as matrices whose rows have their elements side by side: itself, or a copy.
struct Matrices {
  int parameter;
  TensorView view;  // without address
  bool is_copied;
  rows::Dense copy = {};

  Matrices(Planner& planner, int of, const TensorView& tensor, bool transposed)
      : parameter(of), view(tensor) {
    rows::Order order = rows::OwnOrder(view.rank);
    if (transposed) std::swap(order.dimension[view.rank - 2], order.dimension[view.rank - 1]);
    view = rows::Permuted(view, order);
    is_copied = view.shape[view.rank - 1] > 1 && view.stride[view.rank - 1] != 1;
    if (!is_copied) return;
    copy = of == kX ? rows::Dense::Output(planner, of, tensor, tensor.dtype, order)
                    : rows::Dense::Input(planner, of, tensor, tensor.dtype, order);
    view = DenseLike(view, nullptr);
  }

  char* At(const RunContext& run) const {
    return static_cast<char*>(is_copied ? copy.Data(run) : run.Data(parameter));
  }
};

class PanelsPlan final : public SolvePlan {
 public:
  PanelsPlan(const contract::Arguments& arguments, Planner& planner)
      : SolvePlan(arguments, planner),
        matrices_(planner, kA, a_, transpose_),
        sides_(planner, kSelf, self_, false),
        solutions_(planner, kX, x_, false) {
    const auto units = [&] { return batches_ * CeilDivide(cut_.Panels(), together_); };
    together_ = std::min(kMostPanels, cut_.Panels());
    while (together_ > 1 && units() < matmul::kUnitsEach * TeamSize()) --together_;
    parts_ = CeilDivide(cut_.Panels(), together_);
    panel_bytes_ = matmul::BytesOfFloats(rows_ * kernels_.columns);
    scratch_.Book(planner, units(), together_ * panel_bytes_);
    double cycles = Work(columns_) * static_cast<double>(batches_) / 16;
    for (const Matrices* each : {&matrices_, &sides_, &solutions_}) {
      cycles += each->copy.CopyCycles();
    }
    planner.Costs({.cycles = cycles});
  }

 private:
  bool Solve(const RunContext& run) const override {
    for (const Matrices* each : {&matrices_, &sides_}) {
      if (each->is_copied && !each->copy.Fetch(run)) return false;
    }
    const double unit_work = Work(together_ * kernels_.columns);
    const bool solved =
        scratch_.Run(run, batches_ * parts_, UnitsOfWork(kGrain, unit_work),
                     [&](int64_t unit, char* scratch) { SolvePart(run, unit, scratch); });
    return solved && (!solutions_.is_copied || solutions_.copy.Deliver(run));
  }

  void SolvePart(const RunContext& run, int64_t unit, char* scratch) const {
    const int64_t batch = unit / parts_, first = unit % parts_ * together_;
    const int64_t count = std::min(together_, cut_.Panels() - first);
    const auto at = [&](const Matrices& matrices) {
      return reinterpret_cast<float*>(matrices.At(run) + OffsetOf(matrices.view, batch));
    };
    matmul::SidePanel panels[kMostPanels];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t column = cut_.Begin(first + i);
      panels[i] = {.panel = reinterpret_cast<float*>(scratch + i * panel_bytes_),
                   .columns = cut_.Length(first + i),
                   .from = at(sides_) + column,
                   .from_row = RowStride(sides_.view),
                   .to = at(solutions_) + column,
                   .to_row = RowStride(solutions_.view)};
    }
    matmul::SolveTriangle({.matrix = at(matrices_),
                           .row = RowStride(matrices_.view),
                           .rows = rows_,
                           .upper = upper_ != transpose_,
                           .unit_diagonal = unit_diagonal_},
                          0, {panels, static_cast<size_t>(count)});
  }

  const Matrices matrices_, sides_, solutions_;
  const matmul::PanelKernels& kernels_ = matmul::PanelKernelsFor(DType::kFloat32, false);
  const matmul::PanelCut cut_{columns_, kernels_};
  int64_t together_ = 1, parts_ = 1, panel_bytes_ = 0;
  UnitScratch scratch_;
};

}  // namespace

PlanPointer MakePanelsPlan(const contract::Arguments& arguments, Planner& planner) {
  return NewPlan<PanelsPlan>(arguments, planner);
}

}  // namespace aclimb::triangular_solve
