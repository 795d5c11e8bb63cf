// aclnnEmbeddingDenseBackward: six rows of gradients summed into a table of six, averaged by how
// often an index occurs, with one padding row.
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "check.h"
#include "report.h"
#include "tensor.h"

int EmbeddingDenseBackward(aclrtStream stream) {
  const uint64_t num_weights = 6;
  const uint64_t padding_idx = 2;
  const bool scale_grad_by_freq = true;
  const std::vector<float> grad_host = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const std::vector<int64_t> indices_host = {2, 0, 2, 5, 2, 0};
  std::vector<float> out_host(12, kUntouched);

  Tensor grad, indices, out;
  if (CreateTensor(grad_host, {6, 2}, ACL_FLOAT, ACL_FORMAT_ND, &grad) != 0 ||
      CreateTensor(indices_host, {6}, ACL_INT64, ACL_FORMAT_ND, &indices) != 0 ||
      CreateTensor(out_host, {6, 2}, ACL_FLOAT, ACL_FORMAT_ND, &out) != 0) {
    return 1;
  }

  // Phase 1 checks the arguments and says how much workspace the computation needs.
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  CHECK_ACL(aclnnEmbeddingDenseBackwardGetWorkspaceSize(grad.handle, indices.handle, num_weights,
                                                        padding_idx, scale_grad_by_freq, out.handle,
                                                        &workspace_size, &executor));
  void* workspace = nullptr;
  if (workspace_size > 0) {
    CHECK_ACL(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
  }

  // Phase 2 queues it on the stream.
  CHECK_ACL(aclnnEmbeddingDenseBackward(workspace, workspace_size, executor, stream));
  CHECK_ACL(aclrtSynchronizeStream(stream));
  if (ReadTensor(out, &out_host) != 0) {
    return 1;
  }

  std::printf("aclnnEmbeddingDenseBackward, numWeights 6, paddingIdx 2, scaleGradByFreq true\n");
  Print("grad", grad_host, 2);
  Print("indices", indices_host, 6);
  // Row 0 is the mean of two rows of grad; no index names rows 1, 3 and 4; row 2 is padding.
  const int failed = Compare("out", out_host, {7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8}, 2);

  if (workspace != nullptr) {
    CHECK_ACL(aclrtFree(workspace));
  }
  if (DestroyTensor(&grad) != 0 || DestroyTensor(&indices) != 0 || DestroyTensor(&out) != 0) {
    return 1;
  }
  return failed;
}

int main() {
  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));

  const int failed = EmbeddingDenseBackward(stream);

  CHECK_ACL(aclrtDestroyStream(stream));
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  return failed;
}
