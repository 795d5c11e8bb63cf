#include "aclimb/matmul/left_panels_plan.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/matmul/panels.h"
#include "aclimb/matmul/panels_plan.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::matmul {
namespace {

// Panels whose rows meet a block of columns: with those terms they fill half of a common second
// cache.
constexpr int64_t kMostLeftPanels = 10;
// Columns that are widened at once: with a panel they stay in the nearest cache.
constexpr int64_t kTogether = 16;
// Columns of a unit of work, for which the panels come from the second cache.
constexpr int64_t kMostColumns = 64;
// Elements that a thread packs at once, about.
constexpr int64_t kPackedAtOnce = 32 * 1024;

class LeftPanelsPlan final : public ProductPlan {
 public:
  LeftPanelsPlan(Setup of, Planner& planner) : ProductPlan(std::move(of)) {
    const Problem& p = problem();
    // How columns are cut decides about no sum.
    columns_ = kMostColumns;
    while (columns_ > kTogether && Units() < kUnitsEach * TeamSize()) columns_ /= 2;
    wide_row_ = RoundUp(std::min(p.k, kPanelTerms), kernels_.lanes);
    wide_bytes_ = has_pairs_ ? 0 : BytesOfFloats(kTogether * wide_row_);
    sums_bytes_ = BytesOfFloats(std::min(Panels(), kMostLeftPanels) * columns_ * kernels_.columns);
    FindLefts();
    panels_ = planner.workspace().Book(
        lefts_.Batches() * p.k / kernels_.each * cut_.Vectors() * kernels_.lanes, 4);
    scratch_.Book(planner, Units(),
                  wide_bytes_ + sums_bytes_ + BytesOfFloats(kernels_.columns * columns_));
    planner.Costs({.cycles = p.Work() / static_cast<double>(16 * kernels_.each)});
  }

