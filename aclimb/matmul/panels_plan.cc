#include "aclimb/matmul/panels_plan.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/matmul/left_panels_plan.h"
#include "aclimb/matmul/matrices.h"
#include "aclimb/matmul/panels.h"
#include "aclimb/simd/factors.h"

namespace aclimb::matmul {
namespace {

// Rows of a unit of work for each lane of a vector. With a panel's terms they fill half of a second
// cache, which is larger where vectors are longer.
constexpr int64_t kRowsOfLane = 16;
// Panels of a unit of work. Rows meet them one after the other, with a part of the terms each time,
// so that the rows' elements stay in the second cache.
constexpr int64_t kMostPanels = 8;
// With fewer, packing a panel takes more than a tenth of the time that its products take.
constexpr int64_t kLeastRows = 128;
// Rows whose results are rounded and stored as soon as they are there: the memory they go to, often
// as far apart as makes them share a few sets of a cache, is fetched while they are multiplied.
constexpr int64_t kFinishedAtOnce = 16;

class PanelsPlan final : public ProductPlan {
 public:
  PanelsPlan(Setup of, Planner& planner) : ProductPlan(std::move(of)) {
    const Problem& p = problem();
    is_direct_ = setup_.finish.IsIdentity() && p.out.dtype == DType::kFloat32 &&
                 p.out.column == 1 && p.n % kernels_.lanes == 0;
    is_plain_ = !is_large_ && p.b.dtype == DType::kFloat32 && p.b.column == 1 && p.b.row == p.n &&
                p.n % kernels_.lanes == 0;
    // How rows and panels are cut into units decides about no sum.
    rows_ = std::min(p.m, kRowsOfLane * kernels_.lanes);
    together_ = is_large_ ? std::min(kMostPanels, cut_.Panels()) : 1;
    const auto too_few = [&] { return Units() < kUnitsEach * TeamSize(); };
    while (rows_ >= 2 * kLeastRows && too_few()) rows_ = CeilDivide(rows_, 2);
    while (together_ > 1 && too_few()) together_ = CeilDivide(together_, 2);
    across_ = CeilDivide(cut_.Panels(), together_);
    down_ = CeilDivide(p.m, rows_);
    units_ = Units();
    const int64_t terms = std::min(p.k / kernels_.each, kPanelTerms);
    if (!is_plain_) panel_bytes_ = BytesOfFloats(terms * kernels_.columns);
    const int64_t sums_bytes = is_direct_ ? 0 : BytesOfFloats(rows_ * together_ * kernels_.columns);
    scratch_.Book(planner, units_, panel_bytes_ + sums_bytes);
    planner.Costs({.cycles = p.Work() / static_cast<double>(16 * kernels_.each)});
  }

 protected:
  void Compute(const RunContext& run) const override {
    const Problem& p = problem();
    const double unit_work =
        static_cast<double>(rows_ * together_ * kernels_.columns) * static_cast<double>(p.k);
    const Addresses at = {setup_.a.At(run), setup_.b.At(run), setup_.out.At(run)};
    (void)scratch_.Run(run, units_, UnitsOfWork(kPanelWork, unit_work),
                       [&](int64_t unit, char* scratch) { RunUnit(run, at, unit, scratch); });
  }

 private:
  // Of a run's operands, which are looked for once: a list may have many tensors.
  struct Addresses {
    const char *a, *b;
    char* out;
  };

  int64_t Units() const {
    return problem().Batches() * CeilDivide(problem().m, rows_) *
           CeilDivide(cut_.Panels(), together_);
  }

  int64_t MostTerms() const { return kPanelTerms * kernels_.each; }

  // Rows and panels of a unit. Units that share rows of `a` follow each other.
  struct Unit {
    int64_t batch, row, rows, first_panel, end_panel;
  };
  Unit UnitOf(int64_t unit) const {
    const int64_t above = unit / across_, first = unit % across_ * together_;
    const int64_t row = above % down_ * rows_;
    return {.batch = above / down_,
            .row = row,
            .rows = std::min(rows_, problem().m - row),
            .first_panel = first,
            .end_panel = std::min(first + together_, cut_.Panels())};
  }

  // What is packed of the right factor, from a term on.
  PanelSource PanelOf(const Addresses& at, int64_t batch, int64_t panel, int64_t term) const {
    const Problem& p = problem();
    const int64_t from = p.OffsetOf(p.b, batch) + cut_.Begin(panel) * p.b.column + term * p.b.row;
    return {.from = at.b + from * p.b.Size(),
            .term = p.b.row,
            .column = p.b.column,
            .terms = std::min(MostTerms(), p.k - term),
            .columns = cut_.Length(panel)};
  }
  // What is packed behind that, perhaps nothing.
  Ahead NextOf(const Addresses& at, int64_t unit, int64_t panel, int64_t term) const {
    const Problem& p = problem();
    Unit next_unit = UnitOf(unit);
    if (++panel == next_unit.end_panel) {
      panel = next_unit.first_panel;
      term += MostTerms();
    }
    if (term >= p.k) {
      if (unit + 1 == units_) return {};
      next_unit = UnitOf(unit + 1);
      panel = next_unit.first_panel;
      term = 0;
    }
    if (p.b.column != 1) return {};
    const PanelSource next = PanelOf(at, next_unit.batch, panel, term);
    return LinesOf(next.from, next.terms, next.columns * p.b.Size(), next.term * p.b.Size());
  }

  void RunUnit(const RunContext& run, const Addresses& at, int64_t index, char* scratch) const {
    const Unit unit = UnitOf(index);
    for (int64_t k = 0; k < problem().k; k += MostTerms()) {
      for (int64_t panel = unit.first_panel; panel < unit.end_panel; ++panel) {
        Multiply(run, at, index, unit, panel, k, scratch);
      }
    }
  }

