#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_elu_backward.h"

// Calls of operators that know their results, for both processes of a fork.

inline std::atomic<int> failures{0};

// Whether it holds; else it is told with what the thread was refused last.
inline bool Expect(bool holds, const char* what, int line) {
  if (holds) return true;
  ++failures;
  std::fprintf(stderr, "line %d: %s\n%s\n", line, what, aclGetRecentErrMsg());
  return false;
}
#define EXPECT(condition) Expect((condition), #condition, __LINE__)

// Device memory of floats, with its tensor.
class Floats {
 public:
  Floats(std::vector<int64_t> shape, float value, aclFormat format = ACL_FORMAT_ND) {
    for (const int64_t extent : shape) count_ *= static_cast<size_t>(extent);
    EXPECT(aclrtMalloc(&address_, Bytes(), ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    Fill(value);
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
    tensor_ = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, format,
                              shape.data(), shape.size(), address_);
    EXPECT(tensor_ != nullptr);
  }
  ~Floats() {
    EXPECT(aclDestroyTensor(tensor_) == 0);
    EXPECT(aclrtFree(address_) == 0);
  }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;

  void Fill(float value) {
    const std::vector<float> host(count_, value);
    EXPECT(aclrtMemcpy(address_, Bytes(), host.data(), Bytes(), ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  }
  bool AllAre(float value) const {
    std::vector<float> host(count_, value - 1);
    const size_t bytes = Bytes();
    if (aclrtMemcpy(host.data(), bytes, address_, bytes, ACL_MEMCPY_DEVICE_TO_HOST) != 0) {
      return false;
    }
    for (const float found : host) {
      if (found != value) return false;
    }
    return true;
  }
  size_t Bytes() const { return count_ * sizeof(float); }
  void* address() const { return address_; }
  aclTensor* tensor() const { return tensor_; }

 private:
  size_t count_ = 1;
  void* address_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

// Elu of positive values: gradInput is gradOutput.
class Elu {
 public:
  explicit Elu(int64_t count) : grad_({count}, 2), value_({count}, 1), out_({count}, -7) {}
  ~Elu() { EXPECT(aclDestroyScalar(one_) == 0); }
  Elu(const Elu&) = delete;
  Elu& operator=(const Elu&) = delete;

  // The code of the first phase that fails.
  int Queue(aclrtStream stream) const {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const int code = aclnnEluBackwardGetWorkspaceSize(
        grad_.tensor(), one_, one_, one_, false, value_.tensor(), out_.tensor(), &size, &executor);
    return code != 0 ? code : aclnnEluBackward(nullptr, size, executor, stream);
  }
  bool Done() const { return out_.AllAre(2); }
  bool Works(aclrtStream stream) {
    out_.Fill(-7);
    return Queue(stream) == 0 && aclrtSynchronizeStream(stream) == 0 && Done();
  }

 private:
  static aclScalar* One() {
    float one = 1;
    return aclCreateScalar(&one, ACL_FLOAT);
  }
  Floats grad_, value_, out_;
  aclScalar* const one_ = One();
};

inline bool EluWorks(aclrtStream stream, int64_t count) { return Elu(count).Works(stream); }

// A 3x3 convolution of ones with zero weights and one channel out: gradInput is 0, and an inner
// element of gradWeight is the number of pixels.
inline bool ConvolutionWorks(aclrtStream stream, int64_t channels, int64_t size) {
  const Floats grad({1, 16, size, size}, 1, ACL_FORMAT_NCHW);
  const Floats input({1, channels, size, size}, 1, ACL_FORMAT_NCHW);
  const Floats weight({16, channels, 3, 3}, 0, ACL_FORMAT_NCHW);
  const Floats grad_input({1, channels, size, size}, -7, ACL_FORMAT_NCHW);
  const Floats grad_weight({16, channels, 3, 3}, -7, ACL_FORMAT_NCHW);
  const Floats grad_bias({16}, -7);
  const int64_t ones[] = {1, 1};
  const int64_t zeros[] = {0, 0};
  const int64_t sizes[] = {16};
  const bool mask[] = {true, true, true};
  aclIntArray* const one = aclCreateIntArray(ones, 2);
  aclIntArray* const zero = aclCreateIntArray(zeros, 2);
  aclIntArray* const bias = aclCreateIntArray(sizes, 1);
  aclBoolArray* const all = aclCreateBoolArray(mask, 3);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  bool works = EXPECT(aclnnConvolutionBackwardGetWorkspaceSize(
                          grad.tensor(), input.tensor(), weight.tensor(), bias, one, one, one,
                          false, zero, 1, all, 0, grad_input.tensor(), grad_weight.tensor(),
                          grad_bias.tensor(), &bytes, &executor) == 0);
  void* workspace = nullptr;
  if (bytes > 0) works = works && aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0;
  works = works && aclnnConvolutionBackward(workspace, bytes, executor, stream) == 0 &&
          aclrtSynchronizeStream(stream) == 0 && grad_input.AllAre(0) &&
          grad_bias.AllAre(static_cast<float>(size * size));
  if (workspace != nullptr) EXPECT(aclrtFree(workspace) == 0);
  for (aclIntArray* array : {one, zero, bias}) EXPECT(aclDestroyIntArray(array) == 0);
  EXPECT(aclDestroyBoolArray(all) == 0);
  return works;
}
