// Images on a cubic curve, and volumes in another size: the C functions, and the plans between
// them.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/upsample/taps.h"
#include "aclimb/ops/upsample/volume_contracts.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::upsample {
namespace {

struct VolumePlan final : Plan {
  Volumes volumes;
  bool backward = false;
  rows::Dense from, to;
  WorkspacePiece taps, sums;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&from, &to}, [&] {
      Volumes of_run = volumes;
      of_run.taps = run.Piece<Taps>(taps);
      of_run.from = from.Data(run);
      of_run.to = to.Data(run);
      of_run.sums = run.Piece<double>(sums);
      if (to.dtype() == DType::kFloat64) {
        return backward ? Spread<double>(of_run) : Combine<double>(of_run);
      }
      return backward ? Spread<float>(of_run) : Combine<float>(of_run);
    });
  }
};

// From parameter 0 to the last one; the factors stand before that, alignCorners before them.
template <Way kWay, bool kBackward>
Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  constexpr bool kHasCorners = kWay != Way::kNearest;
  const int axes = arguments.Tensor(0).rank() - 2;
  const int first_factor = (kBackward ? 3 : 2) + (kHasCorners ? 1 : 0),
            output = first_factor + axes;
  const TensorView from = arguments.Tensor(0).View(), to = arguments.Tensor(output).View();
  if (to.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<VolumePlan>();
  plan->backward = kBackward;
  Volumes& volumes = plan->volumes;
  volumes.count = to.shape[0] * to.shape[1];
  volumes.way = kWay;
  volumes.corners = kHasCorners && arguments.Bool(first_factor - 1);
  for (int d = 0; d < axes; ++d) {
    const int at = kAxes - axes + d;
    volumes.in[at] = (kBackward ? to : from).shape[2 + d];
    volumes.out[at] = (kBackward ? from : to).shape[2 + d];
    volumes.factor[at] = arguments.Real(first_factor + d);
  }
  const DType dtype = to.dtype == DType::kFloat64 ? to.dtype : DType::kFloat32;
  plan->from = rows::Dense::Input(planner, 0, from, dtype);
  plan->to = rows::Dense::Output(planner, output, to, dtype);
  plan->taps = planner.workspace().Book(volumes.TapCount(), static_cast<int64_t>(sizeof(Taps)));
  if (kBackward) {
    volumes.slots = std::min<int64_t>({int64_t{TeamSize()}, volumes.count, Slots::kMost});
    plan->sums = planner.workspace().Book(volumes.slots * volumes.InSize(),
                                          static_cast<int64_t>(sizeof(double)));
  }
  const double taps = kWay == Way::kNearest ? 1 : kWay == Way::kCubic ? 16 : 8;
  planner.Costs({.cycles = plan->from.CopyCycles() + plan->to.CopyCycles() +
                           (2 + 2 * taps) * static_cast<double>(volumes.count) *
                               static_cast<double>(volumes.OutSize())});
  return PlanPointer(std::move(plan));
}

constinit Operator bicubic_operator(bicubic::kContract, MakePlan<Way::kCubic, false>);
constinit Operator bicubic_backward_operator(bicubic_backward::kContract,
                                             MakePlan<Way::kCubic, true>);
constinit Operator trilinear_operator(trilinear::kContract, MakePlan<Way::kLinear, false>);
constinit Operator trilinear_backward_operator(trilinear_backward::kContract,
                                               MakePlan<Way::kLinear, true>);
constinit Operator nearest3d_operator(nearest3d::kContract, MakePlan<Way::kNearest, false>);
constinit Operator nearest3d_backward_operator(nearest3d_backward::kContract,
                                               MakePlan<Way::kNearest, true>);

}  // namespace
}  // namespace aclimb::upsample

extern "C" aclnnStatus aclnnUpsampleBicubic2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, const bool alignCorners,
    const double scalesH, const double scalesW, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::bicubic_operator, workspaceSize, executor, self,
                        outputSize, alignCorners, scalesH, scalesW, out);
}

extern "C" aclnnStatus aclnnUpsampleBicubic2d(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::bicubic_operator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnUpsampleBicubic2dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    const bool alignCorners, double scalesH, double scalesW, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::bicubic_backward_operator, workspaceSize, executor,
                        gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, gradInput);
}

extern "C" aclnnStatus aclnnUpsampleBicubic2dBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::bicubic_backward_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnUpsampleTrilinear3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scalesD,
    double scalesH, double scalesW, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::trilinear_operator, workspaceSize, executor, self,
                        outputSize, alignCorners, scalesD, scalesH, scalesW, out);
}

extern "C" aclnnStatus aclnnUpsampleTrilinear3d(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::trilinear_operator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    bool alignCorners, double scalesD, double scalesH, double scalesW, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::trilinear_backward_operator, workspaceSize, executor,
                        gradOut, outputSize, inputSize, alignCorners, scalesD, scalesH, scalesW,
                        gradInput);
}

extern "C" aclnnStatus aclnnUpsampleTrilinear3dBackward(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::trilinear_backward_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnUpsampleNearest3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, double scalesD, double scalesH,
    double scalesW, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::nearest3d_operator, workspaceSize, executor, self,
                        outputSize, scalesD, scalesH, scalesW, out);
}

extern "C" aclnnStatus aclnnUpsampleNearest3d(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::nearest3d_operator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnUpsampleNearest3dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
    double scalesD, double scalesH, double scalesW, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::upsample::nearest3d_backward_operator, workspaceSize, executor,
                        gradOut, outputSize, inputSize, scalesD, scalesH, scalesW, gradInput);
}

extern "C" aclnnStatus aclnnUpsampleNearest3dBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::upsample::nearest3d_backward_operator, workspace, workspaceSize,
                        executor, stream);
}
