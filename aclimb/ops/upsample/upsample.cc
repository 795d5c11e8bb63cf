// The C functions of images and lines.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/upsample/contracts.h"
#include "aclimb/ops/upsample/plan.h"

namespace aclimb::upsample {
namespace {

constinit Operator kNearest(nearest::kContract, MakePlan<Way::kNearest, false, false>);
constinit Operator kNearestBackward(nearest_backward::kContract, MakePlan<Way::kNearest, true>);
constinit Operator kBilinear(bilinear::kContract, MakePlan<Way::kLinear, false>);
constinit Operator kBilinearBackward(bilinear_backward::kContract, MakePlan<Way::kLinear, true>);
constinit Operator kNearest1d(nearest1d::kContract, MakePlan<Way::kNearest, false, false>);
constinit Operator kNearest1dBackward(nearest1d_backward::kContract, MakePlan<Way::kNearest, true>);
constinit Operator kLinear1d(linear1d::kContract, MakePlan<Way::kLinear, false>);
constinit Operator kLinear1dBackward(linear1d_backward::kContract, MakePlan<Way::kLinear, true>);

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
