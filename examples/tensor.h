// Device memory with a tensor that describes it: what every aclnn program needs for each argument.
#ifndef EXAMPLES_TENSOR_H_
#define EXAMPLES_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "check.h"

struct Tensor {
  void* address = nullptr;
  aclTensor* handle = nullptr;
};

// Copies `values` to the device and describes them as a contiguous tensor.
template <typename T>
int CreateTensor(const std::vector<T>& values, const std::vector<int64_t>& shape, aclDataType type,
                 aclFormat format, Tensor* tensor) {
  const size_t bytes = values.size() * sizeof(T);
  CHECK_ACL(aclrtMalloc(&tensor->address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_ACL(aclrtMemcpy(tensor->address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i > 1; --i) {
    strides[i - 2] = strides[i - 1] * shape[i - 1];
  }
  tensor->handle = aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0, format,
                                   shape.data(), shape.size(), tensor->address);
  if (tensor->handle == nullptr) {
    std::fprintf(stderr, "aclCreateTensor failed: %s\n", aclGetRecentErrMsg());
    return 1;
  }
  return 0;
}

// Copies the tensor's memory back; `values` has the right size already.
template <typename T>
int ReadTensor(const Tensor& tensor, std::vector<T>* values) {
  const size_t bytes = values->size() * sizeof(T);
  CHECK_ACL(aclrtMemcpy(values->data(), bytes, tensor.address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  return 0;
}

inline int DestroyTensor(Tensor* tensor) {
  CHECK_ACL(aclDestroyTensor(tensor->handle));
  CHECK_ACL(aclrtFree(tensor->address));
  *tensor = Tensor();
  return 0;
}

#endif  // EXAMPLES_TENSOR_H_
