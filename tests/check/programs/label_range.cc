// check/data/label-range
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "program.h"

static void Mistake(Session& session) {
  void* grad = Zeroed(sizeof(float));
  void* log_prob = Zeroed(3 * 3 * sizeof(float));
  void* target = Uploaded(std::vector<int64_t>{0, WRONG ? 3 : 2, -100});
  void* out = Allocate(3 * 3 * sizeof(float));
  aclTensor* tensors[] = {Describe({1}, ACL_FLOAT, grad), Describe({3, 3}, ACL_FLOAT, log_prob),
                          Describe({3}, ACL_INT64, target), Describe({3, 3}, ACL_FLOAT, out)};
  char mean[] = "mean";
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  MUST(aclnnCrossEntropyLossGradGetWorkspaceSize(tensors[0], tensors[1], tensors[2], nullptr,
                                                 nullptr, nullptr, mean, -100, 0, 0, tensors[3],
                                                 &size, &executor));
  void* workspace = size > 0 ? Allocate(size) : nullptr;
  MUST(aclnnCrossEntropyLossGrad(workspace, size, executor, session.stream));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  for (aclTensor* tensor : tensors) MUST(aclDestroyTensor(tensor));
  for (void* memory : {grad, log_prob, target, out}) MUST(aclrtFree(memory));
  if (workspace != nullptr) MUST(aclrtFree(workspace));
}

PROGRAM(label_range)
