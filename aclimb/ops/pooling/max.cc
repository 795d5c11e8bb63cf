// The operators that take the largest of each window: the C functions, and the plans between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/pooling/adaptive_max_contracts.h"
#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::pooling {
namespace {

// Kernels see float32, in the order of the tensor.
rows::Dense Input(Planner& planner, int parameter, const TensorView& view) {
  return rows::Dense::Input(planner, parameter, view, DType::kFloat32);
}
rows::Dense Output(Planner& planner, int parameter, const TensorView& view) {
  return rows::Dense::Output(planner, parameter, view, DType::kFloat32);
}

// How a mask or a tensor of indices lies, dense.
Indices IndicesOf(const TensorView& view, const Windows& windows) {
  const bool mask = view.dtype == DType::kInt8;
  const int64_t plane = view.shape[view.rank - 2] * view.shape[view.rank - 1];
  // A mask for windows of one element may have no room for indices, which say nothing then.
  return {.stride = plane * static_cast<int64_t>(SizeOf(view.dtype)),
          .told = !mask || windows.height.kernel * windows.width.kernel > 1,
          .wide = view.dtype == DType::kInt64};
}

struct MaxPlan final : Plan {
  bool (*kernel)(const MaxArgs& args) = &MaxPool;
  Windows windows;
  rows::Dense input, output, indices;
  Indices layout;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&input, &output, &indices}, [&] {
      Indices to = layout;
      to.at = static_cast<char*>(indices.Data(run));
      return kernel({.windows = windows,
                     .input = static_cast<const float*>(input.Data(run)),
                     .output = static_cast<float*>(output.Data(run)),
                     .indices = to});
    });
  }
};

// Which parameters a call reads and writes.
struct Operands {
  int planes;
  int pooled;
  int indices;  // -1: none
};

// The operands of a plan that finds maxima, and the clock cycles of their copies.
double Bind(MaxPlan& plan, const Arguments& arguments, Planner& planner, const Operands& at) {
  plan.input = Input(planner, at.planes, arguments.Tensor(at.planes).View());
  plan.output = Output(planner, at.pooled, arguments.Tensor(at.pooled).View());
  if (at.indices >= 0) {
    const TensorView indices = arguments.Tensor(at.indices).View();
    plan.indices = rows::Dense::Output(planner, at.indices, indices, indices.dtype);
    plan.layout = IndicesOf(indices, plan.windows);
  }
  return plan.input.CopyCycles() + plan.output.CopyCycles() + plan.indices.CopyCycles();
}

template <const Places& kPlaces>
Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  const TensorView out = arguments.Tensor(kPlaces.pooled.at).View();
  if (out.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<MaxPlan>();
  plan->windows = WindowsOf(arguments, kPlaces);
  const double cycles =
      Bind(*plan, arguments, planner,
           {.planes = kPlaces.self.at, .pooled = kPlaces.pooled.at, .indices = kPlaces.indices.at});
  const Axis &height = plan->windows.height, &width = plan->windows.width;
  const auto taps = static_cast<double>(std::min(height.kernel, height.in)) *
                    static_cast<double>(std::min(width.kernel, width.in));
  planner.Costs({.cycles = cycles + 2 * taps * static_cast<double>(out.ElementCount())});
  return PlanPointer(std::move(plan));
}

// Windows that share planes equally.
Windows SharedWindows(const TensorDescriptor& planes, const TensorDescriptor& pooled) {
  const size_t height = planes.shape.size() - 2, width = height + 1;
  Windows windows = {.height = {.in = planes.shape[height], .out = pooled.shape[height]},
                     .width = {.in = planes.shape[width], .out = pooled.shape[width]}};
  for (size_t d = 0; d < height; ++d) windows.planes *= planes.shape[d];
  return windows;
}

Result<PlanPointer> MakeAdaptivePlan(const Arguments& arguments, Planner& planner) {
  using namespace adaptive_max;  // NOLINT: the positions
  const TensorView out = arguments.Tensor(kOutputOut).View();
  if (out.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<MaxPlan>();
  plan->kernel = &AdaptiveMaxPool;
  plan->windows = SharedWindows(arguments.Tensor(kSelf), arguments.Tensor(kOutputOut));
  const double cycles = Bind(*plan, arguments, planner,
                             {.planes = kSelf, .pooled = kOutputOut, .indices = kIndicesOut});
  planner.Costs({.cycles = cycles +
                           2 * static_cast<double>(arguments.Tensor(kSelf).View().ElementCount()) +
                           10 * static_cast<double>(out.ElementCount())});
  return PlanPointer(std::move(plan));
}

struct GradientPlan final : Plan {
  Windows windows;
  rows::Dense grad_output, indices, grad_input;
  Indices layout;
  WorkspacePiece sums;
  int64_t slots = 1;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&grad_output, &indices, &grad_input}, [&] {
      Indices from = layout;
      from.at = static_cast<char*>(indices.Data(run));
      return MaxGradient({.windows = windows,
                          .grad_output = static_cast<const float*>(grad_output.Data(run)),
                          .grad_input = static_cast<float*>(grad_input.Data(run)),
                          .indices = from,
                          .sums = run.Piece<double>(sums),
                          .slots = slots});
    });
  }
};

