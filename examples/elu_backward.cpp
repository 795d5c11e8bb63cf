// aclnnEluBackward: the gradient of ELU, once from the forward call's input and once from its
// result.
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "check.h"
#include "report.h"
#include "tensor.h"

int EluBackward(aclrtStream stream, bool is_result, const std::vector<float>& expected) {
  const std::vector<int64_t> shape = {2, 3};
  const std::vector<float> grad_output_host = {1.0f, -2.0f, 3.0f, 0.5f, 1.0f, 2.0f};
  // 0 itself belongs to the exponential side.
  const std::vector<float> self_or_result_host = {-2.0f, -1.0f, -0.5f, 0.0f, 0.5f, 3.0f};
  std::vector<float> grad_input_host(6, kUntouched);

  Tensor grad_output, self_or_result, grad_input;
  if (CreateTensor(grad_output_host, shape, ACL_FLOAT, ACL_FORMAT_ND, &grad_output) != 0 ||
      CreateTensor(self_or_result_host, shape, ACL_FLOAT, ACL_FORMAT_ND, &self_or_result) != 0 ||
      CreateTensor(grad_input_host, shape, ACL_FLOAT, ACL_FORMAT_ND, &grad_input) != 0) {
    return 1;
  }
  float alpha_value = 1.5f, scale_value = 2.0f, input_scale_value = 0.5f;
  aclScalar* alpha = aclCreateScalar(&alpha_value, ACL_FLOAT);
  aclScalar* scale = aclCreateScalar(&scale_value, ACL_FLOAT);
  aclScalar* input_scale = aclCreateScalar(&input_scale_value, ACL_FLOAT);

  // Phase 1 checks the arguments and says how much workspace the computation needs.
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  CHECK_ACL(aclnnEluBackwardGetWorkspaceSize(grad_output.handle, alpha, scale, input_scale,
                                             is_result, self_or_result.handle, grad_input.handle,
                                             &workspace_size, &executor));
  void* workspace = nullptr;
  if (workspace_size > 0) {
    CHECK_ACL(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
  }

  // Phase 2 queues it on the stream.
  CHECK_ACL(aclnnEluBackward(workspace, workspace_size, executor, stream));
  CHECK_ACL(aclrtSynchronizeStream(stream));
  if (ReadTensor(grad_input, &grad_input_host) != 0) {
    return 1;
  }

  std::printf("aclnnEluBackward, alpha 1.5, scale 2, inputScale 0.5, isResult %s\n",
              is_result ? "true" : "false");
  Print("gradOutput", grad_output_host, 3);
  Print("selfOrResult", self_or_result_host, 3);
  const int failed = Compare("gradInput", grad_input_host, expected, 3);

  if (workspace != nullptr) {
    CHECK_ACL(aclrtFree(workspace));
  }
  CHECK_ACL(aclDestroyScalar(alpha));
  CHECK_ACL(aclDestroyScalar(scale));
  CHECK_ACL(aclDestroyScalar(input_scale));
  if (DestroyTensor(&grad_output) != 0 || DestroyTensor(&self_or_result) != 0 ||
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

  int failed = EluBackward(stream, false, {0.55181916f, -1.819592f, 3.5046035f, 0.75f, 2.0f, 4.0f});
  failed += EluBackward(stream, true, {0.5f, -2.0f, 3.75f, 0.75f, 2.0f, 4.0f});

  CHECK_ACL(aclrtDestroyStream(stream));
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  return failed == 0 ? 0 : 1;
}
