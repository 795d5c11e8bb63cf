// aclnnRoiAlignV2Backward, for a replay.

#include "aclimb/ops/roi_align_v2_backward/contract.h"
#include "aclimb/ops/roi_align_v2_backward/truth.h"
#include "tools/aclimb/replay/adapter.h"

namespace aclimb::roi_align_v2_backward {
namespace {

std::vector<cli::OutputTruth> TruthOf(const cli::Recording& recording) {
  const std::vector<int64_t>& pooled = recording.At(kGradOutput).shape;
  const std::vector<int64_t>& image = recording.At(kGradInput).shape;
  const TruthProblem problem = {
      .regions = pooled[0],
      .images = image[0],
      .channels = image[1],
      .pooled_height = pooled[2],
      .pooled_width = pooled[3],
      .height = image[2],
      .width = image[3],
      .spatial_scale = static_cast<float>(recording.At(kSpatialScale).real),
      .sampling_ratio = recording.At(kSamplingRatio).integer,
      .aligned = recording.At(kAligned).integer != 0};
  const auto floats = [&](int parameter) {
    const std::vector<double> values = recording.Values(parameter);
    return std::vector<float>(values.begin(), values.end());
  };
  cli::OutputTruth truth = {kGradInput, {}, {}};
  truth.values = Truth(problem, floats(kGradOutput).data(), floats(kBoxes).data(), &truth.allowed);
  for (double& magnitude : truth.allowed) magnitude = 3e-6 * magnitude + 0x1p-149;
  return {truth};
}

}  // namespace

extern const cli::Adapter kAdapter;
const cli::Adapter kAdapter = {
    &kContract, &cli::CallPhase1<decltype(aclnnRoiAlignV2BackwardGetWorkspaceSize)>, &TruthOf};

}  // namespace aclimb::roi_align_v2_backward