// From the gradient of the maxima to that of the planes, each element of which is the maximum of
// `terms` windows at most.
Result<PlanPointer> MakeGradientPlanOf(const Arguments& arguments, Planner& planner,
                                       const Operands& at, const Windows& windows, int64_t terms) {
  // Sums of more terms are made in double.
  constexpr int64_t kFewTerms = 16;
  const TensorView grad_output = arguments.Tensor(at.pooled).View();
  const TensorView indices = arguments.Tensor(at.indices).View();
  const TensorView grad_input = arguments.Tensor(at.planes).View();
  if (grad_input.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<GradientPlan>();
  plan->windows = windows;
  plan->grad_output = Input(planner, at.pooled, grad_output);
  plan->indices = rows::Dense::Input(planner, at.indices, indices);
  plan->grad_input = Output(planner, at.planes, grad_input);
  plan->layout = IndicesOf(indices, windows);
  if (terms > kFewTerms) {
    plan->slots =
        std::clamp<int64_t>(std::min<int64_t>(TeamSize(), windows.planes), 1, Slots::kMost);
    plan->sums = planner.workspace().Book(plan->slots * windows.height.in * windows.width.in,
                                          static_cast<int64_t>(sizeof(double)));
  }
  planner.Costs({.cycles = plan->grad_output.CopyCycles() + plan->indices.CopyCycles() +
                           plan->grad_input.CopyCycles() +
                           4 * static_cast<double>(grad_output.ElementCount()) +
                           static_cast<double>(grad_input.ElementCount())});
  return PlanPointer(std::move(plan));
}

// How many windows an element of the axis is in, at most.
int64_t WindowsOfElement(const Axis& axis) {
  return std::min(axis.out, CeilDivide(axis.Span(), axis.stride));
}

Result<PlanPointer> MakeGradientPlan(const Arguments& arguments, Planner& planner) {
  using namespace backward;  // NOLINT: the positions
  const Windows windows = WindowsOf(arguments, kPlaces);
  return MakeGradientPlanOf(
      arguments, planner, {.planes = kGradInput, .pooled = kGradOutput, .indices = kIndices},
      windows, WindowsOfElement(windows.height) * WindowsOfElement(windows.width));
}

Result<PlanPointer> MakeAdaptiveGradientPlan(const Arguments& arguments, Planner& planner) {
  using namespace adaptive_max_backward;  // NOLINT: the positions
  const Windows windows = SharedWindows(arguments.Tensor(kSelf), arguments.Tensor(kGradOutput));
  return MakeGradientPlanOf(
      arguments, planner, {.planes = kGradInput, .pooled = kGradOutput, .indices = kIndices},
      windows,
      (windows.height.out / windows.height.in + 2) * (windows.width.out / windows.width.in + 2));
}

constinit Operator kAdaptiveMax(adaptive_max::kContract, MakeAdaptivePlan);
constinit Operator kAdaptiveMaxBackward(adaptive_max_backward::kContract, MakeAdaptiveGradientPlan);

}  // namespace
}  // namespace aclimb::pooling

#define ACLIMB_MAX_POOL_PHASE2(Name)                                                              \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                     \
                                     aclOpExecutor* executor, aclrtStream stream) {               \
    return aclimb::Phase2(aclimb::pooling::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                                \
  }
#define ACLIMB_MAX_POOL(name, Name, ...)                                                      \
  namespace aclimb::pooling {                                                                 \
  constinit static Operator k##Name##Operator(k##Name##Contract, MakePlan<forward::kPlaces>); \
  }                                                                                           \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                       \
      const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,        \
      const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out, \
      aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor) {                \
    return aclimb::Phase1(aclimb::pooling::k##Name##Operator, workspaceSize, executor, self,  \
                          kernelSize, stride, padding, dilation, ceilMode, out, indices);     \
  }                                                                                           \
  ACLIMB_MAX_POOL_PHASE2(Name)
#define ACLIMB_MAX_POOL_BACKWARD(name, Name, ...)                                                  \
  namespace aclimb::pooling {                                                                      \
  constinit static Operator k##Name##Operator(k##Name##Contract, MakeGradientPlan);                \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,                \
      const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,        \
      const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,   \
      aclOpExecutor** executor) {                                                                  \
    return aclimb::Phase1(aclimb::pooling::k##Name##Operator, workspaceSize, executor, gradOutput, \
                          self, indices, kernelSize, stride, padding, dilation, ceilMode,          \
                          gradInput);                                                              \
  }                                                                                                \
  ACLIMB_MAX_POOL_PHASE2(Name)
#include "aclimb/ops/pooling/rows.inc"

namespace aclimb::pooling::plain {
constinit static Operator kOperator(kContract, MakePlan<kPlaces>);
}

extern "C" aclnnStatus aclnnMaxPoolGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelShape, const aclIntArray* strides,
    const int64_t autoPad, const aclIntArray* pads, const aclIntArray* dilations,
    const int64_t ceilMode, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::plain::kOperator, workspaceSize, executor, self,
                        kernelShape, strides, autoPad, pads, dilations, ceilMode, out);
}

extern "C" aclnnStatus aclnnMaxPool(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::plain::kOperator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnAdaptiveMaxPool2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
    aclTensor* indicesOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kAdaptiveMax, workspaceSize, executor, self, outputSize,
                        outputOut, indicesOut);
}

extern "C" aclnnStatus aclnnAdaptiveMaxPool2d(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kAdaptiveMax, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::pooling::kAdaptiveMaxBackward, workspaceSize, executor, gradOutput,
                        self, indices, gradInput);
}

extern "C" aclnnStatus aclnnAdaptiveMaxPool2dBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::pooling::kAdaptiveMaxBackward, workspace, workspaceSize, executor,
                        stream);
}
