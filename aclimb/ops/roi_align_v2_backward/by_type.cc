// What frameworks call by type name: ROIAlign and ROIAlignGrad.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <vector>

#include "aclimb/core/text.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_roi_align_v2.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"

namespace aclimb::roi_align_v2_backward::by_type {
namespace {

struct Pooling {
  int64_t height, width;
  float scale;
  int64_t samples;
  bool aligned;
  // Aligned and yet not below a pixel, which the operators of aclnnop/ do not have.
  bool at_least_a_pixel;
};

Status Read(TypedCall& call, Pooling* pooling) {
  Result<int64_t> height = call.Integer("pooled_height", 0);
  if (!height.ok()) return height.TakeStatus();
  Result<int64_t> width = call.Integer("pooled_width", 0);
  if (!width.ok()) return width.TakeStatus();
  Result<float> scale = call.Number("spatial_scale", 0);
  if (!scale.ok()) return scale.TakeStatus();
  Result<int64_t> samples = call.Integer("sample_num", 2);
  if (!samples.ok()) return samples.TakeStatus();
  Result<int64_t> mode = call.Integer("roi_end_mode", 1);
  if (!mode.ok()) return mode.TakeStatus();
  if (mode.value() != 0 && mode.value() != 2 && mode.value() != 3) {
    return call.Unsupported("the attribute roi_end_mode to be 0, 2 or 3");
  }
  *pooling = {height.value(),  width.value(),     scale.value(),
              samples.value(), mode.value() != 0, mode.value() == 3};
  return Ok();
}

// The boxes [K, 5]; where they may not be below a pixel, a copy with the ends moved.
Result<const aclTensor*> Boxes(TypedCall& call, int place, const Pooling& pooling) {
  Result<const aclTensor*> boxes = call.InputTensor(place);
  if (!boxes.ok() || !pooling.at_least_a_pixel) return boxes;
  const AclimbOpTensor& given = call.Input(place);
  if (given.rank != 2 || given.dims[1] != 5 || given.dtype != ACL_FLOAT) {
    return call.Unsupported(Cat("input ", place, " to be FLOAT [regions, 5]"));
  }
  const int64_t count = given.dims[0];
  if (count == 0) return boxes;
  const auto bytes = static_cast<uint64_t>(count) * 5 * sizeof(float);
  AclimbOpTensor moved = given;
  moved.data = call.Scratch(bytes);
  auto* const least = static_cast<float*>(call.Scratch(bytes));
  // Then the call has failed, and there are no addresses of columns.
  if (moved.data == nullptr) return boxes;
  const auto columns = [count](void* data, int64_t first, int64_t width) {
    return ScopedTensor(static_cast<float*>(data) + first, ACL_FLOAT, {count, width}, {5, 1});
  };
  const float pixel = 1 / pooling.scale;
  RunOperator<&aclnnInplaceCopyGetWorkspaceSize, &aclnnInplaceCopy>(call, columns(moved.data, 0, 5),
                                                                    columns(given.data, 0, 5));
  RunOperator<&aclnnAddsGetWorkspaceSize, &aclnnAdds>(
      call, columns(given.data, 1, 2), ScopedScalar(pixel), ScopedScalar(1), columns(least, 0, 2));
  RunOperator<&aclnnMaximumGetWorkspaceSize, &aclnnMaximum>(
      call, columns(given.data, 3, 2), columns(least, 0, 2), columns(moved.data, 3, 2));
  return Result<const aclTensor*>(call.Describe(moved));
}

Status AnswerForward(TypedCall& call) {
  if (Status bad = call.Has(
          2, 2, 1,
          {"spatial_scale", "pooled_height", "pooled_width", "sample_num", "roi_end_mode"});
      !bad.ok()) {
    return bad;
  }
  Pooling pooling;
  if (Status bad = Read(call, &pooling); !bad.ok()) return bad;
  Result<const aclTensor*> x = call.InputTensor(0);
  if (!x.ok()) return x.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  Result<const aclTensor*> boxes = Boxes(call, 1, pooling);
  if (!boxes.ok()) return boxes.TakeStatus();
  RunOperator<&aclnnRoiAlignV2GetWorkspaceSize, &aclnnRoiAlignV2>(
      call, x.value(), boxes.value(), pooling.height, pooling.width, pooling.scale, pooling.samples,
      pooling.aligned, y.value());
  return Ok();
}

Status AnswerGradient(TypedCall& call) {
  if (Status bad = call.Has(2, 2, 1,
                            {"xdiff_shape", "spatial_scale", "pooled_height", "pooled_width",
                             "sample_num", "roi_end_mode"});
      !bad.ok()) {
    return bad;
  }
  Pooling pooling;
  if (Status bad = Read(call, &pooling); !bad.ok()) return bad;
  Result<std::vector<int64_t>> shape = call.Ints("xdiff_shape", {});
  if (!shape.ok()) return shape.TakeStatus();
  Result<const aclTensor*> grad = call.InputTensor(0);
  if (!grad.ok()) return grad.TakeStatus();
  Result<aclTensor*> x_grad = call.OutputTensor(0);
  if (!x_grad.ok()) return x_grad.TakeStatus();
  Result<const aclTensor*> boxes = Boxes(call, 1, pooling);
  if (!boxes.ok()) return boxes.TakeStatus();
  RunOperator<&aclnnRoiAlignV2BackwardGetWorkspaceSize, &aclnnRoiAlignV2Backward>(
      call, call.Describe(call.Input(0), ACL_FORMAT_NCHW), boxes.value(), call.Array(shape.value()),
      pooling.height, pooling.width, pooling.scale, pooling.samples, pooling.aligned,
      call.Describe(call.Output(0), ACL_FORMAT_NCHW));
  return Ok();
}

const ByType kRoiAlign("ROIAlign", &AnswerForward);
const ByType kRoiAlignGrad("ROIAlignGrad", &AnswerGradient);

}  // namespace
}  // namespace aclimb::roi_align_v2_backward::by_type
