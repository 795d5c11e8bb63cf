// The operators that take the mean of each window: the C functions, and the plans between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/pooling/average_contracts.h"
#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::pooling {
namespace {

struct MeanPlan final : Plan {
  bool (*kernel)(const MeanArgs& args) = nullptr;
  MeanArgs args = {};
  rows::Dense from, to;
  WorkspacePiece rows_of_slots;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&from, &to}, [&] {
      MeanArgs of_run = args;
      of_run.from = static_cast<const float*>(from.Data(run));
      of_run.to = static_cast<float*>(to.Data(run));
      of_run.rows = run.Piece<double>(rows_of_slots);
      return kernel(of_run);
    });
  }
};

double FirstSize(const MeanWindows& windows) {
  return windows.out() == 0 ? 0.0 : static_cast<double>(windows.Of(0).size());
}

// The plan from a tensor to another of more, or of fewer elements, of which the latter are means.
Result<PlanPointer> MakePlanOf(const Arguments& arguments, Planner& planner, int from, int to,
                               const MeanArgs& args, bool gradient) {
  const TensorView read = arguments.Tensor(from).View(), written = arguments.Tensor(to).View();
  if (written.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<MeanPlan>();
  plan->kernel = gradient ? &MeanGradient : &MeanPool;
  plan->args = args;
  plan->args.slots = std::clamp<int64_t>(TeamSize(), 1, Slots::kMost);
  plan->from = rows::Dense::Input(planner, from, read, DType::kFloat32);
  plan->to = rows::Dense::Output(planner, to, written, DType::kFloat32);
  plan->rows_of_slots = planner.workspace().Book(plan->args.slots * MeanSlot(args.width),
                                                 static_cast<int64_t>(sizeof(double)));
  // Rows are added up once for each row of windows that has them.
  const double rows = static_cast<double>(args.planes) * static_cast<double>(args.height.out()) *
                      FirstSize(args.height);
  const double columns = static_cast<double>(args.width.out()) * FirstSize(args.width);
  const double added = rows * static_cast<double>(gradient ? args.width.out() : args.width.in());
  const double lines = static_cast<double>(args.planes) *
                       static_cast<double>(gradient ? args.height.in() : args.height.out());
  planner.Costs({.cycles = plan->from.CopyCycles() + plan->to.CopyCycles() + 0.6 * added +
                           lines * (2 * columns + 4 * static_cast<double>(args.width.out()))});
  return PlanPointer(std::move(plan));
}

MeanArgs SlidingArgs(const Windows& windows, bool with_padding, int64_t divisor) {
  return {.planes = windows.planes,
          .height = MeanWindows::Sliding(windows.height, with_padding),
          .width = MeanWindows::Sliding(windows.width, with_padding),
          .divisor = static_cast<double>(divisor)};
}

MeanArgs AdaptiveArgs(const TensorDescriptor& planes, const TensorDescriptor& pooled) {
  const size_t height = planes.shape.size() - 2, width = height + 1;
  MeanArgs args = {.planes = 1,
                   .height = MeanWindows::Adaptive(planes.shape[height], pooled.shape[height]),
                   .width = MeanWindows::Adaptive(planes.shape[width], pooled.shape[width])};
  for (size_t d = 0; d < height; ++d) args.planes *= planes.shape[d];
  return args;
}

Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  using namespace average;  // NOLINT: the positions
  const MeanArgs args = SlidingArgs(WindowsOf(arguments, kPlaces), arguments.Bool(kCountIncludePad),
                                    arguments.Integer(kDivisorOverride));
  return MakePlanOf(arguments, planner, kSelf, kOut, args, false);
}

Result<PlanPointer> MakeGradientPlan(const Arguments& arguments, Planner& planner) {
  using namespace average_backward;  // NOLINT: the positions
  const MeanArgs args = SlidingArgs(WindowsOf(arguments, kPlaces), arguments.Bool(kCountIncludePad),
                                    arguments.Integer(kDivisorOverride));
  return MakePlanOf(arguments, planner, kGradOutput, kGradInput, args, true);
}

Result<PlanPointer> MakeAdaptivePlan(const Arguments& arguments, Planner& planner) {
  using namespace adaptive;  // NOLINT: the positions
  const MeanArgs args = AdaptiveArgs(arguments.Tensor(kSelf), arguments.Tensor(kOut));
  return MakePlanOf(arguments, planner, kSelf, kOut, args, false);
}

Result<PlanPointer> MakeAdaptiveGradientPlan(const Arguments& arguments, Planner& planner) {
  using namespace adaptive_backward;  // NOLINT: the positions
  const MeanArgs args = AdaptiveArgs(arguments.Tensor(kSelf), arguments.Tensor(kGradOutput));
  return MakePlanOf(arguments, planner, kGradOutput, kOut, args, true);
}

constinit Operator kAverage(average::kContract, MakePlan);
constinit Operator kAverageBackward(average_backward::kContract, MakeGradientPlan);
constinit Operator kAdaptive(adaptive::kContract, MakeAdaptivePlan);
constinit Operator kAdaptiveBackward(adaptive_backward::kContract, MakeAdaptiveGradientPlan);

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

extern "C" aclnnStatus aclnnAdaptiveAvgPool2dGetWorkspaceSize(const aclTensor* self,
                                                              const aclIntArray* outputSize,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kAdaptive, workspaceSize, executor, self, outputSize, out);
}

extern "C" aclnnStatus aclnnAdaptiveAvgPool2d(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kAdaptive, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                      const aclTensor* self,
                                                                      aclTensor* out,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kAdaptiveBackward, workspaceSize, executor, gradOutput,
                        self, out);
}

extern "C" aclnnStatus aclnnAdaptiveAvgPool2dBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor,
                                                      const aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kAdaptiveBackward, workspace, workspaceSize, executor,
                        stream);
}