 protected:
  void Compute(const RunContext& run) const override {
    const Problem& p = problem();
    const int64_t blocks = CeilDivide(p.k, terms_);
    const int64_t packed = terms_ * kernels_.columns;
    const bool all = ParallelForAll(
        lefts_.Batches() * Panels() * blocks, std::max<int64_t>(1, kPackedAtOnce / packed),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            Pack(run, i / blocks / Panels(), i / blocks % Panels(), i % blocks * terms_);
          }
        });
    if (!all) return;
    const double unit_work = static_cast<double>(columns_ * p.k) *
                             static_cast<double>(std::min(p.m, kMostLeftPanels * kernels_.columns));
    (void)scratch_.Run(run, Units(), UnitsOfWork(kPanelWork, unit_work),
                       [&](int64_t unit, char* scratch) { RunUnit(run, unit, scratch); });
  }

 private:
  int64_t Panels() const { return cut_.Panels(); }
  int64_t Down() const { return CeilDivide(Panels(), kMostLeftPanels); }
  int64_t Across() const { return CeilDivide(problem().n, columns_); }
  int64_t Units() const { return problem().Batches() * Down() * Across(); }
  // A left factor that a part of the batch shares is packed once.
  void FindLefts() {
    lefts_ = problem();
    int64_t step = 1;
    for (int d = lefts_.batch_rank - 1; d >= 0; --d) {
      if (lefts_.a.batch[d] == 0) lefts_.batch[d] = 1;
      left_of_.batch[d] = lefts_.a.batch[d] == 0 ? 0 : step;
      step *= lefts_.batch[d];
    }
  }
  // Where the terms of a panel of one of the left factors begin in the workspace.
  float* PanelAt(const RunContext& run, int64_t left, int64_t panel, int64_t term) const {
    const int64_t before = cut_.VectorsBefore(panel),
                  width = cut_.VectorsBefore(panel + 1) - before;
    const int64_t vectors = problem().k * (left * cut_.Vectors() + before) + term * width;
    return run.Piece<float>(panels_) + vectors / kernels_.each * kernels_.lanes;
  }

  void Pack(const RunContext& run, int64_t left, int64_t panel, int64_t term) const {
    const Problem& p = problem();
    const int64_t row = cut_.Begin(panel);
    const int64_t from = lefts_.OffsetOf(p.a, left) + row * p.a.row + term * p.a.column;
    PanelKernelsFor(p.a.dtype, has_pairs_)
        .pack({.from = setup_.a.At(run) + from * p.a.Size(),
               .term = p.a.column,
               .column = p.a.row,
               .terms = std::min(terms_, p.k - term),
               .columns = cut_.Length(panel)},
              PanelAt(run, left, panel, term));
  }

  // Columns of the right factor, `count` of them from a unit's column on, or as many as there are.
  PanelSource ColumnsOf(const RunContext& run, int64_t unit, int64_t first, int64_t count,
                        int64_t term) const {
    const Problem& p = problem();
    const int64_t column = unit % Across() * columns_ + first;
    const int64_t b =
        p.OffsetOf(p.b, unit / Across() / Down()) + column * p.b.column + term * p.b.row;
    return {.from = setup_.b.At(run) + b * p.b.Size(),
            .term = p.b.row,
            .column = p.b.column,
            .terms = std::min(terms_, p.k - term),
            .columns = std::min(count, p.n - column)};
  }

  // Units that share rows of `a` follow each other.
  void RunUnit(const RunContext& run, int64_t unit, char* scratch) const {
    const Problem& p = problem();
    const int64_t batch = unit / Across() / Down();
    const int64_t left = p.OffsetOf(left_of_, batch);
    const int64_t down = unit / Across() % Down();
    const int64_t first_panel = Panels() * down / Down();
    const int64_t panels = Panels() * (down + 1) / Down() - first_panel;
    const int64_t columns = ColumnsOf(run, unit, 0, columns_, 0).columns;
    auto* const wide = reinterpret_cast<float*>(scratch);
    auto* const sums = reinterpret_cast<float*>(scratch + wide_bytes_);
    auto* const turned = reinterpret_cast<float*>(scratch + wide_bytes_ + sums_bytes_);
    const auto sums_of = [&](int64_t panel) { return sums + panel * columns_ * kernels_.columns; };
    for (int64_t k = 0; k < p.k; k += terms_) {
      for (int64_t c = 0; c < columns; c += kTogether) {
        const PanelSource source = ColumnsOf(run, unit, c, kTogether, k);
        const PanelSource next = NextOf(run, unit, c + kTogether, k);
        if (!has_pairs_) kernels_.widen(source, wide_row_, wide);
        const void* const rows = has_pairs_ ? source.from : wide;
        const int64_t row = has_pairs_ ? source.column : wide_row_;
        for (int64_t i = 0; i < panels; ++i) {
          const int64_t panel = first_panel + i;
          const int64_t length = cut_.Length(panel);
          kernels_.multiply(rows, row, source.columns, PanelAt(run, left, panel, k),
                            RoundUp(length, kernels_.lanes), source.terms, length, k > 0,
                            sums_of(i) + c * kernels_.columns, kernels_.columns,
                            PartOf(next, i, panels), nullptr);
        }
      }
    }
    for (int64_t i = 0; i < panels; ++i) {
      const int64_t row = cut_.Begin(first_panel + i), rows = cut_.Length(first_panel + i);
      kernels_.turn(sums_of(i), kernels_.columns, columns, rows, turned);
      for (int64_t r = 0; r < rows; ++r) {
        FinishRow(run, batch, row + r, unit % Across() * columns_, turned + r * columns, columns);
      }
    }
  }

  // What is widened behind the columns before `column`, perhaps nothing.
  PanelSource NextOf(const RunContext& run, int64_t unit, int64_t column, int64_t term) const {
    if (column >= ColumnsOf(run, unit, 0, columns_, 0).columns) {
      column = 0;
      term += terms_;
    }
    if (term >= problem().k) {
      term = 0;
      ++unit;
    }
    if (unit >= Units()) return {};
    return ColumnsOf(run, unit, column, kTogether, term);
  }
  // The columns of it that are fetched with one panel of several.
  Ahead PartOf(const PanelSource& next, int64_t panel, int64_t panels) const {
    const int64_t size = problem().b.Size();
    const int64_t first = next.columns * panel / panels;
    return LinesOf(static_cast<const char*>(next.from) + first * next.column * size,
                   next.columns * (panel + 1) / panels - first, next.terms * size,
                   next.column * size);
  }

  const bool has_pairs_ = PanelsHavePairs(problem());
  const PanelKernels& kernels_ = PanelKernelsFor(problem().b.dtype, has_pairs_);
  const PanelCut cut_{problem().m, kernels_};
  const int64_t terms_ = kPanelTerms * kernels_.each;  // of a panel
  // The left factors that differ as a batch, and as an offset the number of that of a product.
  Problem lefts_;
  Operand left_of_;
  int64_t columns_ = 1, wide_row_ = 1;
  int64_t wide_bytes_ = 0, sums_bytes_ = 0;
  WorkspacePiece panels_;
  UnitScratch scratch_;
};

}  // namespace

PlanPointer MakeLeftPanelsPlan(Planner& planner, Setup setup) {
  return NewPlan<LeftPanelsPlan>(std::move(setup), planner);
}

}  // namespace aclimb::matmul
