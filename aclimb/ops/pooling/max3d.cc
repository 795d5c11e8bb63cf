// aclnnMaxPool3dWithArgmax and its gradient: the loops, the plans and the C entry points.

#include <algorithm>
#include <limits>

#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/pooling/max3d_contracts.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::pooling::max3d {
namespace {

// Elements of a piece of a loop, about.
constexpr int64_t kPiece = 1 << 14;

rows::Dense DenseInput(const Arguments& arguments, Planner& planner, int parameter, DType dtype) {
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::Input(planner, parameter, view, dtype);
}
rows::Dense DenseOutput(const Arguments& arguments, Planner& planner, int parameter, DType dtype) {
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::Output(planner, parameter, view, dtype);
}

struct MaxPlan final : Plan {
  VolumeWindows windows;
  rows::Dense self, out, indices;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&self, &out, &indices}, [&] { return Find(run); });
  }

 private:
  // Elements are compared in row-major order; the first one of a window counts, whatever it is, and
  // a NaN more than what was found before.
  bool Find(const RunContext& run) const {
    const Axis &layer = windows.axes[0], &row = windows.axes[1], &column = windows.axes[2];
    const auto* const from = static_cast<const float*>(self.Data(run));
    auto* const values = static_cast<float*>(out.Data(run));
    auto* const places = static_cast<int32_t*>(indices.Data(run));
    const int64_t rows = layer.out * row.out;
    const auto taps_of = [](const Axis& axis) { return std::min(axis.kernel, axis.in); };
    const int64_t per_row =
        std::max<int64_t>(1, column.out * taps_of(layer) * taps_of(row) * taps_of(column));
    return ParallelForAll(windows.volumes * rows, std::max<int64_t>(1, kPiece / per_row),
                          [&](int64_t begin, int64_t end) {
                            for (int64_t r = begin; r < end; ++r) {
                              const float* const volume = from + r / rows * windows.In();
                              const int64_t z0 = r % rows / row.out, y0 = r % row.out;
                              const Range layers = layer.Taps(z0), lines = row.Taps(y0);
                              for (int64_t o = 0; o < column.out; ++o) {
                                const Range taps = column.Taps(o);
                                float best = -std::numeric_limits<float>::infinity();
                                int64_t at = -1;
                                for (int64_t i = layers.begin; i < layers.end; ++i) {
                                  const int64_t z = layer.Start(z0) + i * layer.dilation;
                                  for (int64_t j = lines.begin; j < lines.end; ++j) {
                                    const int64_t y = row.Start(y0) + j * row.dilation;
                                    const int64_t line =
                                        (z * row.in + y) * column.in + column.Start(o);
                                    for (int64_t k = taps.begin; k < taps.end; ++k) {
                                      const int64_t place = line + k * column.dilation;
                                      const float x = volume[place];
                                      if (x > best || x != x || at < 0) {
                                        best = x;
                                        at = place;
                                      }
                                    }
                                  }
                                }
                                values[r * column.out + o] = best;
                                places[r * column.out + o] = static_cast<int32_t>(at);
                              }
                            }
                          });
  }
};

Result<PlanPointer> PlanForward(const Arguments& arguments, Planner& planner) {
  using namespace forward;  // NOLINT: the positions
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  auto plan = NewPlan<MaxPlan>();
  plan->windows = VolumeWindowsOf(arguments, kPlaces);
  plan->self = DenseInput(arguments, planner, kSelf, DType::kFloat32);
  plan->out = DenseOutput(arguments, planner, kOut, DType::kFloat32);
  plan->indices = DenseOutput(arguments, planner, kIndices, DType::kInt32);
  const auto& [layer, row, column] = plan->windows.axes;
  const double taps = static_cast<double>(layer.kernel) * static_cast<double>(row.kernel) *
                      static_cast<double>(column.kernel);
  planner.Costs(
      {.cycles = plan->self.CopyCycles() + plan->out.CopyCycles() + plan->indices.CopyCycles() +
                 2 * taps * static_cast<double>(plan->windows.volumes * plan->windows.Out())});
  return PlanPointer(std::move(plan));
}

struct GradientPlan final : Plan {
  VolumeWindows windows;
  rows::Dense gradient, indices, result;
  UnitScratch sums;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&gradient, &indices, &result}, [&] { return Add(run); });
  }

 private:
  bool Add(const RunContext& run) const {
    const auto* const from = static_cast<const float*>(gradient.Data(run));
    const auto* const places = static_cast<const int32_t*>(indices.Data(run));
    auto* const to = static_cast<float*>(result.Data(run));
    const int64_t in = windows.In(), out = windows.Out();
    return sums.Run(run, windows.volumes, std::max<int64_t>(1, kPiece / (in + out)),
                    [&](int64_t n, char* scratch) {
                      auto* const volume = reinterpret_cast<double*>(scratch);
                      std::fill_n(volume, in, 0.0);
                      for (int64_t o = n * out; o < (n + 1) * out; ++o) {
                        if (places[o] >= 0 && places[o] < in) volume[places[o]] += from[o];
                      }
                      for (int64_t i = 0; i < in; ++i) {
                        to[n * in + i] = static_cast<float>(volume[i]);
                      }
                    });
  }
};

Result<PlanPointer> PlanBackward(const Arguments& arguments, Planner& planner) {
  using namespace backward;  // NOLINT: the positions
  if (arguments.Tensor(kGradInput).IsEmpty()) return PlanPointer();
  auto plan = NewPlan<GradientPlan>();
  plan->windows = VolumeWindowsOf(arguments, kPlaces);
  plan->gradient = DenseInput(arguments, planner, kGradOutput, DType::kFloat32);
  plan->indices = DenseInput(arguments, planner, kIndices, DType::kInt32);
  plan->result = DenseOutput(arguments, planner, kGradInput, DType::kFloat32);
  plan->sums.Book(planner, plan->windows.volumes,
                  plan->windows.In() * static_cast<int64_t>(sizeof(double)));
  planner.Costs({.cycles = plan->gradient.CopyCycles() + plan->indices.CopyCycles() +
                           plan->result.CopyCycles() +
                           2.0 * static_cast<double>(plan->windows.volumes) *
                               static_cast<double>(plan->windows.In() + plan->windows.Out())});
  return PlanPointer(std::move(plan));
}

constinit Operator max_pool_operator(forward::kContract, PlanForward);
constinit Operator max_pool_backward_operator(backward::kContract, PlanBackward);

}  // namespace
}  // namespace aclimb::pooling::max3d

extern "C" aclnnStatus aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
    aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::max3d::max_pool_operator, workspaceSize, executor, self,
                        kernelSize, stride, padding, dilation, ceilMode, out, indices);
}

extern "C" aclnnStatus aclnnMaxPool3dWithArgmax(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::max3d::max_pool_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::max3d::max_pool_backward_operator, workspaceSize, executor,
                        gradOutput, self, indices, kernelSize, stride, padding, dilation, ceilMode,
                        gradInput);
}

extern "C" aclnnStatus aclnnMaxPool3dWithArgmaxBackward(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::max3d::max_pool_backward_operator, workspace,
                        workspaceSize, executor, stream);
}
