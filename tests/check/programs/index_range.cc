// check/data/index-range
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "program.h"

static void Mistake(Session& session) {
  void* grad = Zeroed(2 * 8 * sizeof(float));
  void* indices = Uploaded(std::vector<int64_t>{0, WRONG ? 7 : 3});
  void* out = Allocate(4 * 8 * sizeof(float));
  aclTensor* tensors[] = {Describe({2, 8}, ACL_FLOAT, grad), Describe({2}, ACL_INT64, indices),
                          Describe({4, 8}, ACL_FLOAT, out)};
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  MUST(aclnnEmbeddingDenseBackwardGetWorkspaceSize(
      tensors[0], tensors[1], 4, static_cast<uint64_t>(-1), false, tensors[2], &size, &executor));
  void* workspace = size > 0 ? Allocate(size) : nullptr;
  MUST(aclnnEmbeddingDenseBackward(workspace, size, executor, session.stream));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  for (aclTensor* tensor : tensors) MUST(aclDestroyTensor(tensor));
  for (void* memory : {grad, indices, out}) MUST(aclrtFree(memory));
  if (workspace != nullptr) MUST(aclrtFree(workspace));
}

PROGRAM(index_range)
