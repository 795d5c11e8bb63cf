// check/data/image-range
#include "aclnnop/aclnn_roi_align_v2_backward.h"
#include "program.h"

static void Mistake(Session& session) {
  void* grad = Zeroed(4 * sizeof(float));
  void* boxes = Uploaded(std::vector<float>{WRONG ? 5.0f : 0.0f, 0, 0, 4, 4});
  void* out = Allocate(16 * sizeof(float));
  aclTensor* tensors[] = {Describe({1, 1, 2, 2}, ACL_FLOAT, grad, ACL_FORMAT_NCHW),
                          Describe({1, 5}, ACL_FLOAT, boxes),
                          Describe({1, 1, 4, 4}, ACL_FLOAT, out, ACL_FORMAT_NCHW)};
  const int64_t shape[] = {1, 1, 4, 4};
  aclIntArray* input_shape = aclCreateIntArray(shape, 4);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  MUST(aclnnRoiAlignV2BackwardGetWorkspaceSize(tensors[0], tensors[1], input_shape, 2, 2, 1.0f, 2,
                                               true, tensors[2], &size, &executor));
  void* workspace = size > 0 ? Allocate(size) : nullptr;
  MUST(aclnnRoiAlignV2Backward(workspace, size, executor, session.stream));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  for (aclTensor* tensor : tensors) MUST(aclDestroyTensor(tensor));
  MUST(aclDestroyIntArray(input_shape));
  for (void* memory : {grad, boxes, out}) MUST(aclrtFree(memory));
  if (workspace != nullptr) MUST(aclrtFree(workspace));
}

PROGRAM(image_range)
