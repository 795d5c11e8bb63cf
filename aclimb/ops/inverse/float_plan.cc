#include <algorithm>
#include <span>
#include <utility>

#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/matmul/panels.h"
#include "aclimb/matmul/triangle.h"
#include "aclimb/ops/inverse/condition.h"
#include "aclimb/ops/inverse/contract.h"
#include "aclimb/ops/inverse/kernels.h"
#include "aclimb/ops/inverse/lower_upper.h"
#include "aclimb/ops/inverse/plans.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::inverse {
namespace {

// Panels of a unit of work, which read the triangles from a near cache one after the other.
constexpr int64_t kMostPanels = 4;

// The transpose of a matrix becomes triangles, so that the largest element of a row is divided by:
// the sizes of rows then change nothing. Of these, rows of the inverse are solutions whose right
// sides are those of the identity; what changed places are rows of it that change back.
class FloatPlan final : public Plan {
 public:
  FloatPlan(const contract::Arguments& arguments, Planner& planner)
      : rows_(RowsOf(arguments)), batches_(CountOf(arguments) / (rows_ * rows_)) {
    self_ = rows::Dense::Input(planner, kSelf, arguments.Tensor(kSelf).View(), DType::kFloat32);
    out_ = rows::Dense::Output(planner, kOut, arguments.Tensor(kOut).View(), DType::kFloat32);
    together_ = std::min(kMostPanels, cut_.Panels());
    while (together_ > 1 && Units() < matmul::kUnitsEach * TeamSize()) --together_;
    panel_bytes_ = matmul::BytesOfFloats(rows_ * kernels_.columns);
    scratch_.Book(planner, cut_.Panels(), together_ * panel_bytes_);
    triangles_ = planner.workspace().Book((rows_ + 8) * LowerUpperRow(rows_), sizeof(float));
    sizes_ = planner.workspace().Book(2 * rows_, sizeof(float));
    places_ = planner.workspace().Book(2 * rows_, sizeof(int64_t));
    left_ = planner.workspace().Book(batches_, sizeof(int64_t));
    double_scratch_.Book(planner, batches_, BytesOfDoubles() + BytesOfScratch(rows_));
    planner.Costs({.cycles = Work() * static_cast<double>(batches_) / 12 + self_.CopyCycles() +
                             out_.CopyCycles()});
  }

