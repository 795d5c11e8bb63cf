// The operators that take the largest of each window: the C functions, and the plans between them.

#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/pooling/adaptive_max_contracts.h"
#include "aclimb/ops/pooling/kernels.h"
#include "aclimb/ops/pooling/max3d_contracts.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclimb/ops/pooling/no_windows.h"
#include "aclimb/ops/pooling/side_by_side.h"
#include "aclimb/rows/dense.h"

namespace aclimb::pooling {
namespace {

// How a mask or a tensor of indices lies, dense.
Indices IndicesOf(const TensorView& view, const Windows& windows) {
  const bool mask = view.dtype == DType::kInt8;
  const int64_t plane =
      mask ? view.shape[view.rank - 2] * view.shape[view.rank - 1] : windows.Out();
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
  UnitScratch side_by_side;  // rows on the way to planes that lie one after the other

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&input, &output, &indices}, [&] {
      Indices to = layout;
      to.at = static_cast<char*>(indices.Data(run));
      return kernel({.windows = windows,
                     .input = input.Data(run),
                     .output = output.Data(run),
                     .indices = to,
                     .rows = side_by_side.Memory(run)});
    });
  }
};

// Which parameters a call reads and writes.
struct Operands {
  int planes;
  int pooled;
  int indices;  // -1: none
};

// In which order the kernels take the dimensions; `windows` are told which planes lie side by side.
rows::Order OrderFor(const Arguments& arguments, const Operands& at, size_t dims,
                     Windows& windows) {
  const TensorView planes = arguments.Tensor(at.planes).View();
  // A mask has one plane after the other.
  const bool mask = at.indices >= 0 && arguments.Tensor(at.indices).dtype == DType::kInt8;
  if (mask) return rows::OwnOrder(planes.rank);
  const PlaneOrder result = OrderOf(planes, dims);
  windows.inner = result.inner;
  windows.planes /= result.inner;
  return result.order;
}

// The operands of a plan that finds maxima, and the clock cycles of their copies.
//   dtype  that kernels see
double Bind(MaxPlan& plan, const Arguments& arguments, Planner& planner, const Operands& at,
            DType dtype, const rows::Order& order, const rows::Order& pooled) {
  plan.input =
      rows::Dense::Input(planner, at.planes, arguments.Tensor(at.planes).View(), dtype, order);
  plan.output =
      rows::Dense::Output(planner, at.pooled, arguments.Tensor(at.pooled).View(), dtype, pooled);
  if (at.indices >= 0) {
    const TensorView indices = arguments.Tensor(at.indices).View();
    plan.indices = rows::Dense::Output(planner, at.indices, indices, indices.dtype, pooled);
    plan.layout = IndicesOf(indices, plan.windows);
  }
  return plan.input.CopyCycles() + plan.output.CopyCycles() + plan.indices.CopyCycles();
}

template <const Places& kPlaces>
Result<PlanPointer> PlanMax(const Arguments& arguments, Planner& planner) {
  const TensorView out = arguments.Tensor(kPlaces.pooled.at).View();
  if (out.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<MaxPlan>();
  plan->windows = WindowsOf(arguments, kPlaces);
  constexpr Operands kOperands = {
      .planes = kPlaces.self.at, .pooled = kPlaces.pooled.at, .indices = kPlaces.indices.at};
  const rows::Order order = OrderFor(arguments, kOperands, kPlaces.dims, plan->windows);
  rows::Order pooled = order;
  if (plan->windows.inner > 1) {
    plan->kernel = &MaxPoolSideBySide;
    const bool direct = IsSideBySide(out, kPlaces.dims);
    if (!direct) pooled = rows::OwnOrder(out.rank);
    // A row of maxima, and one of indices.
    const Windows& windows = plan->windows;
    const int64_t rows = windows.planes * windows.depth.out * windows.height.out;
    const int64_t bytes = windows.width.out * windows.inner * 2 * int64_t{sizeof(float)};
    if (!direct) plan->side_by_side.Book(planner, rows, bytes);
  }
  const double cycles = Bind(*plan, arguments, planner, kOperands, DType::kFloat32, order, pooled);
  planner.Costs({.cycles = cycles + 2 * static_cast<double>(plan->windows.Taps()) *
                                        static_cast<double>(out.ElementCount())});
  return PlanPointer(std::move(plan));
}

template <size_t kDims>
Result<PlanPointer> PlanAdaptiveMax(const Arguments& arguments, Planner& planner) {
  using namespace adaptive_max;  // NOLINT: the positions
  const TensorView out = arguments.Tensor(kOutputOut).View();
  if (out.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<MaxPlan>();
  const bool is_double = out.dtype == DType::kFloat64;
  plan->kernel = is_double ? &AdaptiveMaxPool<double> : &AdaptiveMaxPool<float>;
  plan->windows =
      SharingWindows(arguments.Tensor(kSelf).shape, kDims, arguments.Tensor(kOutputOut).shape);
  const double cycles = Bind(*plan, arguments, planner,
                             {.planes = kSelf, .pooled = kOutputOut, .indices = kIndicesOut},
                             is_double ? DType::kFloat64 : DType::kFloat32,
                             rows::OwnOrder(out.rank), rows::OwnOrder(out.rank));
  planner.Costs({.cycles = cycles +
                           2 * static_cast<double>(arguments.Tensor(kSelf).View().ElementCount()) +
                           10 * static_cast<double>(out.ElementCount())});
  return PlanPointer(std::move(plan));
}

struct GradientPlan final : Plan {
  bool (*kernel)(const MaxGradientArgs& args) = &MaxGradient;
  Windows windows;
  rows::Dense grad_output, indices, grad_input;
  Indices layout;
  UnitScratch sums;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&grad_output, &indices, &grad_input}, [&] {
      Indices from = layout;
      from.at = static_cast<char*>(indices.Data(run));
      return kernel({.windows = windows,
                     .grad_output = static_cast<const float*>(grad_output.Data(run)),
                     .grad_input = static_cast<float*>(grad_input.Data(run)),
                     .indices = from,
                     .sums = sums.Memory(run)});
    });
  }
};

