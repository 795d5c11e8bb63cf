// aclnnRoiAlignV2 and aclnnRoiAlign: the C entry points and the plan between them.

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

// Positions of the parameters; images is -1 where they stand in boxes.
struct Positions {
  int self;
  int boxes;
  int images;
  int out;
};

struct PoolPlan final : Plan {
  Positions at;
  Sampling sampling;
  int64_t slots = 1;
  WorkspacePiece scratch;

  void Run(const RunContext& run) const override {
    Pool({.input = run.View(at.self),
          .boxes = run.View(at.boxes),
          .images = at.images < 0 ? TensorView() : run.View(at.images),
          .output = run.View(at.out),
          .sampling = sampling,
          .scratch = run.Piece(scratch),
          .slots = slots});
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    TensorView images = run.View(at.images < 0 ? at.boxes : at.images);
    if (at.images < 0) images.shape[1] = 1;  // the first column
    const int64_t batch = run.View(at.self).shape[0];
    InspectRange(
        inspector, "check/data/image-range", at.images < 0 ? "boxes" : "batchIndices", images,
        {.begin = 0, .end = batch, .excepted = {}, .because = Cat("self has ", batch, " images")});
  }
};

Result<PlanPointer> MakePlanAt(const contract::Arguments& arguments, Planner& planner,
                               const Positions& at, const Sampling& sampling) {
  const TensorView self = arguments.Tensor(at.self).View();
  const TensorView out = arguments.Tensor(at.out).View();
  if (out.ElementCount() == 0) return PlanPointer();
  planner.Reads(at.self);
  planner.Reads(at.boxes);
  if (at.images >= 0) planner.Reads(at.images);
  planner.Writes(at.out);
  auto plan = NewPlan<PoolPlan>();
  plan->at = at;
  plan->sampling = sampling;
  plan->slots = std::clamp<int64_t>(TeamSize(), 1, Slots::kMost);
  const int64_t bytes = PoolSlotBytes(self, out);
  plan->scratch =
      bytes < 0 ? planner.workspace().Book(-1) : planner.workspace().Book(plan->slots, bytes);
  planner.Costs({.cycles = PoolCycles(self, out)});
  return PlanPointer(std::move(plan));
}

Result<PlanPointer> MakeForwardPlan(const contract::Arguments& arguments, Planner& planner) {
  namespace P = forward;
  return MakePlanAt(arguments, planner, {P::kSelf, P::kBoxes, -1, P::kOut},
                    {.spatial_scale = static_cast<float>(arguments.Real(P::kSpatialScale)),
                     .sampling_ratio = arguments.Integer(P::kSamplingRatio),
                     .aligned = arguments.Bool(P::kAligned)});
}

Result<PlanPointer> MakeFirstPlan(const contract::Arguments& arguments, Planner& planner) {
  namespace P = first;
  return MakePlanAt(arguments, planner, {P::kSelf, P::kRois, P::kBatchIndices, P::kOut},
                    {.spatial_scale = static_cast<float>(arguments.Real(P::kSpatialScale)),
                     .sampling_ratio = arguments.Integer(P::kSamplingRatio),
                     .aligned = false});
}

constinit Operator kForward(kForwardContract, MakeForwardPlan);
constinit Operator kFirst(kFirstContract, MakeFirstPlan);

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

extern "C" aclnnStatus aclnnRoiAlignGetWorkspaceSize(
    const aclTensor* self, const aclTensor* rois, const aclTensor* batchIndices, const char* mode,
    int outputHeight, int outputWidth, int samplingRatio, float spatialScale, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::roi_align_v2_backward::kFirst, workspaceSize, executor, self, rois,
                        batchIndices, mode, outputHeight, outputWidth, samplingRatio, spatialScale,
                        out);
}

extern "C" aclnnStatus aclnnRoiAlign(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, const aclrtStream stream) {
  return aclimb::Phase2(aclimb::roi_align_v2_backward::kFirst, workspace, workspaceSize, executor,
                        stream);
}
