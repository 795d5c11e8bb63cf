// aclnnAffineGrid: the plan and the C entry points.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/affine_grid/contract.h"
#include "aclimb/ops/affine_grid/kernels.h"
#include "aclimb/rows/chunks.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::affine_grid {
namespace {

// Places that a thread takes at once, about.
constexpr double kGrain = 16384;
// Numbers of a row that are written at once: whole places, and whole cache lines.
constexpr int64_t kPart = rows::kChunk / 48 * 48;

class GridPlan final : public Plan {
 public:
  GridPlan(const contract::Arguments& arguments, Planner& planner)
      : corners_(arguments.Bool(kAlignCorners)) {
    const IntArrayValue& size = arguments.Ints(kSize);
    batch_ = size[0];
    axes_ = static_cast<int>(size.size()) - 2;
    std::copy(size.begin() + 2, size.end(), extents_ + 3 - axes_);
    theta_ = rows::Dense::Input(planner, kTheta, arguments.Tensor(kTheta).View(), DType::kFloat32);
    out_ = rows::Dense::Output(planner, kOut, arguments.Tensor(kOut).View());
    across_ = planner.workspace().Book(Length(), sizeof(float));
    planner.Costs({.cycles = 2 * static_cast<double>(Rows() * extents_[2]) + out_.CopyCycles()});
  }

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&theta_, &out_}, [&] {
      const auto* const maps = static_cast<const float*>(theta_.Data(run));
      float* const across = run.Piece<float>(across_);
      const int64_t width = extents_[2];
      const double span = Span(width);
      for (int64_t i = 0; i < width; ++i) {
        std::fill_n(across + i * axes_, axes_, static_cast<float>(Offset(i, width) / span));
      }
      const rows::Writer out(out_.Data(run), out_.dtype(), Rows() * Length(), Length());
      return ParallelForAll(Rows(), UnitsOfWork(kGrain, static_cast<double>(width)),
                            [&](int64_t begin, int64_t end) {
                              rows::Buffers<1> buffer;
                              for (int64_t row = begin; row < end; ++row) {
                                WriteRow(row, LineOf(row, maps), across, out, buffer.of[0]);
                              }
                              out.Flush();
                            });
    });
  }

 private:
  int64_t Rows() const { return batch_ * extents_[0] * extents_[1]; }
  int64_t Length() const { return extents_[2] * axes_; }

  // The ends of an axis are at -1 and 1: an element lies at Offset() / Span().
  static double Offset(int64_t element, int64_t extent) {
    return static_cast<double>(2 * element + 1 - extent);
  }
  double Span(int64_t extent) const {
    return static_cast<double>(std::max<int64_t>(1, corners_ ? extent - 1 : extent));
  }

  // Rounds the places and the other axes' share to float32 first. A share beyond float32 is
  // infinite, even if the sum with the rest is not: PyTorch's sums in float32 may overflow on their
  // way, too.
  Line LineOf(int64_t row, const float* maps) const {
    const int64_t height = extents_[1], depth = extents_[0];
    const double place[] = {Offset(row % height, height) / Span(height),
                            Offset(row / height % depth, depth) / Span(depth)};
    const float* own = maps + row / (depth * height) * axes_ * (axes_ + 1);
    Line line = {.axes = axes_, .step = {}, .rest = {}};
    for (int a = 0; a < axes_; ++a, own += axes_ + 1) {
      double rest = double{own[axes_]};
      for (int i = 1; i < axes_; ++i) rest += double{own[i]} * place[i - 1];
      line.step[a] = own[0];
      line.rest[a] = static_cast<float>(rest);
    }
    return line;
  }

  void WriteRow(int64_t row, const Line& line, const float* across, const rows::Writer& out,
                float* buffer) const {
    for (int64_t at = 0; at < Length(); at += kPart) {
      const int64_t from = row * Length() + at, n = std::min(kPart, Length() - at);
      const auto [to, stream] = out.Final(from, buffer);
      WriteLine(line, across + at, n, stream, to);
      out.Store(to, from, n);
    }
  }

  const bool corners_;
  int64_t batch_ = 0;
  int axes_ = 0;
  int64_t extents_[3] = {1, 1, 1};  // depth, height, width
  rows::Dense theta_, out_;
  WorkspacePiece across_;  // the table: where the elements of a row lie, for each axis of the map
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  return PlanPointer(NewPlan<GridPlan>(arguments, planner));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::affine_grid

extern "C" aclnnStatus aclnnAffineGridGetWorkspaceSize(const aclTensor* theta,
                                                       const aclIntArray* size, bool alignCorners,
                                                       aclTensor* out, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::affine_grid::kOperator, workspaceSize, executor, theta, size,
                        alignCorners, out);
}

extern "C" aclnnStatus aclnnAffineGrid(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::affine_grid::kOperator, workspace, workspaceSize, executor, stream);
}
