// The operators that take the mean of each window: the C functions, and the plans between them.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/pooling/adaptive_contracts.h"
#include "aclimb/ops/pooling/average_contracts.h"
#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/ops/pooling/no_windows.h"
#include "aclimb/ops/pooling/side_by_side.h"
#include "aclimb/reduction/reduction.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::pooling {
namespace {

struct MeanPlan final : Plan {
  bool (*kernel)(const MeanArgs& args) = nullptr;
  MeanArgs args = {};
  rows::Dense from, to;
  WorkspacePiece rows_of_slots, windows;
  UnitScratch side_by_side;  // rows on the way to planes that lie one after the other

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&from, &to}, [&] {
      MeanArgs of_run = args;
      of_run.from = static_cast<const float*>(from.Data(run));
      of_run.to = static_cast<float*>(to.Data(run));
      of_run.rows = run.Piece<double>(rows_of_slots);
      of_run.windows = run.Piece<MeanWindow>(windows);
      of_run.side_by_side = side_by_side.Memory(run);
      return kernel(of_run);
    });
  }
};

double FirstSize(const MeanWindows& windows) {
  return windows.out() == 0 ? 0.0 : static_cast<double>(windows.Of(0).size());
}

// The plan from a tensor to another of more, or of fewer elements, of which the latter are means.
Result<PlanPointer> PlanOfMeans(const Arguments& arguments, Planner& planner, int from, int to,
                                const MeanArgs& args, size_t dims, bool gradient) {
  const TensorView read = arguments.Tensor(from).View(), written = arguments.Tensor(to).View();
  if (written.ElementCount() == 0) return PlanPointer();
  if (read.ElementCount() == 0) return MakePlanOfNoWindows(arguments, planner, to);
  auto plan = NewPlan<MeanPlan>();
  plan->kernel = gradient ? &MeanGradient : &MeanPool;
  plan->args = args;
  plan->args.slots = std::clamp<int64_t>(TeamSize(), 1, Slots::kMost);
  const PlaneOrder order = OrderOf(gradient ? written : read, dims);
  rows::Order of_written = order.order;
  if (order.inner > 1) {
    plan->kernel = gradient ? &MeanGradientSideBySide : &MeanPoolSideBySide;
    plan->args.inner = order.inner;
    plan->args.planes /= order.inner;
    const bool direct = gradient || IsSideBySide(written, dims);
    if (!direct) of_written = rows::OwnOrder(written.rank);
    const int64_t bytes = args.width.out() * order.inner * int64_t{sizeof(float)};
    const int64_t rows = plan->args.planes * args.depth.out() * args.height.out();
    if (!direct) plan->side_by_side.Book(planner, rows, bytes);
  }
  plan->from = rows::Dense::Input(planner, from, read, DType::kFloat32, order.order);
  plan->to = rows::Dense::Output(planner, to, written, DType::kFloat32, of_written);
  plan->rows_of_slots = planner.workspace().Book(plan->args.slots * MeanSlot(args.width),
                                                 static_cast<int64_t>(sizeof(double)));
  plan->windows = planner.workspace().Book(args.depth.out() + args.height.out() + args.width.out(),
                                           static_cast<int64_t>(sizeof(MeanWindow)));
  // Rows are added up once for each row of windows that has them.
  const double rows = static_cast<double>(args.planes) *
                      static_cast<double>(args.depth.out() * args.height.out()) *
                      FirstSize(args.depth) * FirstSize(args.height);
  const double columns = static_cast<double>(args.width.out()) * FirstSize(args.width);
  const double added = rows * static_cast<double>(gradient ? args.width.out() : args.width.in());
  const double lines = static_cast<double>(args.planes) *
                       static_cast<double>(gradient ? args.depth.in() * args.height.in()
                                                    : args.depth.out() * args.height.out());
  const bool sliding = plan->args.inner == 1 && IsSliding(args.width);
  const double sums =
      sliding ? 0.2 * added + lines * (0.2 * columns + 30)
              : 0.6 * added + lines * (2 * columns + 4 * static_cast<double>(args.width.out()));
  planner.Costs({.cycles = plan->from.CopyCycles() + plan->to.CopyCycles() + sums});
  return PlanPointer(std::move(plan));
}

// Of windows along the axes.
template <typename Along>
MeanArgs ArgsOf(const Windows& windows, int64_t divisor, Along along) {
  return {.planes = windows.planes,
          .depth = along(windows.depth),
          .height = along(windows.height),
          .width = along(windows.width),
          .divisor = static_cast<double>(divisor)};
}

template <const Places& kPlaces>
MeanArgs SlidingArgs(const Arguments& arguments) {
  // Both attributes stand behind ceilMode.
  const bool with_padding = arguments.Bool(kPlaces.ceil.at + 1);
  return ArgsOf(WindowsOf(arguments, kPlaces), arguments.Integer(kPlaces.ceil.at + 2),
                [&](const Axis& axis) { return MeanWindows::Sliding(axis, with_padding); });
}

template <const Places& kPlaces>
Result<PlanPointer> PlanAverage(const Arguments& arguments, Planner& planner) {
  return PlanOfMeans(arguments, planner, kPlaces.self.at, kPlaces.pooled.at,
                     SlidingArgs<kPlaces>(arguments), kPlaces.dims, false);
}

template <const Places& kPlaces, int kGradInput>
Result<PlanPointer> MakeGradientPlan(const Arguments& arguments, Planner& planner) {
  return PlanOfMeans(arguments, planner, kPlaces.pooled.at, kGradInput,
                     SlidingArgs<kPlaces>(arguments), kPlaces.dims, true);
}

