// What the programs of the checker's tests share. Each has a function Mistake that is wrong where
// WRONG is 1, and correct where it is 0; the line that is to blame ends in "// here".
#ifndef TESTS_CHECK_PROGRAM_H_
#define TESTS_CHECK_PROGRAM_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_elu_backward.h"

// For calls that have to succeed in either form.
#define MUST(call)                                                                  \
  do {                                                                              \
    const int must_code = (call);                                                   \
    if (must_code != 0) {                                                           \
      std::fprintf(stderr, "%s: %d: %s\n", #call, must_code, aclGetRecentErrMsg()); \
      std::exit(3);                                                                 \
    }                                                                               \
  } while (false)

// Device 0 is set, and the stream is on it.
struct Session {
  aclrtStream stream = nullptr;
};

inline void* Allocate(size_t bytes) {
  void* memory = nullptr;
  MUST(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  return memory;
}

inline void* Zeroed(size_t bytes) {
  void* memory = Allocate(bytes);
  MUST(aclrtMemset(memory, bytes, 0, bytes));
  return memory;
}

template <typename T>
void* Uploaded(const std::vector<T>& values) {
  const size_t bytes = values.size() * sizeof(T);
  void* memory = Allocate(bytes);
  MUST(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  return memory;
}

inline aclTensor* Describe(const std::vector<int64_t>& shape, aclDataType type, void* memory,
                           aclFormat format = ACL_FORMAT_ND) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  return aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0, format, shape.data(),
                         shape.size(), memory);
}

// An operator on vectors of `count` elements, with everything but phase 2.
struct Elu {
  Elu(void* grad_output, void* input, void* grad_input, int64_t count, aclDataType type = ACL_FLOAT,
      float scale_value = 1) {
    float one = 1;
    tensors[0] = Describe({count}, type, grad_output);
    tensors[1] = Describe({count}, type, input);
    tensors[2] = Describe({count}, type, grad_input);
    alpha = aclCreateScalar(&one, ACL_FLOAT);
    scale = aclCreateScalar(&scale_value, ACL_FLOAT);
    input_scale = aclCreateScalar(&one, ACL_FLOAT);
    MUST(aclnnEluBackwardGetWorkspaceSize(tensors[0], alpha, scale, input_scale, false, tensors[1],
                                          tensors[2], &size, &executor));
    if (size > 0) workspace = Allocate(size);
  }
  ~Elu() {
    for (aclTensor* tensor : tensors) MUST(aclDestroyTensor(tensor));
    for (aclScalar* scalar : {alpha, scale, input_scale}) MUST(aclDestroyScalar(scalar));
    if (workspace != nullptr) MUST(aclrtFree(workspace));
  }

  aclTensor* tensors[3];
  aclScalar *alpha, *scale, *input_scale;
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;
};

// The program's entry; `name` is that of its file.
#define PROGRAM(name)          \
  void name(Session& session); \
  void name(Session& session) { Mistake(session); }

#endif  // TESTS_CHECK_PROGRAM_H_
