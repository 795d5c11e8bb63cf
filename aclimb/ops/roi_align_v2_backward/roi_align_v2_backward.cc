// aclnnRoiAlignV2Backward: the C entry points and the plan between them.

#include <memory>

#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/roi_align_v2_backward/contract.h"
#include "aclimb/ops/roi_align_v2_backward/cpu.h"
#include "aclimb/simd/parallel.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"

namespace aclimb::roi_align_v2_backward {
namespace {

struct RoiAlignV2BackwardPlan final : Plan {
  Sampling sampling;
  Partition partition;
  WorkspacePiece scratch;

  void Run(const RunContext& run) const override {
    RunOnCpu({.grad_output = run.View(kGradOutput),
              .boxes = run.View(kBoxes),
              .grad_input = run.View(kGradInput),
              .sampling = sampling,
              .partition = partition,
              .scratch = run.Piece(scratch)});
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    TensorView images = run.View(kBoxes);
    images.shape[1] = 1;  // the first column
    const int64_t batch = run.View(kGradInput).shape[0];
    InspectRange(inspector, "check/data/image-range", "boxes", images,
                 {.begin = 0,
                  .end = batch,
                  .excepted = std::nullopt,
                  .because = Cat("gradInput has ", batch, " images")});
  }
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorDescriptor& grad_output = arguments.Tensor(kGradOutput);
  const TensorDescriptor& grad_input = arguments.Tensor(kGradInput);
  if (grad_input.IsEmpty()) return PlanPointer();
  planner.Reads(kGradOutput);
  planner.Reads(kBoxes);
  planner.Writes(kGradInput);
  auto plan = NewPlan<RoiAlignV2BackwardPlan>();
  plan->sampling = {.spatial_scale = static_cast<float>(arguments.Real(kSpatialScale)),
                    .sampling_ratio = arguments.Integer(kSamplingRatio),
                    .aligned = arguments.Bool(kAligned)};
  const Problem problem = ProblemOf(grad_output.View(), grad_input.View());
  plan->partition = MakePartition(problem, TeamSize());
  plan->scratch = planner.workspace().Book(plan->partition.scratch_bytes);
  planner.Costs({.cycles = CyclesOf(problem)});
  return PlanPointer(std::move(plan));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::roi_align_v2_backward

extern "C" aclnnStatus aclnnRoiAlignV2BackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* boxes, const aclIntArray* inputShape,
    int64_t pooledHeight, int64_t pooledWidth, float spatialScale, int64_t samplingRatio,
    bool aligned, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::roi_align_v2_backward::kOperator, workspaceSize, executor,
                        gradOutput, boxes, inputShape, pooledHeight, pooledWidth, spatialScale,
                        samplingRatio, aligned, gradInput);
}

extern "C" aclnnStatus aclnnRoiAlignV2Backward(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::roi_align_v2_backward::kOperator, workspace, workspaceSize,
                        executor, stream);
}
