// The C functions, and the plans between them.

#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/max_unpool/contracts.h"
#include "aclimb/ops/max_unpool/kernels.h"
#include "aclimb/rows/dense.h"

namespace aclimb::max_unpool {
namespace {

struct UnpoolPlan final : Plan {
  Unpooled (*kernel)(const UnpoolArgs& args) = nullptr;
  UnpoolArgs args = {};
  int indices_at = 0;
  rows::Dense from, indices, to;

  void Run(const RunContext& run) const override {
    Unpooled found = Unpooled::kCancelled;
    rows::RunDense(run, {&from, &indices, &to}, [&] {
      UnpoolArgs of_run = args;
      of_run.from = from.Data(run);
      of_run.indices = indices.Data(run);
      of_run.to = to.Data(run);
      found = kernel(of_run);
      return found != Unpooled::kCancelled;
    });
    if (found == Unpooled::kUnknownIndex) FailInspected(*this, run);
  }
  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    InspectRange(inspector, "check/data/index-range", "indices", run.View(indices_at),
                 {.begin = 0,
                  .end = args.large,
                  .excepted = {},
                  .because = Cat("outputSize has ", args.large, " elements")});
  }
};

template <const Places& kPlaces, bool kForward>
Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  const int from = kForward ? kPlaces.small : kPlaces.large;
  const int to = kForward ? kPlaces.large : kPlaces.small;
  const TensorView read = arguments.Tensor(from).View(), written = arguments.Tensor(to).View();
  const TensorView indices = arguments.Tensor(kPlaces.indices).View();
  if (written.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<UnpoolPlan>();
  plan->kernel = kForward ? &Unpool : &UnpoolGradient;
  plan->indices_at = kPlaces.indices;
  UnpoolArgs& args = plan->args;
  for (int d = 0; d < written.rank - static_cast<int>(kPlaces.dims); ++d) {
    args.planes *= written.shape[d];
  }
  args.small = indices.ElementCount() / args.planes;
  args.large = (kForward ? written : read).ElementCount() / args.planes;
  args.wide = indices.dtype == DType::kInt64;
  args.element = SizeOf(read.dtype);
  plan->from = rows::Dense::Input(planner, from, read);
  plan->indices = rows::Dense::Input(planner, kPlaces.indices, indices);
  plan->to = rows::Dense::Output(planner, to, written, read.dtype);
  planner.Costs({.cycles = plan->from.CopyCycles() + plan->indices.CopyCycles() +
                           plan->to.CopyCycles() + 2 * static_cast<double>(indices.ElementCount()) +
                           0.5 * static_cast<double>(written.ElementCount())});
  return PlanPointer(std::move(plan));
}

constinit Operator kPlanes(planes::kContract, MakePlan<planes::kPlaces, true>);
constinit Operator kPlanesBackward(planes_backward::kContract,
                                   MakePlan<planes_backward::kPlaces, false>);
constinit Operator kVolumes(volumes::kContract, MakePlan<volumes::kPlaces, true>);
constinit Operator kVolumesBackward(volumes_backward::kContract,
                                    MakePlan<volumes_backward::kPlaces, false>);

}  // namespace
}  // namespace aclimb::max_unpool

extern "C" aclnnStatus aclnnMaxUnpool2dGetWorkspaceSize(const aclTensor* self,
                                                        const aclTensor* indices,
                                                        const aclIntArray* outputSize,
                                                        aclTensor* out, uint64_t* workspaceSize,
                                                        aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::max_unpool::kPlanes, workspaceSize, executor, self, indices,
                        outputSize, out);
}

extern "C" aclnnStatus aclnnMaxUnpool2d(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::max_unpool::kPlanes, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnMaxUnpool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* outputSize, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::max_unpool::kPlanesBackward, workspaceSize, executor, gradOutput,
                        self, indices, outputSize, out);
}

extern "C" aclnnStatus aclnnMaxUnpool2dBackward(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::max_unpool::kPlanesBackward, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnMaxUnpool3dGetWorkspaceSize(
    const aclTensor* self, const aclTensor* indices, const aclIntArray* outputSize,
    const aclIntArray* stride, const aclIntArray* padding, aclTensor* outRef,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::max_unpool::kVolumes, workspaceSize, executor, self, indices,
                        outputSize, stride, padding, outRef);
}

extern "C" aclnnStatus aclnnMaxUnpool3d(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::max_unpool::kVolumes, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnMaxUnpool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* outputSize, const aclIntArray* stride, const aclIntArray* padding,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::max_unpool::kVolumesBackward, workspaceSize, executor, gradOutput,
                        self, indices, outputSize, stride, padding, out);
}

extern "C" aclnnStatus aclnnMaxUnpool3dBackward(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::max_unpool::kVolumesBackward, workspace, workspaceSize, executor,
                        stream);
}
