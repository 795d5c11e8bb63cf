// What frameworks call by type name: the nearest elements of an image in another size, and the
// gradient.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <vector>

#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"

namespace aclimb::upsample::by_type {
namespace {

// Height and width.
const aclIntArray* PlaneOf(TypedCall& call, const AclimbOpTensor& tensor) {
  return call.Array(std::vector<int64_t>(tensor.dims + 2, tensor.dims + 4));
}

// Opens a call whose second input names the height and width of its output.
Result<TypedCall::Tensors> OpenNearest(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {"align_corners", "half_pixel_centers"}, 1);
  if (!tensors.ok()) return tensors;
  for (const char* name : {"align_corners", "half_pixel_centers"}) {
    Result<bool> flag = call.Flag(name, false);
    if (!flag.ok()) return flag.TakeStatus();
    if (flag.value()) {
      return call.Unsupported("the attributes align_corners and half_pixel_centers to be false");
    }
  }
  if (call.Input(0).rank != 4 || call.Output(0).rank != 4) {
    return call.Unsupported("tensors of four dimensions");
  }
  if (Status bad = call.InputNamesOutput(1, 2); !bad.ok()) return bad;
  return tensors;
}

Status AnswerNearest(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = OpenNearest(call);
  if (!tensors.ok()) return tensors.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnUpsampleNearest2dGetWorkspaceSize, &aclnnUpsampleNearest2d>(
      call, inputs[0], PlaneOf(call, call.Output(0)), outputs[0]);
  return Ok();
}

Status AnswerNearestGradient(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = OpenNearest(call);
  if (!tensors.ok()) return tensors.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const AclimbOpTensor& x = call.Output(0);
  RunOperator<&aclnnUpsampleNearest2dBackwardGetWorkspaceSize, &aclnnUpsampleNearest2dBackward>(
      call, inputs[0], PlaneOf(call, call.Input(0)),
      call.Array(std::vector<int64_t>(x.dims, x.dims + 4)), 0.0, 0.0, outputs[0]);
  return Ok();
}

const ByType kNearest("ResizeNearestNeighborV2", &AnswerNearest);
const ByType kNearestGrad("ResizeNearestNeighborV2Grad", &AnswerNearestGradient);

}  // namespace
}  // namespace aclimb::upsample::by_type
