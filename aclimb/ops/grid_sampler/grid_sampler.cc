// aclnnGridSampler2D, aclnnGridSampler3D and their gradients: the plans and the C entry points.

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/grid_sampler/contracts.h"
#include "aclimb/ops/grid_sampler/kernels.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::grid_sampler {
namespace {

using contract::Arguments;

rows::Order ChannelsLast(int rank) { return rows::OrderWithLast(rank, 1); }

// Half types are computed in float32.
DType ComputedIn(DType dtype) { return dtype == DType::kFloat64 ? dtype : DType::kFloat32; }

// Whether the channels of images lie beside each other in memory. One is a plane.
bool HasChannelsLast(const TensorView& view) {
  return view.shape[1] > 1 && rows::Permuted(view, ChannelsLast(view.rank)).IsContiguous();
}

struct DenseImages {
  rows::Dense dense;
  bool channels_last = false;

  Images Of(const RunContext& run) const { return {dense.Data(run), channels_last}; }
};
DenseImages ImagesOf(const Arguments& arguments, Planner& planner, int parameter, bool is_input,
                     bool channels_last) {
  const TensorView view = arguments.Tensor(parameter).View();
  const DType dtype = ComputedIn(view.dtype);
  const rows::Order order = channels_last ? ChannelsLast(view.rank) : rows::OwnOrder(view.rank);
  return {is_input ? rows::Dense::Input(planner, parameter, view, dtype, order)
                   : rows::Dense::Output(planner, parameter, view, dtype, order),
          channels_last};
}
// As they are in memory.
DenseImages ImagesAsTheyAre(const Arguments& arguments, Planner& planner, int parameter,
                            bool is_input) {
  return ImagesOf(arguments, planner, parameter, is_input,
                  HasChannelsLast(arguments.Tensor(parameter).View()));
}
// Kernels look at all channels of an element at once: that they lie beside each other is worth a
// copy of the images if the places are not much fewer than their elements.
DenseImages SampledImages(const Arguments& arguments, Planner& planner, int parameter,
                          const Args& args, bool takes_planes) {
  const bool is_worth = !takes_planes && args.channels > 1 && 4 * args.Places() >= args.Elements();
  return ImagesOf(arguments, planner, parameter, true,
                  is_worth || HasChannelsLast(arguments.Tensor(parameter).View()));
}

rows::Dense DenseGrid(const Arguments& arguments, Planner& planner, int parameter) {
  const TensorView view = arguments.Tensor(parameter).View();
  return rows::Dense::Input(planner, parameter, view, ComputedIn(view.dtype));
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
               .corners = arguments.Bool(interpolation + 2),
               .dtype = ComputedIn(arguments.Tensor(input).dtype)};
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
  DenseImages input, out;
  rows::Dense grid;
  UnitScratch scratch;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&input.dense, &grid, &out.dense}, [&] {
      Args of_run = args;
      of_run.input = input.Of(run);
      of_run.grid = grid.Data(run);
      of_run.result = out.Of(run);
      of_run.scratch = scratch.Memory(run);
      return Sample(of_run);
    });
  }
};

Result<PlanPointer> PlanForward(const Arguments& arguments, Planner& planner) {
  using namespace forward;  // NOLINT: the positions
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  auto plan = NewPlan<SamplePlan>();
  Args& args = plan->args = ArgsOf(arguments, kInput, kGrid, kInterpolation);
  plan->grid = DenseGrid(arguments, planner, kGrid);
  plan->out = ImagesAsTheyAre(arguments, planner, kOut, false);
  args.result.channels_last = plan->out.channels_last;
  args.input.channels_last = HasChannelsLast(arguments.Tensor(kInput).View());
  plan->input = SampledImages(arguments, planner, kInput, args, PrefersPlanes(args));
  plan->scratch.Book(planner, args.batch * args.Places(), ScratchBytes(args, false));
  planner.Costs({.cycles = CyclesOf(args) + plan->input.dense.CopyCycles() +
                           plan->grid.CopyCycles() + plan->out.dense.CopyCycles()});
  return PlanPointer(std::move(plan));
}