  // Packs a panel from a term on, adds its products, and stores the sums if these are the last.
  void Multiply(const RunContext& run, const Addresses& at, int64_t index, const Unit& unit,
                int64_t panel_index, int64_t term, char* scratch) const {
    const Problem& p = problem();
    const PanelSource source = PanelOf(at, unit.batch, panel_index, term);
    const auto* panel = static_cast<const float*>(source.from);
    int64_t panel_row = source.term;
    auto* const packed = reinterpret_cast<float*>(scratch);
    // The first rows pack what they multiply where that lies in whole vectors.
    const bool packs = !is_plain_ && p.b.dtype == DType::kFloat32 && p.b.column == 1 &&
                       source.columns % kernels_.lanes == 0;
    if (!is_plain_ && !packs) {
      kernels_.pack(source, packed);
      panel = packed;
      panel_row = RoundUp(source.columns, kernels_.lanes);
    }
    const int64_t column = cut_.Begin(panel_index);
    const char* const a =
        at.a + (p.OffsetOf(p.a, unit.batch) + unit.row * p.a.row + term) * p.a.Size();
    char* const out =
        at.out + (p.OffsetOf(p.out, unit.batch) + unit.row * p.out.row + column * p.out.column) *
                     p.out.Size();
    const int64_t sums_row = is_direct_ ? p.out.row : together_ * kernels_.columns;
    auto* const sums = is_direct_ ? reinterpret_cast<float*>(out)
                                  : reinterpret_cast<float*>(scratch + panel_bytes_) +
                                        (panel_index - unit.first_panel) * kernels_.columns;
    const bool finishes = !is_direct_ && term + source.terms == p.k;
    const int64_t at_once = finishes && is_large_ ? kFinishedAtOnce : unit.rows;
    for (int64_t first = 0; first < unit.rows; first += at_once) {
      const int64_t count = std::min(at_once, unit.rows - first);
      Ahead ahead;
      if (is_large_ && first + count == unit.rows) {
        ahead = NextOf(at, index, panel_index, term);
      } else if (is_large_ && p.out.column == 1) {
        ahead = LinesOf(out + first * p.out.row * p.out.Size(), count,
                        source.columns * p.out.Size(), p.out.row * p.out.Size());
      }
      kernels_.multiply(a + first * p.a.row * p.a.Size(), p.a.row, count, panel, panel_row,
                        source.terms, source.columns, term > 0, sums + first * sums_row, sums_row,
                        ahead, packs && first == 0 ? packed : nullptr);
      if (packs) {
        panel = packed;
        panel_row = RoundUp(source.columns, kernels_.lanes);
      }
      if (!finishes) continue;
      for (int64_t r = first; r < first + count; ++r) {
        FinishRow(run, unit.batch, unit.row + r, column, sums + r * sums_row, source.columns);
      }
    }
  }

  const PanelKernels& kernels_ = PanelKernelsFor(problem().b.dtype, PanelsHavePairs(problem()));
  const bool is_large_ = PanelsServe(problem());  // operands leave the nearest caches
  // A small right factor in whole vectors is multiplied where it lies.
  bool is_plain_ = false;
  bool is_direct_ = false;  // sums are elements of the output
  const PanelCut cut_{problem().n, kernels_};
  // Of a unit, and units below and beside each other.
  int64_t rows_ = 1, together_ = 1, down_ = 1, across_ = 1, units_ = 1;
  int64_t panel_bytes_ = 0;
  UnitScratch scratch_;
};

}  // namespace

bool PanelsHavePairs(const Problem& problem) {
  return problem.a.dtype == DType::kBFloat16 && problem.b.dtype == DType::kBFloat16 &&
         problem.k % 2 == 0 && HasPairs() && PanelsServe(problem);
}

bool PanelsServe(const Problem& problem) {
  // A smaller factor does not leave a common second cache while it becomes what oneDNN multiplies:
  // a float32 copy of 16 bits, and of float32 the order that oneDNN packs it into. For few rows
  // that takes a larger part of the time, and where terms are side by side panels are those of the
  // rows, which are made soon.
  const bool few_rows = problem.b.column != 1 && problem.m <= kLeastRows;
  const int64_t least_elements = (few_rows ? 64 : 256) * 1024;
  // Of more terms the sums of panels, added in float32, lose too much.
  constexpr int64_t kFewTerms = 4096, kMostTerms = 1024 * 1024;
  constexpr int64_t kManyBlocks = 16, kColumns = 64;
  const int64_t blocks =
      problem.Batches() * CeilDivide(problem.m, kLeastRows) * CeilDivide(problem.n, kColumns);
  return problem.k >= CeilDivide(least_elements, problem.n) &&
         (problem.k <= kFewTerms || (problem.k <= kMostTerms && blocks >= kManyBlocks));
}

bool PanelsAreOfLeft(const Problem& problem) {
  return problem.b.column != 1 && PanelsServe(problem);
}

bool PanelsRead(const Problem& problem) {
  if (PanelsAreOfLeft(problem)) {
    return IsReadAsFloat(problem.a.dtype) && MatricesRead(problem.a, problem.m, problem.k);
  }
  return problem.a.dtype == PanelsDType(problem) && (problem.k == 1 || problem.a.column == 1);
}

DType PanelsDType(const Problem& problem) {
  return PanelsHavePairs(problem) ? DType::kBFloat16 : DType::kFloat32;
}

PlanPointer MakePanelsPlan(Planner& planner, Setup setup) {
  if (PanelsAreOfLeft(setup.problem)) return MakeLeftPanelsPlan(planner, std::move(setup));
  return NewPlan<PanelsPlan>(std::move(setup), planner);
}

}  // namespace aclimb::matmul
