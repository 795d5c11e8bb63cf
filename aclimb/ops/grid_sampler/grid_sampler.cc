// aclnnGridSampler2D, aclnnGridSampler3D and their gradients: the plans and the C entry points.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/grid_sampler/contracts.h"
#include "aclimb/ops/grid_sampler/kernels.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::grid_sampler {
namespace {

using contract::Arguments;

// Half types are computed in float32.
DType ComputedIn(DType dtype) { return dtype == DType::kFloat64 ? dtype : DType::kFloat32; }

rows::Dense DenseInput(const Arguments& arguments, Planner& planner, int parameter) {
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::Input(planner, parameter, view, ComputedIn(view.dtype));
}
rows::Dense DenseOutput(const Arguments& arguments, Planner& planner, int parameter) {
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::Output(planner, parameter, view, ComputedIn(view.dtype));
}

Args ArgsOf(const Arguments& arguments, int input, int grid, int interpolation) {
  const std::vector<int64_t>& image = arguments.Tensor(input).shape;
  const std::vector<int64_t>& places = arguments.Tensor(grid).shape;
  const int axes = static_cast<int>(image.size()) - 2;
  Args args = {.batch = image[0],
               .channels = image[1],
               .axes = axes,
               .in = {1, 1, 1},
               .out = {1, 1, 1},
               .interpolation = Interpolation(arguments.Integer(interpolation)),
               .padding = Padding(arguments.Integer(interpolation + 1)),
               .corners = arguments.Bool(interpolation + 2)};
  std::copy(image.begin() + 2, image.end(), args.in + kAxes - axes);
  std::copy(places.begin() + 1, places.end() - 1, args.out + kAxes - axes);
  return args;
}

// Clock cycles of the places and of their channels, about.
double CyclesOf(const Args& args) {
  const auto places = static_cast<double>(args.batch * args.Places());
  const double taps = args.interpolation == kBicubic    ? 16
                      : args.interpolation == kBilinear ? (args.axes == 2 ? 4 : 8)
                                                        : 1;
  return places * (60 + 2 * taps * static_cast<double>(args.channels));
}

struct SamplePlan final : Plan {
  Args args;
  rows::Dense input, grid, out;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&input, &grid, &out}, [&] {
      Args of_run = args;
      of_run.input = input.Data(run);
      of_run.grid = grid.Data(run);
      of_run.result = out.Data(run);
      return out.dtype() == DType::kFloat64 ? Sample<double>(of_run) : Sample<float>(of_run);
    });
  }
};

Result<PlanPointer> PlanForward(const Arguments& arguments, Planner& planner) {
  using namespace forward;  // NOLINT: the positions
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  auto plan = NewPlan<SamplePlan>();
  plan->args = ArgsOf(arguments, kInput, kGrid, kInterpolation);
  plan->input = DenseInput(arguments, planner, kInput);
  plan->grid = DenseInput(arguments, planner, kGrid);
  plan->out = DenseOutput(arguments, planner, kOut);
  planner.Costs({.cycles = CyclesOf(plan->args) + plan->input.CopyCycles() +
                           plan->grid.CopyCycles() + plan->out.CopyCycles()});
  return PlanPointer(std::move(plan));
}

struct GradientPlan final : Plan {
  Args args;
  rows::Dense gradient, input, grid, input_gradient, grid_gradient;
  WorkspacePiece sums;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&gradient, &input, &grid}, [&] {
      grid.dtype() == DType::kFloat64 ? Compute<double>(run) : Compute<float>(run);
      return true;
    });
  }

 private:
  template <typename T>
  void Compute(const RunContext& run) const {
    Args of_run = args;
    of_run.gradient = gradient.Data(run);
    of_run.input = input.Data(run);
    of_run.grid = grid.Data(run);
    of_run.input_gradient = input_gradient.Data(run);
    of_run.grid_gradient = grid_gradient.Data(run);
    of_run.sums = run.Piece<double>(sums);
    if (input_gradient.given() && (!InputGradient<T>(of_run) || !input_gradient.Deliver(run))) {
      return;
    }
    if (grid_gradient.given() && GridGradient<T>(of_run)) (void)grid_gradient.Deliver(run);
  }
};