struct GradientPlan final : Plan {
  Args args;
  DenseImages gradient, input, input_gradient;
  rows::Dense grid, grid_gradient;
  UnitScratch of_input, of_grid;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&gradient.dense, &input.dense, &grid}, [&] {
      Args of_run = args;
      of_run.gradient = gradient.Of(run);
      of_run.input = input.Of(run);
      of_run.grid = grid.Data(run);
      of_run.input_gradient = input_gradient.Of(run);
      of_run.grid_gradient = grid_gradient.Data(run);
      of_run.scratch = of_input.Memory(run);
      if (input_gradient.dense.given() &&
          (!InputGradient(of_run) || !input_gradient.dense.Deliver(run))) {
        return false;
      }
      if (!grid_gradient.given()) return true;
      of_run.scratch = of_grid.Memory(run);
      return (args.both_at_once || GridGradient(of_run)) && grid_gradient.Deliver(run);
    });
  }
};

// Channels whose sums stay in the second-level cache, and blocks of them for every thread. Three
// have the room of kQuad.
int64_t BlockOf(const Args& args) {
  constexpr int64_t kMost = 16, kSums = 1 << 16;
  const int64_t threads = CeilDivide(int64_t{TeamSize()}, args.batch);
  const int64_t block = std::clamp<int64_t>(kSums / args.Elements(), kQuad, kMost);
  const int64_t share = CeilDivide(args.channels, threads);
  return std::min(block, share == 3 ? kQuad : share);
}

Result<PlanPointer> PlanBackward(const Arguments& arguments, Planner& planner) {
  using namespace backward;  // NOLINT: the positions
  const BoolArrayValue& mask = arguments.Bools(kMask);
  const bool of_input = mask[0] != 0 && !arguments.Tensor(kInputGrad).IsEmpty();
  const bool of_grid = mask[1] != 0 && !arguments.Tensor(kGridGrad).IsEmpty();
  if (!of_input && !of_grid) return PlanPointer();
  auto plan = NewPlan<GradientPlan>();
  Args& args = plan->args = ArgsOf(arguments, kInput, kGrid, kInterpolation);
  plan->gradient = ImagesAsTheyAre(arguments, planner, kGradOutput, true);
  plan->grid = DenseGrid(arguments, planner, kGrid);
  double cycles = plan->gradient.dense.CopyCycles() + plan->grid.CopyCycles();
  if (of_input) {
    plan->input_gradient = ImagesAsTheyAre(arguments, planner, kInputGrad, false);
    args.block = BlockOf(args);
    const int64_t blocks = CeilDivide(args.channels, args.block);
    plan->of_input.Book(planner, args.batch * blocks, ScratchBytes(args, true));
    const auto images = static_cast<double>(args.batch * args.channels);
    cycles += plan->input_gradient.dense.CopyCycles() +
              2 * images * static_cast<double>(args.Elements()) +
              CyclesOf(args) * static_cast<double>(blocks);
  }
  if (of_grid) {
    const bool takes_planes =
        args.dtype == DType::kFloat32 && args.channels <= kQuad && !plan->gradient.channels_last;
    plan->input = SampledImages(arguments, planner, kInput, args, takes_planes);
    plan->grid_gradient =
        rows::Dense::Output(planner, kGridGrad, arguments.Tensor(kGridGrad).View(), args.dtype);
    // What is known of a place then serves both. The units of the input's gradient are images.
    args.both_at_once = of_input && args.block >= args.channels && args.batch >= TeamSize() &&
                        args.interpolation != kNearest;
    if (!args.both_at_once) {
      plan->of_grid.Book(planner, args.batch * args.Places(), ScratchBytes(args, false));
    }
    cycles +=
        plan->input.dense.CopyCycles() + plan->grid_gradient.CopyCycles() + 2 * CyclesOf(args);
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
