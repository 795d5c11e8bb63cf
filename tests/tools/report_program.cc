// A program for a report to show: two devices, each with a thread, three streams, operators, copies
// and events between them; one call fails, and one copy comes before the stream is waited for.

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace {

void Must(int code) {
  if (code == 0) return;
  std::fprintf(stderr, "%d: %s\n", code, aclGetRecentErrMsg());
  std::exit(3);
}

struct Tensor {
  std::vector<int64_t> shape;
  size_t bytes = sizeof(float);
  void* memory = nullptr;
  aclTensor* handle = nullptr;

  Tensor(std::vector<int64_t> dims, aclFormat format) : shape(std::move(dims)) {
    for (const int64_t dim : shape) bytes *= static_cast<size_t>(dim);
    Must(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    Must(aclrtMemset(memory, bytes, 0, bytes));
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
    handle = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, format,
                             shape.data(), shape.size(), memory);
  }
  ~Tensor() {
    Must(aclDestroyTensor(handle));
    Must(aclrtFree(memory));
  }
};

void Elu(const Tensor& grad, const Tensor& result, aclrtStream stream) {
  float one = 1;
  aclScalar* scalar = aclCreateScalar(&one, ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  Must(aclnnEluBackwardGetWorkspaceSize(grad.handle, scalar, scalar, scalar, false, grad.handle,
                                        result.handle, &size, &executor));
  Must(aclnnEluBackward(nullptr, 0, executor, stream));
  Must(aclDestroyScalar(scalar));
}

// One layer: 3 x 3, padding 1.
struct Convolution {
  static constexpr aclFormat kFormat = ACL_FORMAT_NCHW;
  Tensor grad_output{{8, 32, 28, 28}, kFormat}, input{{8, 16, 28, 28}, kFormat};
  Tensor weight{{32, 16, 3, 3}, kFormat}, grad_input{{8, 16, 28, 28}, kFormat};
  Tensor grad_weight{{32, 16, 3, 3}, kFormat}, grad_bias{{32}, ACL_FORMAT_ND};

  void Run(aclrtStream stream) const {
    const int64_t ones[] = {1, 1}, zeros[] = {0, 0}, bias[] = {32};
    const bool all[] = {true, true, true};
    aclIntArray* one = aclCreateIntArray(ones, 2);
    aclIntArray* none = aclCreateIntArray(zeros, 2);
    aclIntArray* bias_sizes = aclCreateIntArray(bias, 1);
    aclBoolArray* mask = aclCreateBoolArray(all, 3);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    Must(aclnnConvolutionBackwardGetWorkspaceSize(
        grad_output.handle, input.handle, weight.handle, bias_sizes, one, one, one, false, none, 1,
        mask, 0, grad_input.handle, grad_weight.handle, grad_bias.handle, &size, &executor));
    void* workspace = nullptr;
    if (size > 0) Must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    Must(aclnnConvolutionBackward(workspace, size, executor, stream));
    Must(aclrtSynchronizeStream(stream));
    if (workspace != nullptr) Must(aclrtFree(workspace));
    for (aclIntArray* array : {one, none, bias_sizes}) Must(aclDestroyIntArray(array));
    Must(aclDestroyBoolArray(mask));
  }
};

void Train(int device, int steps) {
  Must(aclrtSetDevice(device));
  aclrtStream compute = nullptr, copies = nullptr;
  aclrtEvent arrived = nullptr;
  Must(aclrtCreateStream(&compute));
  Must(aclrtCreateStream(&copies));
  Must(aclrtCreateEvent(&arrived));
  {
    const Convolution layer;
    const Tensor grad({64, 4096}, ACL_FORMAT_ND), result({64, 4096}, ACL_FORMAT_ND);
    std::vector<float> host(grad.bytes / sizeof(float), 0.5f);
    for (int step = 0; step < steps; ++step) {
      Must(aclrtMemcpyAsync(grad.memory, grad.bytes, host.data(), grad.bytes,
                            ACL_MEMCPY_HOST_TO_DEVICE, copies));
      Must(aclrtRecordEvent(arrived, copies));
      Must(aclrtStreamWaitEvent(compute, arrived));
      Elu(grad, result, compute);
      layer.Run(compute);
      Must(aclrtSynchronizeStream(copies));
    }
    if (device == 0) {
      // More than there is room for.
      if (aclrtMemcpy(result.memory, 16, host.data(), 32, ACL_MEMCPY_HOST_TO_DEVICE) == 0) {
        std::exit(4);
      }
      Elu(grad, result, compute);
      Must(aclrtMemcpy(host.data(), 64, result.memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
      Must(aclrtSynchronizeStream(compute));
    }
  }
  Must(aclrtDestroyEvent(arrived));
  Must(aclrtDestroyStream(copies));
  Must(aclrtDestroyStream(compute));
  Must(aclrtResetDevice(device));
}

}  // namespace

int main() {
  Must(aclInit(nullptr));
  std::thread other(Train, 1, 4);
  Train(0, 6);
  other.join();
  Must(aclFinalize());
  return 0;
}
