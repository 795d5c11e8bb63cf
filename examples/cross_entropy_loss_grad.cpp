// aclnnCrossEntropyLossGrad: a weighted mean over three rows, one of which is ignored.
#include <cmath>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "check.h"
#include "report.h"
#include "tensor.h"

int CrossEntropyLossGrad(aclrtStream stream) {
  const int64_t ignore_index = 2;
  const std::vector<float> grad_loss_host = {3.0f};
  const std::vector<float> probabilities = {0.5f,  0.25f, 0.25f, 0.125f, 0.125f,
                                            0.75f, 0.25f, 0.5f,  0.25f};
  std::vector<float> log_prob_host;
  for (float p : probabilities) {
    log_prob_host.push_back(std::log(p));
  }
  const std::vector<int64_t> target_host = {0, 2, 1};
  const std::vector<float> weight_host = {1.0f, 2.0f, 4.0f};
  std::vector<float> x_grad_host(9, kUntouched);

  Tensor grad_loss, log_prob, target, weight, x_grad;
  // The gradient of a mean is one number: a tensor of rank 0.
  if (CreateTensor(grad_loss_host, {}, ACL_FLOAT, ACL_FORMAT_ND, &grad_loss) != 0 ||
      CreateTensor(log_prob_host, {3, 3}, ACL_FLOAT, ACL_FORMAT_ND, &log_prob) != 0 ||
      CreateTensor(target_host, {3}, ACL_INT64, ACL_FORMAT_ND, &target) != 0 ||
      CreateTensor(weight_host, {3}, ACL_FLOAT, ACL_FORMAT_ND, &weight) != 0 ||
      CreateTensor(x_grad_host, {3, 3}, ACL_FLOAT, ACL_FORMAT_ND, &x_grad) != 0) {
    return 1;
  }

  // Phase 1 checks the arguments and says how much workspace the computation needs. The two tensors
  // of the z-loss are optional and the factors reserved.
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  CHECK_ACL(aclnnCrossEntropyLossGradGetWorkspaceSize(
      grad_loss.handle, log_prob.handle, target.handle, weight.handle, nullptr, nullptr, "mean",
      ignore_index, 0.0, 0.0, x_grad.handle, &workspace_size, &executor));
  void* workspace = nullptr;
  if (workspace_size > 0) {
    CHECK_ACL(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
  }

  // Phase 2 queues it on the stream.
  CHECK_ACL(aclnnCrossEntropyLossGrad(workspace, workspace_size, executor, stream));
  CHECK_ACL(aclrtSynchronizeStream(stream));
  if (ReadTensor(x_grad, &x_grad_host) != 0) {
    return 1;
  }

  std::printf("aclnnCrossEntropyLossGrad, reduction mean, ignoreIndex 2\n");
  Print("gradLoss", grad_loss_host, 1);
  Print("logProb", log_prob_host, 3);
  Print("target", target_host, 3);
  Print("weight", weight_host, 3);
  // The weights of rows 0 and 2 add up to the divisor, 3; row 1 is ignored.
  const int failed = Compare("xGradOut", x_grad_host,
                             {-0.5f, 0.25f, 0.25f, 0.0f, 0.0f, 0.0f, 0.5f, -1.0f, 0.5f}, 3);

  if (workspace != nullptr) {
    CHECK_ACL(aclrtFree(workspace));
  }
  if (DestroyTensor(&grad_loss) != 0 || DestroyTensor(&log_prob) != 0 ||
      DestroyTensor(&target) != 0 || DestroyTensor(&weight) != 0 || DestroyTensor(&x_grad) != 0) {
    return 1;
  }
  return failed;
}

int main() {
  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));

  const int failed = CrossEntropyLossGrad(stream);

  CHECK_ACL(aclrtDestroyStream(stream));
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  return failed;
}