Result<PlanPointer> PlanBackward(const Arguments& arguments, Planner& planner) {
  using namespace backward;  // NOLINT: the positions
  const BoolArrayValue& mask = arguments.Bools(kMask);
  const bool of_input = mask[0] != 0 && !arguments.Tensor(kInputGrad).IsEmpty();
  const bool of_grid = mask[1] != 0 && !arguments.Tensor(kGridGrad).IsEmpty();
  if (!of_input && !of_grid) return PlanPointer();
  auto plan = NewPlan<GradientPlan>();
  Args& args = plan->args = ArgsOf(arguments, kInput, kGrid, kInterpolation);
  plan->gradient = DenseInput(arguments, planner, kGradOutput);
  plan->grid = DenseInput(arguments, planner, kGrid);
  double cycles = plan->gradient.CopyCycles() + plan->grid.CopyCycles();
  if (of_input) {
    plan->input_gradient = DenseOutput(arguments, planner, kInputGrad);
    const int64_t plane = args.Elements();
    args.slots = std::min<int64_t>({int64_t{TeamSize()}, args.batch * args.channels, Slots::kMost});
    plan->sums = planner.workspace().Book(args.slots * plane, static_cast<int64_t>(sizeof(double)));
    const auto images = static_cast<double>(args.batch * args.channels);
    cycles += plan->input_gradient.CopyCycles() + 2 * images * static_cast<double>(plane) +
              CyclesOf(args) * static_cast<double>(args.channels);
  }
  if (of_grid) {
    plan->input = DenseInput(arguments, planner, kInput);
    plan->grid_gradient = DenseOutput(arguments, planner, kGridGrad);
    cycles += plan->input.CopyCycles() + plan->grid_gradient.CopyCycles() + 2 * CyclesOf(args);
  }
  planner.Costs({.cycles = cycles});
  return PlanPointer(std::move(plan));
}

constinit Operator grid_sampler2d(forward::kContract2d, PlanForward);
constinit Operator grid_sampler2d_backward(backward::kContract2d, PlanBackward);
constinit Operator grid_sampler3d(forward::kContract3d, PlanForward);
constinit Operator grid_sampler3d_backward(backward::kContract3d, PlanBackward);

}  // namespace
}  // namespace aclimb::grid_sampler

extern "C" aclnnStatus aclnnGridSampler2DGetWorkspaceSize(
    const aclTensor* input, const aclTensor* grid, int64_t interpolationMode, int64_t paddingMode,
    bool alignCorners, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::grid_sampler::grid_sampler2d, workspaceSize, executor, input, grid,
                        interpolationMode, paddingMode, alignCorners, out);
}

extern "C" aclnnStatus aclnnGridSampler2D(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::grid_sampler::grid_sampler2d, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnGridSampler2DBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* grid,
    int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
    const aclBoolArray* outputMask, aclTensor* inputGrad, aclTensor* gridGrad,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::grid_sampler::grid_sampler2d_backward, workspaceSize, executor,
                        gradOutput, input, grid, interpolationMode, paddingMode, alignCorners,
                        outputMask, inputGrad, gridGrad);
}

extern "C" aclnnStatus aclnnGridSampler2DBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::grid_sampler::grid_sampler2d_backward, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnGridSampler3DGetWorkspaceSize(
    const aclTensor* input, const aclTensor* grid, int64_t interpolationMode, int64_t paddingMode,
    bool alignCorners, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::grid_sampler::grid_sampler3d, workspaceSize, executor, input, grid,
                        interpolationMode, paddingMode, alignCorners, out);
}

extern "C" aclnnStatus aclnnGridSampler3D(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::grid_sampler::grid_sampler3d, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnGridSampler3DBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* grid,
    int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
    const aclBoolArray* outputMask, aclTensor* inputGrad, aclTensor* gridGrad,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::grid_sampler::grid_sampler3d_backward, workspaceSize, executor,
                        gradOutput, input, grid, interpolationMode, paddingMode, alignCorners,
                        outputMask, inputGrad, gridGrad);
}

extern "C" aclnnStatus aclnnGridSampler3DBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::grid_sampler::grid_sampler3d_backward, workspace, workspaceSize,
                        executor, stream);
}
