// The C functions, and the plans between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/upsample/contracts.h"
#include "aclimb/ops/upsample/kernels.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::upsample {
namespace {

enum class Kernel { kRepeat, kInterpolate, kGradient };

struct UpsamplePlan final : Plan {
  Kernel kernel = Kernel::kRepeat;
  Args args;
  rows::Dense from, to;
  WorkspacePiece tables, sums;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&from, &to}, [&] {
      Args of_run = args;
      of_run.tables = MakeTables(args.height, args.width, args.linear, run.Piece<>(tables));
      of_run.from = from.Data(run);
      of_run.to = to.Data(run);
      of_run.sums = run.Piece<double>(sums);
      if (kernel == Kernel::kRepeat) return Repeat(of_run, SizeOf(from.dtype()));
      return kernel == Kernel::kInterpolate ? Interpolate(of_run) : Gradient(of_run);
    });
  }
};

struct Attributes {
  double factor_h = 0;
  double factor_w = 0;
  bool corners = false;
};

// From parameter 0 to parameter `output`: images of `in` to some of `out`, or back.
Result<PlanPointer> MakePlanOf(const Arguments& arguments, Planner& planner, int output,
                               Kernel kernel, bool linear, const Attributes& attributes) {
  const TensorView from = arguments.Tensor(0).View(), to = arguments.Tensor(output).View();
  if (to.ElementCount() == 0) return PlanPointer();
  const bool gradient = kernel == Kernel::kGradient;
  const TensorView &in = gradient ? to : from, &out = gradient ? from : to;
  auto plan = NewPlan<UpsamplePlan>();
  plan->kernel = kernel;
  Args& args = plan->args;
  args.planes = in.shape[0] * in.shape[1];
  // A line is an image of one row.
  const int last = in.rank - 1;
  args.height = {1, 1};
  if (last == 3) {
    args.height = {in.shape[2], out.shape[2], attributes.factor_h, attributes.corners};
  }
  args.width = {in.shape[last], out.shape[last], attributes.factor_w, attributes.corners};
  args.linear = linear;
  const DType dtype = kernel == Kernel::kRepeat ? from.dtype : DType::kFloat32;
  plan->from = rows::Dense::Input(planner, 0, from, dtype);
  plan->to = rows::Dense::Output(planner, output, to, dtype);
  plan->tables = planner.workspace().Book(TableBytes(args.height, args.width));
  if (gradient) {
    args.slots = std::clamp<int64_t>(TeamSize(), 1, Slots::kMost);
    plan->sums =
        planner.workspace().Book(args.slots * args.width.out, static_cast<int64_t>(sizeof(double)));
  }
  const auto count = static_cast<double>(out.ElementCount());
  planner.Costs(
      {.cycles = plan->from.CopyCycles() + plan->to.CopyCycles() + (linear ? 4 : 1.5) * count});
  return PlanPointer(std::move(plan));
}

Result<PlanPointer> MakeNearest(const Arguments& arguments, Planner& planner) {
  return MakePlanOf(arguments, planner, nearest::kOut, Kernel::kRepeat, false, {});
}

Result<PlanPointer> MakeNearestBackward(const Arguments& arguments, Planner& planner) {
  using namespace nearest_backward;  // NOLINT: the positions
  return MakePlanOf(arguments, planner, kGradInput, Kernel::kGradient, false,
                    {.factor_h = arguments.Real(kScalesH), .factor_w = arguments.Real(kScalesW)});
}

Result<PlanPointer> MakeBilinear(const Arguments& arguments, Planner& planner) {
  using namespace bilinear;  // NOLINT: the positions
  return MakePlanOf(arguments, planner, kOut, Kernel::kInterpolate, true,
                    {.factor_h = arguments.Real(kScalesH),
                     .factor_w = arguments.Real(kScalesW),
                     .corners = arguments.Bool(kAlignCorners)});
}

Result<PlanPointer> MakeBilinearBackward(const Arguments& arguments, Planner& planner) {
  using namespace bilinear_backward;  // NOLINT: the positions
  return MakePlanOf(arguments, planner, kOut, Kernel::kGradient, true,
                    {.factor_h = arguments.Real(kScalesH),
                     .factor_w = arguments.Real(kScalesW),
                     .corners = arguments.Bool(kAlignCorners)});
}

