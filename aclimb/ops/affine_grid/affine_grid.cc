// aclnnAffineGrid: the loop, the plan and the C entry points.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/affine_grid/contract.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::affine_grid {
namespace {

// Places that a thread takes at once, about.
constexpr double kGrain = 4096;

class GridPlan final : public Plan {
 public:
  GridPlan(const contract::Arguments& arguments, Planner& planner)
      : corners_(arguments.Bool(kAlignCorners)) {
    const IntArrayValue& size = arguments.Ints(kSize);
    batch_ = size[0];
    axes_ = static_cast<int>(size.size()) - 2;
    std::copy(size.begin() + 2, size.end(), extents_ + 3 - axes_);
    theta_ = rows::Dense::Input(planner, kTheta, arguments.Tensor(kTheta).View(), DType::kFloat32);
    out_ = rows::Dense::Output(planner, kOut, arguments.Tensor(kOut).View(), DType::kFloat32);
    planner.Costs({.cycles = 10 * static_cast<double>(Rows() * extents_[2]) + out_.CopyCycles()});
  }

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&theta_, &out_}, [&] {
      const auto* const maps = static_cast<const float*>(theta_.Data(run));
      auto* const places = static_cast<float*>(out_.Data(run));
      return ParallelForAll(Rows(), UnitsOfWork(kGrain, static_cast<double>(extents_[2])),
                            [&](int64_t begin, int64_t end) {
                              for (int64_t row = begin; row < end; ++row) {
                                axes_ == 2 ? Row<2>(row, maps, places) : Row<3>(row, maps, places);
                              }
                            });
    });
  }

 private:
  int64_t Rows() const { return batch_ * extents_[0] * extents_[1]; }

  // The ends of an axis are at -1 and 1: an element lies at Offset() / Span().
  static double Offset(int64_t element, int64_t extent) {
    return static_cast<double>(2 * element + 1 - extent);
  }
  double Span(int64_t extent) const {
    return static_cast<double>(std::max<int64_t>(1, corners_ ? extent - 1 : extent));
  }

  template <int kAxes>
  void Row(int64_t row, const float* maps, float* places) const {
    const int64_t image = row / (extents_[0] * extents_[1]), width = extents_[2];
    const float* const map = maps + image * kAxes * (kAxes + 1);
    float* to = places + row * width * kAxes;
    const int64_t height = extents_[1], depth = extents_[0];
    const double place[] = {Offset(row % height, height) / Span(height),
                            Offset(row / height % depth, depth) / Span(depth)};
    // What all elements of a row have, and what their place is multiplied by.
    double rest[kAxes], step[kAxes];
    for (int a = 0; a < kAxes; ++a) {
      const float* const own = map + a * (kAxes + 1);
      step[a] = double{own[0]};
      rest[a] = double{own[kAxes]};
      for (int i = 1; i < kAxes; ++i) rest[a] += double{own[i]} * place[i - 1];
    }
    const double span = Span(width);
    for (int64_t element = 0; element < width; ++element) {
      const double across = Offset(element, width) / span;
      for (int a = 0; a < kAxes; ++a) *to++ = static_cast<float>(step[a] * across + rest[a]);
    }
  }

  const bool corners_;
  int64_t batch_ = 0;
  int axes_ = 0;
  int64_t extents_[3] = {1, 1, 1};  // depth, height, width
  rows::Dense theta_, out_;
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