  double Flops() const override { return 2 * Work() * static_cast<double>(batches_); }

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&self_, &out_}, [&] {
      const auto* const from = static_cast<const float*>(self_.Data(run));
      auto* const to = static_cast<float*>(out_.Data(run));
      auto* const left = run.Piece<int64_t>(left_);
      int64_t count = 0;
      for (int64_t batch = 0; batch < batches_; ++batch) {
        const int64_t offset = batch * rows_ * rows_;
        bool is_good = false;
        if (!InvertOne(run, from + offset, to + offset, &is_good)) return false;
        if (!is_good) left[count++] = offset;
      }
      return double_scratch_.Run(
          run, count, UnitsOfWork(kGrain, Work()),
          [&](int64_t i, char* scratch) { InvertInDouble(from + left[i], scratch, to + left[i]); });
    });
  }

 private:
  static int64_t RowsOf(const contract::Arguments& arguments) {
    const TensorView self = arguments.Tensor(kSelf).View();
    return self.shape[self.rank - 1];
  }
  static int64_t CountOf(const contract::Arguments& arguments) {
    return arguments.Tensor(kSelf).View().ElementCount();
  }
  double Work() const {
    const auto rows = static_cast<double>(rows_);
    return rows * rows * rows;
  }
  TensorView Matrix(const float* data, int64_t row) const {
    return {.data = const_cast<float*>(data),
            .dtype = DType::kFloat32,
            .rank = 2,
            .shape = {rows_, rows_},
            .stride = {row, 1}};
  }
  TensorView Transposed(const float* data, int64_t row) const {
    TensorView transposed = Matrix(data, row);
    std::swap(transposed.stride[0], transposed.stride[1]);
    return transposed;
  }
  int64_t Units() const { return CeilDivide(cut_.Panels(), together_); }

  int64_t BytesOfDoubles() const { return rows_ * rows_ * int64_t{sizeof(double)}; }

  // False when the run was cancelled.
  //   is_good  whether float32 is enough for the matrix
  bool InvertOne(const RunContext& run, const float* from, float* to, bool* is_good) const {
    auto* const triangles = run.Piece<float>(triangles_);
    auto* const sizes = run.Piece<float>(sizes_);
    auto* const conditions = sizes + rows_;
    auto* const pivots = run.Piece<int64_t>(places_);
    auto* const places = pivots + rows_;
    const LowerUpper factors = {.matrix = triangles,
                                .rows = rows_,
                                .row = LowerUpperRow(rows_),
                                .pivots = pivots,
                                .columns = triangles + rows_ * LowerUpperRow(rows_)};
    const int64_t grain = UnitsOfWork(kGrain, static_cast<double>(rows_));
    const auto for_each_row = [&](const auto& body) {
      return ParallelForAll(rows_, grain, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) body(r);
      });
    };
    const bool copied =
        copy::Copy(Transposed(from, rows_), Matrix(triangles, factors.row)) &&
        for_each_row([&](int64_t r) { sizes[r] = SumOfSizes(from + r * rows_, nullptr, rows_); });
    if (!copied || !Factorize(run, factors, scratch_)) return false;
    for (int64_t r = 0; r < rows_; ++r) places[r] = r;
    for (int64_t r = 0; r < rows_; ++r) std::swap(places[r], places[pivots[r]]);
    const double unit_work =
        static_cast<double>(rows_ * together_ * kernels_.columns) * static_cast<double>(rows_);
    const bool solved = scratch_.Run(
        run, Units(), UnitsOfWork(kGrain, unit_work),
        [&](int64_t unit, char* scratch) { SolveColumns(factors, unit, scratch, to); });
    const bool transposed =
        solved && copy::Copy(Transposed(to, rows_), Matrix(triangles, factors.row));
    const bool placed = transposed && for_each_row([&](int64_t r) {
                          const float* const row = triangles + r * factors.row;
                          std::copy_n(row, rows_, to + places[r] * rows_);
                          conditions[places[r]] = SumOfSizes(row, sizes, rows_);
                        });
    if (!placed) return false;
    *is_good = std::all_of(conditions, conditions + rows_,
                           [](float sum) { return sum <= kMostFloatCondition; });
    return true;
  }

  // Some columns of the transpose's inverse, without the changes of places.
  void SolveColumns(const LowerUpper& factors, int64_t unit, char* scratch, float* to) const {
    const int64_t first = unit * together_, count = std::min(together_, cut_.Panels() - first);
    matmul::SidePanel panels[kMostPanels];
    for (int64_t i = 0; i < count; ++i) {
      auto* const panel = reinterpret_cast<float*>(scratch + i * panel_bytes_);
      const int64_t column = cut_.Begin(first + i), columns = cut_.Length(first + i);
      const int64_t width = RoundUp(columns, kernels_.lanes);
      std::fill_n(panel, rows_ * width, -0.0f);
      // Both triangles change signs.
      for (int64_t c = 0; c < columns; ++c) panel[(column + c) * width + c] = -1;
      panels[i] = {.panel = panel, .columns = columns};
    }
    const std::span<const matmul::SidePanel> used(panels, static_cast<size_t>(count));
    matmul::Triangle triangle = {.matrix = factors.matrix,
                                 .row = factors.row,
                                 .rows = rows_,
                                 .upper = false,
                                 .unit_diagonal = true};
    matmul::SolveTriangle(triangle, cut_.Begin(first), used);
    triangle.upper = true;
    triangle.unit_diagonal = false;
    for (int64_t i = 0; i < count; ++i) {
      panels[i].to = to + cut_.Begin(first + i);
      panels[i].to_row = rows_;
    }
    matmul::SolveTriangle(triangle, 0, used);
  }

  void InvertInDouble(const float* from, char* scratch, float* to) const {
    auto* const matrix = reinterpret_cast<double*>(scratch);
    const int64_t count = rows_ * rows_;
    std::copy_n(from, count, matrix);
    Invert(matrix, rows_, ScratchAt(scratch + BytesOfDoubles(), rows_));
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(matrix[i]);
  }

  const int64_t rows_, batches_;
  const matmul::PanelKernels& kernels_ = matmul::PanelKernelsFor(DType::kFloat32, false);
  const matmul::PanelCut cut_{rows_, kernels_};
  rows::Dense self_, out_;
  int64_t together_ = 1, panel_bytes_ = 0;
  UnitScratch scratch_, double_scratch_;
  WorkspacePiece triangles_, sizes_, places_, left_;  // left: where matrices for double begin
};

}  // namespace

PlanPointer MakeFloatPlan(const contract::Arguments& arguments, Planner& planner) {
  return NewPlan<FloatPlan>(arguments, planner);
}

}  // namespace aclimb::inverse