Result<PlanPointer> MakeNearest1d(const Arguments& arguments, Planner& planner) {
  return MakePlanOf(arguments, planner, nearest1d::kOut, Kernel::kRepeat, false, {});
}

Result<PlanPointer> MakeNearest1dBackward(const Arguments& arguments, Planner& planner) {
  using namespace nearest1d_backward;  // NOLINT: the positions
  return MakePlanOf(arguments, planner, kOut, Kernel::kGradient, false,
                    {.factor_w = arguments.Real(kScales)});
}

Result<PlanPointer> MakeLinear1d(const Arguments& arguments, Planner& planner) {
  using namespace linear1d;  // NOLINT: the positions
  return MakePlanOf(
      arguments, planner, kOut, Kernel::kInterpolate, true,
      {.factor_w = arguments.Real(kScales), .corners = arguments.Bool(kAlignCorners)});
}

Result<PlanPointer> MakeLinear1dBackward(const Arguments& arguments, Planner& planner) {
  using namespace linear1d_backward;  // NOLINT: the positions
  return MakePlanOf(
      arguments, planner, kOut, Kernel::kGradient, true,
      {.factor_w = arguments.Real(kScales), .corners = arguments.Bool(kAlignCorners)});
}

constinit Operator kNearest(nearest::kContract, MakeNearest);
constinit Operator kNearestBackward(nearest_backward::kContract, MakeNearestBackward);
constinit Operator kBilinear(bilinear::kContract, MakeBilinear);
constinit Operator kBilinearBackward(bilinear_backward::kContract, MakeBilinearBackward);
constinit Operator kNearest1d(nearest1d::kContract, MakeNearest1d);
constinit Operator kNearest1dBackward(nearest1d_backward::kContract, MakeNearest1dBackward);
constinit Operator kLinear1d(linear1d::kContract, MakeLinear1d);
constinit Operator kLinear1dBackward(linear1d_backward::kContract, MakeLinear1dBackward);

}  // namespace
}  // namespace aclimb::upsample

extern "C" aclnnStatus aclnnUpsampleNearest2dGetWorkspaceSize(const aclTensor* self,
                                                              const aclIntArray* outputSize,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::kNearest, workspaceSize, executor, self, outputSize, out);
}

extern "C" aclnnStatus aclnnUpsampleNearest2d(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::kNearest, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnUpsampleNearest2dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    double scalesH, double scalesW, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::kNearestBackward, workspaceSize, executor, gradOut,
                        outputSize, inputSize, scalesH, scalesW, gradInput);
}

extern "C" aclnnStatus aclnnUpsampleNearest2dBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::kNearestBackward, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnUpsampleBilinear2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, const bool alignCorners,
    const double scalesH, const double scalesW, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::kBilinear, workspaceSize, executor, self, outputSize,
                        alignCorners, scalesH, scalesW, out);
}

extern "C" aclnnStatus aclnnUpsampleBilinear2d(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::kBilinear, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    bool alignCorners, double scalesH, double scalesW, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::kBilinearBackward, workspaceSize, executor, gradOut,
                        outputSize, inputSize, alignCorners, scalesH, scalesW, out);
}

extern "C" aclnnStatus aclnnUpsampleBilinear2dBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor,
                                                       aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::kBilinearBackward, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnUpsampleNearest1dGetWorkspaceSize(const aclTensor* self,
                                                              const aclIntArray* outputSize,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::kNearest1d, workspaceSize, executor, self, outputSize,
                        out);
}

extern "C" aclnnStatus aclnnUpsampleNearest1d(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::kNearest1d, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnUpsampleNearest1dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    double scales, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::kNearest1dBackward, workspaceSize, executor, gradOut,
                        outputSize, inputSize, scales, out);
}

extern "C" aclnnStatus aclnnUpsampleNearest1dBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::kNearest1dBackward, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnUpsampleLinear1dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, const bool alignCorners,
    const double scales, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::kLinear1d, workspaceSize, executor, self, outputSize,
                        alignCorners, scales, out);
}

extern "C" aclnnStatus aclnnUpsampleLinear1d(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::kLinear1d, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnUpsampleLinear1dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    bool alignCorners, double scales, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::kLinear1dBackward, workspaceSize, executor, gradOut,
                        outputSize, inputSize, alignCorners, scales, out);
}

extern "C" aclnnStatus aclnnUpsampleLinear1dBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::kLinear1dBackward, workspace, workspaceSize, executor,
                        stream);
}
