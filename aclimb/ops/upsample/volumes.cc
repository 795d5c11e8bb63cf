// The C functions of images on a cubic curve, and of volumes.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/upsample/plan.h"
#include "aclimb/ops/upsample/volume_contracts.h"

namespace aclimb::upsample {
namespace {

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