// Whether an element may be the maximum of so many windows that their sum is made in double:
// `windows_of` counts those that it is in along an axis, at most.
template <typename WindowsOfElement>
bool HasManyTerms(const Windows& windows, WindowsOfElement windows_of) {
  constexpr int64_t kFewTerms = 16;
  int64_t terms = 1;
  for (const Axis Windows::*axis : kAxes) {
    // More are not counted: the product of three would overflow.
    terms *= std::min(windows_of(windows.*axis), kFewTerms + 1);
  }
  return terms > kFewTerms;
}

// From the gradient of the maxima to that of the planes.
Result<PlanPointer> MakeGradientPlanOf(const Arguments& arguments, Planner& planner,
                                       const Operands& at, size_t dims, const Windows& windows,
                                       bool many_terms) {
  const TensorView grad_output = arguments.Tensor(at.pooled).View();
  const TensorView indices = arguments.Tensor(at.indices).View();
  const TensorView grad_input = arguments.Tensor(at.planes).View();
  if (grad_input.ElementCount() == 0) return PlanPointer();
  if (grad_output.ElementCount() == 0) return MakePlanOfNoWindows(arguments, planner, at.planes);
  auto plan = NewPlan<GradientPlan>();
  plan->windows = windows;
  Windows side_by_side = windows;
  rows::Order order = OrderFor(arguments, at, dims, side_by_side);
  if (side_by_side.inner > 1 && !many_terms && SharesSideBySide(side_by_side)) {
    plan->kernel = &MaxGradientSideBySide;
    plan->windows = side_by_side;
  } else {
    order = rows::OwnOrder(grad_input.rank);
  }
  plan->grad_output = rows::Dense::Input(planner, at.pooled, grad_output, DType::kFloat32, order);
  plan->indices = rows::Dense::Input(planner, at.indices, indices, indices.dtype, order);
  plan->grad_input = rows::Dense::Output(planner, at.planes, grad_input, DType::kFloat32, order);
  plan->layout = IndicesOf(indices, windows);
  if (many_terms) {
    plan->sums.Book(planner, windows.planes, windows.In() * int64_t{sizeof(double)});
  }
  planner.Costs({.cycles = plan->grad_output.CopyCycles() + plan->indices.CopyCycles() +
                           plan->grad_input.CopyCycles() +
                           4 * static_cast<double>(grad_output.ElementCount()) +
                           static_cast<double>(grad_input.ElementCount())});
  return PlanPointer(std::move(plan));
}

template <const Places& kPlaces>
Result<PlanPointer> MakeGradientPlan(const Arguments& arguments, Planner& planner) {
  using namespace backward;  // NOLINT: the positions
  const Windows windows = WindowsOf(arguments, kPlaces);
  return MakeGradientPlanOf(arguments, planner,
                            {.planes = kGradInput, .pooled = kGradOutput, .indices = kIndices},
                            kPlaces.dims, windows, HasManyTerms(windows, [](const Axis& axis) {
                              return std::min(axis.out, CeilDivide(axis.Span(), axis.stride));
                            }));
}

