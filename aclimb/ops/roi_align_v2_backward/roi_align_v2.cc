// aclnnRoiAlignV2: the C entry points and the plan between them.

#include <algorithm>

#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/roi_align_v2_backward/forward_contract.h"
#include "aclimb/ops/roi_align_v2_backward/pool.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::roi_align_v2_backward {
namespace {

struct RoiAlignV2Plan final : Plan {
  Sampling sampling;
  int64_t slots = 1;
  WorkspacePiece scratch;

  void Run(const RunContext& run) const override {
    Pool({.input = run.View(Forward::kSelf),
          .boxes = run.View(Forward::kBoxes),
          .output = run.View(Forward::kOut),
          .sampling = sampling,
          .scratch = run.Piece(scratch),
          .slots = slots});
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    TensorView images = run.View(Forward::kBoxes);
    images.shape[1] = 1;  // the first column
    const int64_t batch = run.View(Forward::kSelf).shape[0];
    InspectRange(
        inspector, "check/data/image-range", "boxes", images,
        {.begin = 0, .end = batch, .excepted = {}, .because = Cat("self has ", batch, " images")});
  }
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorView self = arguments.Tensor(Forward::kSelf).View();
  const TensorView out = arguments.Tensor(Forward::kOut).View();
  if (out.ElementCount() == 0) return PlanPointer();
  planner.Reads(Forward::kSelf);
  planner.Reads(Forward::kBoxes);
  planner.Writes(Forward::kOut);
  auto plan = NewPlan<RoiAlignV2Plan>();
  plan->sampling = {.spatial_scale = static_cast<float>(arguments.Real(Forward::kSpatialScale)),
                    .sampling_ratio = arguments.Integer(Forward::kSamplingRatio),
                    .aligned = arguments.Bool(Forward::kAligned)};
  plan->slots = std::clamp<int64_t>(TeamSize(), 1, Slots::kMost);
  const int64_t bytes = PoolSlotBytes(self, out);
  plan->scratch =
      bytes < 0 ? planner.workspace().Book(-1) : planner.workspace().Book(plan->slots, bytes);
  planner.Costs({.cycles = PoolCycles(self, out)});
  return PlanPointer(std::move(plan));
}

constinit Operator kForward(kForwardContract, MakePlan);

}  // namespace
}  // namespace aclimb::roi_align_v2_backward

extern "C" aclnnStatus aclnnRoiAlignV2GetWorkspaceSize(const aclTensor* self,
                                                       const aclTensor* boxes, int64_t pooledHeight,
                                                       int64_t pooledWidth, float spatialScale,
                                                       int64_t samplingRatio, bool aligned,
                                                       aclTensor* out, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::roi_align_v2_backward::kForward, workspaceSize, executor, self,
                        boxes, pooledHeight, pooledWidth, spatialScale, samplingRatio, aligned,
                        out);
}

extern "C" aclnnStatus aclnnRoiAlignV2(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::roi_align_v2_backward::kForward, workspace, workspaceSize, executor,
                        stream);
}
