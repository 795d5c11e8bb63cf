// aclnnRoiAlignV2Backward: one pooled region spread back over a 6x6 feature map, with and without
// the half-pixel shift.
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"
#include "check.h"
#include "report.h"
#include "tensor.h"

int RoiAlignV2Backward(aclrtStream stream, bool aligned, const std::vector<float>& expected) {
  const std::vector<int64_t> input_dims = {1, 1, 6, 6};
  const int64_t pooled_height = 3, pooled_width = 3, sampling_ratio = 2;
  const float spatial_scale = 0.25f;
  const std::vector<float> grad_output_host = {4.5f,  6.5f,  8.5f,  16.5f, 18.5f,
                                               20.5f, 28.5f, 30.5f, 32.5f};
  // Image number, then the corners in the image's coordinates: four times the map's.
  const std::vector<float> boxes_host = {0, -2, -2, 22, 22};
  std::vector<float> grad_input_host(36, kUntouched);

  Tensor grad_output, boxes, grad_input;
  if (CreateTensor(grad_output_host, {1, 1, 3, 3}, ACL_FLOAT, ACL_FORMAT_NCHW, &grad_output) != 0 ||
      CreateTensor(boxes_host, {1, 5}, ACL_FLOAT, ACL_FORMAT_ND, &boxes) != 0 ||
      CreateTensor(grad_input_host, input_dims, ACL_FLOAT, ACL_FORMAT_NCHW, &grad_input) != 0) {
    return 1;
  }
  aclIntArray* input_shape = aclCreateIntArray(input_dims.data(), input_dims.size());

  // Phase 1 checks the arguments and says how much workspace the computation needs.
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  CHECK_ACL(aclnnRoiAlignV2BackwardGetWorkspaceSize(
      grad_output.handle, boxes.handle, input_shape, pooled_height, pooled_width, spatial_scale,
      sampling_ratio, aligned, grad_input.handle, &workspace_size, &executor));
  void* workspace = nullptr;
  if (workspace_size > 0) {
    CHECK_ACL(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
  }

  // Phase 2 queues it on the stream.
  CHECK_ACL(aclnnRoiAlignV2Backward(workspace, workspace_size, executor, stream));
  CHECK_ACL(aclrtSynchronizeStream(stream));
  if (ReadTensor(grad_input, &grad_input_host) != 0) {
    return 1;
  }

  std::printf("aclnnRoiAlignV2Backward, spatialScale 0.25, samplingRatio 2, aligned %s\n",
              aligned ? "true" : "false");
  Print("gradOutput", grad_output_host, 3);
  Print("boxes", boxes_host, 5);
  const int failed = Compare("gradInput", grad_input_host, expected, 6);

  if (workspace != nullptr) {
    CHECK_ACL(aclrtFree(workspace));
  }
  CHECK_ACL(aclDestroyIntArray(input_shape));
  if (DestroyTensor(&grad_output) != 0 || DestroyTensor(&boxes) != 0 ||
      DestroyTensor(&grad_input) != 0) {
    return 1;
  }
  return failed;
}

int main() {
  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));

  // Without the shift every sample falls on a pixel, which gets a quarter of its bin.
  // clang-format off
  int failed = RoiAlignV2Backward(stream, false,
      {1.125f, 1.125f, 1.625f, 1.625f, 2.125f, 2.125f,
       1.125f, 1.125f, 1.625f, 1.625f, 2.125f, 2.125f,
       4.125f, 4.125f, 4.625f, 4.625f, 5.125f, 5.125f,
       4.125f, 4.125f, 4.625f, 4.625f, 5.125f, 5.125f,
       7.125f, 7.125f, 7.625f, 7.625f, 8.125f, 8.125f,
       7.125f, 7.125f, 7.625f, 7.625f, 8.125f, 8.125f});
  failed += RoiAlignV2Backward(stream, true,
      {2.53125f, 2.0625f, 2.4375f, 2.8125f, 3.1875f, 1.59375f,
       3.9375f,  2.875f,  3.125f,  3.375f,  3.625f,  1.8125f,
       6.1875f,  4.375f,  4.625f,  4.875f,  5.125f,  2.5625f,
       8.4375f,  5.875f,  6.125f,  6.375f,  6.625f,  3.3125f,
       10.6875f, 7.375f,  7.625f,  7.875f,  8.125f,  4.0625f,
       5.34375f, 3.6875f, 3.8125f, 3.9375f, 4.0625f, 2.03125f});
  // clang-format on

  CHECK_ACL(aclrtDestroyStream(stream));
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  return failed == 0 ? 0 : 1;
}