template <size_t kDims>
Result<PlanPointer> PlanAdaptiveMaxGradient(const Arguments& arguments, Planner& planner) {
  using namespace adaptive_max_backward;  // NOLINT: the positions
  const Windows windows =
      SharingWindows(arguments.Tensor(kSelf).shape, kDims, arguments.Tensor(kGradOutput).shape);
  return MakeGradientPlanOf(arguments, planner,
                            {.planes = kGradInput, .pooled = kGradOutput, .indices = kIndices},
                            kDims, windows, HasManyTerms(windows, [](const Axis& axis) {
                              return std::min(axis.out, axis.out / axis.in + 2);
                            }));
}

}  // namespace
}  // namespace aclimb::pooling

#define ACLIMB_MAX_POOL_PHASE2(Name)                                                              \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                     \
                                     aclOpExecutor* executor, aclrtStream stream) {               \
    return aclimb::Phase2(aclimb::pooling::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                                \
  }
#define ACLIMB_MAX_POOL_FUNCTIONS(Name, contract, places)                                     \
  namespace aclimb::pooling {                                                                 \
  constinit static Operator k##Name##Operator(contract, PlanMax<places>);                     \
  }                                                                                           \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                       \
      const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,        \
      const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out, \
      aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor) {                \
    return aclimb::Phase1(aclimb::pooling::k##Name##Operator, workspaceSize, executor, self,  \
                          kernelSize, stride, padding, dilation, ceilMode, out, indices);     \
  }                                                                                           \
  ACLIMB_MAX_POOL_PHASE2(Name)
#define ACLIMB_MAX_POOL_BACKWARD_FUNCTIONS(Name, contract, places)                                 \
  namespace aclimb::pooling {                                                                      \
  constinit static Operator k##Name##Operator(contract, MakeGradientPlan<places>);                 \
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
#define ACLIMB_MAX_POOL(name, Name, ...) \
  ACLIMB_MAX_POOL_FUNCTIONS(Name, k##Name##Contract, forward::kPlaces)
#define ACLIMB_MAX_POOL_BACKWARD(name, Name, ...) \
  ACLIMB_MAX_POOL_BACKWARD_FUNCTIONS(Name, k##Name##Contract, backward::kPlaces)
#include "aclimb/ops/pooling/rows.inc"
ACLIMB_MAX_POOL_FUNCTIONS(MaxPool3dWithArgmax, max3d::forward::kContract, max3d::forward::kPlaces)
ACLIMB_MAX_POOL_BACKWARD_FUNCTIONS(MaxPool3dWithArgmaxBackward, max3d::backward::kContract,
                                   max3d::backward::kPlaces)

namespace aclimb::pooling::plain {
constinit static Operator kOperator(kContract, PlanMax<kPlaces>);
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

#define ACLIMB_ADAPTIVE_MAX_POOL(Name, dims)                                                   \
  namespace aclimb::pooling {                                                                  \
  constinit static Operator k##Name##Operator(adaptive_max::kContract<dims>,                   \
                                              PlanAdaptiveMax<dims>);                          \
  constinit static Operator k##Name##BackwardOperator(adaptive_max_backward::kContract<dims>,  \
                                                      PlanAdaptiveMaxGradient<dims>);          \
  }                                                                                            \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                        \
      const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,              \
      aclTensor* indicesOut, uint64_t* workspaceSize, aclOpExecutor** executor) {              \
    return aclimb::Phase1(aclimb::pooling::k##Name##Operator, workspaceSize, executor, self,   \
                          outputSize, outputOut, indicesOut);                                  \
  }                                                                                            \
  ACLIMB_MAX_POOL_PHASE2(Name)                                                                 \
  extern "C" aclnnStatus aclnn##Name##BackwardGetWorkspaceSize(                                \
      const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,            \
      aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {               \
    return aclimb::Phase1(aclimb::pooling::k##Name##BackwardOperator, workspaceSize, executor, \
                          gradOutput, self, indices, gradInput);                               \
  }                                                                                            \
  ACLIMB_MAX_POOL_PHASE2(Name##Backward)
ACLIMB_ADAPTIVE_MAX_POOL(AdaptiveMaxPool2d, 2)
ACLIMB_ADAPTIVE_MAX_POOL(AdaptiveMaxPool3d, 3)