MeanArgs SharingArgs(const Arguments& arguments, size_t dims, int self, int pooled) {
  return ArgsOf(SharingWindows(arguments.Tensor(self).shape, dims, arguments.Tensor(pooled).shape),
                0, [](const Axis& axis) { return MeanWindows::Adaptive(axis.in, axis.out); });
}

void ToMean(const reduction::Finishing& of, int64_t count, reduction::Slot* first,
            reduction::Slot*) {
  for (int64_t i = 0; i < count; ++i) first[i].real /= static_cast<double>(of.reduced);
}

template <size_t kDims>
Result<PlanPointer> PlanAdaptiveAverage(const Arguments& arguments, Planner& planner) {
  using namespace adaptive;  // NOLINT: the positions
  const std::vector<int64_t>& pooled = arguments.Tensor(kOut).shape;
  if (!arguments.Tensor(kSelf).IsEmpty() &&
      std::all_of(pooled.end() - kDims, pooled.end(), [](int64_t extent) { return extent == 1; })) {
    // One window has all of a plane, whatever the strides are.
    return reduction::MakePlan(planner, arguments,
                               {.fold = reduction::Fold::kSum,
                                .input = kSelf,
                                .reduced = ((1u << kDims) - 1) << (pooled.size() - kDims),
                                .outputs = {reduction::Output{.parameter = kOut}},
                                .finish = &ToMean});
  }
  return PlanOfMeans(arguments, planner, kSelf, kOut, SharingArgs(arguments, kDims, kSelf, kOut),
                     kDims, false);
}

template <size_t kDims>
Result<PlanPointer> PlanAdaptiveAverageGradient(const Arguments& arguments, Planner& planner) {
  using namespace adaptive_backward;  // NOLINT: the positions
  return PlanOfMeans(arguments, planner, kGradOutput, kOut,
                     SharingArgs(arguments, kDims, kSelf, kGradOutput), kDims, true);
}

constinit Operator kAverage(average::kContract, PlanAverage<average::kPlaces>);
constinit Operator kAverageBackward(
    average_backward::kContract,
    MakeGradientPlan<average_backward::kPlaces, average_backward::kGradInput>);
constinit Operator kAverage3d(average3d::kContract, PlanAverage<average3d::kPlaces>);
constinit Operator kAverage3dBackward(
    average3d_backward::kContract,
    MakeGradientPlan<average3d_backward::kPlaces, average3d_backward::kOutput>);

}  // namespace
}  // namespace aclimb::pooling

extern "C" aclnnStatus aclnnAvgPool2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* strides,
    const aclIntArray* paddings, const bool ceilMode, const bool countIncludePad,
    const int64_t divisorOverride, const int8_t cubeMathType, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kAverage, workspaceSize, executor, self, kernelSize,
                        strides, paddings, ceilMode, countIncludePad, divisorOverride, cubeMathType,
                        out);
}

extern "C" aclnnStatus aclnnAvgPool2d(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kAverage, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnAvgPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
    const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad,
    int64_t divisorOverride, int8_t cubeMathType, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kAverageBackward, workspaceSize, executor, gradOutput,
                        self, kernelSize, stride, padding, ceilMode, countIncludePad,
                        divisorOverride, cubeMathType, gradInput);
}

extern "C" aclnnStatus aclnnAvgPool2dBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kAverageBackward, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnAvgPool3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kAverage3d, workspaceSize, executor, self, kernelSize,
                        stride, padding, ceilMode, countIncludePad, divisorOverride, out);
}

extern "C" aclnnStatus aclnnAvgPool3d(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kAverage3d, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnAvgPool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
    const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad,
    int64_t divisorOverride, aclTensor* output, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kAverage3dBackward, workspaceSize, executor, gradOutput,
                        self, kernelSize, stride, padding, ceilMode, countIncludePad,
                        divisorOverride, output);
}

extern "C" aclnnStatus aclnnAvgPool3dBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kAverage3dBackward, workspace, workspaceSize, executor,
                        stream);
}

#define ACLIMB_ADAPTIVE_AVG_POOL(Name, dims)                                                       \
  namespace aclimb::pooling {                                                                      \
  constinit static Operator k##Name##Operator(adaptive::kContract<dims>,                           \
                                              PlanAdaptiveAverage<dims>);                          \
  constinit static Operator k##Name##BackwardOperator(adaptive_backward::kContract<dims>,          \
                                                      PlanAdaptiveAverageGradient<dims>);          \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      const aclTensor* self, const aclIntArray* outputSize, aclTensor* out,                        \
      uint64_t* workspaceSize, aclOpExecutor** executor) {                                         \
    return aclimb::Phase1(aclimb::pooling::k##Name##Operator, workspaceSize, executor, self,       \
                          outputSize, out);                                                        \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                      \
                                     aclOpExecutor* executor, const aclrtStream stream) {          \
    return aclimb::Phase2(aclimb::pooling::k##Name##Operator, workspace, workspaceSize, executor,  \
                          stream);                                                                 \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name##BackwardGetWorkspaceSize(                                    \
      const aclTensor* gradOutput, const aclTensor* self, aclTensor* out, uint64_t* workspaceSize, \
      aclOpExecutor** executor) {                                                                  \
    return aclimb::Phase1(aclimb::pooling::k##Name##BackwardOperator, workspaceSize, executor,     \
                          gradOutput, self, out);                                                  \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name##Backward(void* workspace, uint64_t workspaceSize,            \
                                               aclOpExecutor* executor,                            \
                                               const aclrtStream stream) {                         \
    return aclimb::Phase2(aclimb::pooling::k##Name##BackwardOperator, workspace, workspaceSize,    \
                          executor, stream);                                                       \
  }
ACLIMB_ADAPTIVE_AVG_POOL(AdaptiveAvgPool2d, 2)
ACLIMB_ADAPTIVE_AVG_POOL(AdaptiveAvgPool3d, 3)
