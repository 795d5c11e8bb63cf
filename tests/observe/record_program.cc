// Calls that a recording has to get right.
//
//   record_program views | large | refused | threads | fork | nested | scalars | overwritten |
//   graph

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclimb/core/half.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_fill_scalar.h"

namespace {

int failed = 0;
void Need(int code) {
  if (code == 0) return;
  ++failed;
  std::fprintf(stderr, "%d: %s\n", code, aclGetRecentErrMsg());
}

struct View {
  aclDataType dtype;
  std::vector<int64_t> shape, strides;
  int64_t offset;
};

aclTensor* Tensor(const View& view, void* memory) {
  const int64_t storage[] = {512};
  return aclCreateTensor(view.shape.data(), view.shape.size(), view.dtype, view.strides.data(),
                         view.offset, ACL_FORMAT_ND, storage, 1, memory);
}

// That many numbers of the dtype, i * step - 1.
constexpr size_t kNumbers = 512;

void* Memory(aclDataType dtype, float step) {
  unsigned char host[kNumbers * 4];
  const size_t size = dtype == ACL_FLOAT ? 4 : 2;
  for (size_t i = 0; i < kNumbers; ++i) {
    const float value = static_cast<float>(i % 64) * step - 1;
    const uint16_t half =
        dtype == ACL_BF16 ? aclimb::ToBFloat16(value).bits : aclimb::ToFloat16(value).bits;
    if (size == 4) {
      std::memcpy(host + 4 * i, &value, 4);
    } else {
      std::memcpy(host + 2 * i, &half, 2);
    }
  }
  void* memory = nullptr;
  const size_t bytes = kNumbers * size;
  Need(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  Need(aclrtMemcpy(memory, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  return memory;
}

struct Call {
  View grad, value, out;
  bool in_place = false;  // out in grad's memory
};

// The code of the first phase that fails.
int Elu(const Call& call, aclrtStream stream) {
  void* g = Memory(call.grad.dtype, 0.125f);
  void* v = Memory(call.value.dtype, 0.03125f);
  void* o = call.in_place ? g : Memory(call.out.dtype, 1);
  aclTensor* grad = Tensor(call.grad, g);
  aclTensor* value = Tensor(call.value, v);
  aclTensor* out = Tensor(call.out, o);
  float one_value = 1;
  double half_value = 0.5;
  aclScalar* one = aclCreateScalar(&one_value, ACL_FLOAT);
  aclScalar* half = aclCreateScalar(&half_value, ACL_DOUBLE);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  int code =
      aclnnEluBackwardGetWorkspaceSize(grad, one, half, one, false, value, out, &size, &executor);
  if (code == 0) code = aclnnEluBackward(nullptr, size, executor, stream);
  Need(aclrtSynchronizeStream(stream));
  for (aclTensor* tensor : {grad, value, out}) Need(aclDestroyTensor(tensor));
  Need(aclDestroyScalar(one) | aclDestroyScalar(half));
  Need(aclrtFree(g) | aclrtFree(v));
  if (!call.in_place) Need(aclrtFree(o));
  return code;
}

View Dense(aclDataType dtype) { return {dtype, {3, 4}, {4, 1}, 0}; }

void Views(aclrtStream stream) {
  // Transposed, with gaps, broadcast; offsets that differ.
  Need(Elu({.grad = {ACL_FLOAT, {3, 4}, {1, 3}, 5},
            .value = {ACL_FLOAT, {3, 4}, {0, 2}, 7},
            .out = {ACL_FLOAT, {3, 4}, {16, 2}, 9}},
           stream));
  Need(Elu({.grad = {ACL_FLOAT16, {3, 4}, {4, 1}, 2},
            .value = {ACL_FLOAT16, {3, 4}, {8, 2}, 1},
            .out = {ACL_BF16, {3, 4}, {4, 1}, 3}},
           stream));
  Need(Elu({.grad = Dense(ACL_BF16), .value = Dense(ACL_BF16), .out = Dense(ACL_FLOAT)}, stream));
  // The input is gone when the run has ended.
  Need(Elu({.grad = {ACL_FLOAT, {3, 4}, {4, 1}, 4},
            .value = Dense(ACL_FLOAT),
            .out = {ACL_FLOAT, {3, 4}, {4, 1}, 4},
            .in_place = true},
           stream));
  // Scalars, and nothing at all.
  Need(Elu({.grad = {ACL_FLOAT, {}, {}, 3},
            .value = {ACL_FLOAT, {}, {}, 2},
            .out = {ACL_FLOAT, {}, {}, 1}},
           stream));
  const View empty = {ACL_FLOAT, {0, 4}, {4, 1}, 0};
  Need(Elu({.grad = empty, .value = empty, .out = empty}, stream));
  Need(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
  Need(Elu({.grad = Dense(ACL_FLOAT), .value = Dense(ACL_FLOAT), .out = Dense(ACL_FLOAT)}, stream));
}

// Too large to stand in a program, and not too large to be printed.
void Large(aclrtStream stream) {
  const View wide = {ACL_FLOAT, {8, 32}, {64, 1}, 3};
  const View dense = {ACL_FLOAT, {8, 32}, {32, 1}, 1};
  Need(Elu({.grad = wide, .value = dense, .out = wide}, stream));
}

void Refused(aclrtStream stream) {
  const View wide = {ACL_FLOAT, {3, 5}, {5, 1}, 0};
  const int shapes =
      Elu({.grad = Dense(ACL_FLOAT), .value = wide, .out = Dense(ACL_FLOAT)}, stream);
  // The last element lies behind the memory.
  View behind = Dense(ACL_FLOAT);
  behind.offset = 510 + 600;
  const int memory =
      Elu({.grad = Dense(ACL_FLOAT), .value = Dense(ACL_FLOAT), .out = behind}, stream);
  const int executor = aclnnEluBackward(nullptr, 0, nullptr, stream);
  if (shapes == 0 || memory == 0 || executor == 0) ++failed;
}

void Threads() {
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 2; ++t) {
    threads.emplace_back([t] {
      Need(aclrtSetDevice(0));
      aclrtStream stream = nullptr;
      Need(aclrtCreateStream(&stream));
      // Each thread's calls have a shape of their own.
      const View view = {ACL_FLOAT, {t + 2, 5}, {5, 1}, t};
      for (int i = 0; i < 50; ++i) {
        Need(Elu({.grad = view, .value = view, .out = view}, stream));
      }
      Need(aclrtDestroyStream(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void Fork(aclrtStream stream) {
  const Call call = {.grad = Dense(ACL_FLOAT), .value = Dense(ACL_FLOAT), .out = Dense(ACL_FLOAT)};
  Need(Elu(call, stream));
  const pid_t child = fork();
  if (child == 0) {
    // Needs no device, and is refused.
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const int code = aclnnEluBackwardGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, false,
                                                      nullptr, nullptr, &size, &executor);
    _exit(code == 0 ? 1 : 0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) ++failed;
  Need(Elu(call, stream));
}

// The callback of a failed task makes calls of its own, inside the call that queued the task.
aclrtStream nested_stream = nullptr;
void Nested(aclrtStream stream) {
  nested_stream = stream;
  Need(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) {
    int32_t device = -1;
    Need(aclrtGetDevice(&device));
    if (aclrtGetDevice(nullptr) == 0) ++failed;
    if (aclnnEluBackward(nullptr, 0, nullptr, nested_stream) == 0) ++failed;
    Need(Elu({.grad = Dense(ACL_FLOAT), .value = Dense(ACL_FLOAT), .out = Dense(ACL_FLOAT)},
             nested_stream));
  }));
  const View other = {ACL_FLOAT, {2, 5}, {5, 1}, 0};
  if (Elu({.grad = other, .value = other, .out = other}, stream) != 361001) ++failed;
  Need(aclrtSetExceptionInfoCallback(nullptr));
}

// Both phases, and the wait for the run.
template <typename Phase1, typename Phase2, typename... Arguments>
void Run(Phase1 phase1, Phase2 phase2, aclrtStream stream, Arguments... arguments) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  Need(phase1(arguments..., &size, &executor));
  void* workspace = nullptr;
  if (size > 0) Need(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  Need(phase2(workspace, size, executor, stream));
  Need(aclrtSynchronizeStream(stream));
  if (size > 0) Need(aclrtFree(workspace));
}

// A dense tensor whose memory nothing has written.
aclTensor* New(aclDataType dtype, const std::vector<int64_t>& shape) {
  void* memory = nullptr;
  Need(aclrtMalloc(&memory, 512, ACL_MEM_MALLOC_HUGE_FIRST));
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * shape[d];
  return aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), 0, ACL_FORMAT_ND,
                         shape.data(), shape.size(), memory);
}

// Numbers that a double does not have, complex ones, and those that JSON has no word for.
void Scalars(aclrtStream stream) {
  const auto scalar = [](auto value, aclDataType dtype) { return aclCreateScalar(&value, dtype); };
  const auto fill = [&](aclDataType dtype, const aclScalar* value) {
    Run(aclnnInplaceFillScalarGetWorkspaceSize, aclnnInplaceFillScalar, stream, New(dtype, {3}),
        value);
  };
  struct Complex64 {
    float real, imaginary;
  };
  struct Complex128 {
    double real, imaginary;
  };
  const aclScalar* const large = scalar((int64_t{1} << 60) + 1, ACL_INT64);
  const aclScalar* const complex = scalar(Complex64{1.5f, -2.5f}, ACL_COMPLEX64);
  fill(ACL_INT64, large);
  fill(ACL_INT8, scalar(int64_t{-100}, ACL_INT64));
  fill(ACL_INT64, scalar(INT64_MIN, ACL_INT64));
  fill(ACL_COMPLEX64, complex);
  fill(ACL_COMPLEX128, scalar(Complex128{0.1, -INFINITY}, ACL_COMPLEX128));
  fill(ACL_FLOAT, scalar(-0.0f, ACL_FLOAT));
  fill(ACL_FLOAT, scalar(NAN, ACL_FLOAT));
  constexpr int64_t kStart = (int64_t{1} << 53) + 1;
  Run(aclnnArangeGetWorkspaceSize, aclnnArange, stream, scalar(kStart, ACL_INT64),
      scalar(kStart + 3, ACL_INT64), scalar(int64_t{1}, ACL_INT64), New(ACL_INT64, {3}));
  aclTensor* const filled = New(ACL_COMPLEX64, {2});
  Run(aclnnInplaceFillScalarGetWorkspaceSize, aclnnInplaceFillScalar, stream, filled, complex);
  const int64_t pads[] = {1, 1};
  Run(aclnnConstantPadNdGetWorkspaceSize, aclnnConstantPadNd, stream, filled,
      aclCreateIntArray(pads, 2), complex, New(ACL_COMPLEX64, {4}));
}

// A product in place whose addend has the factor 0, so that it is not read.
void Overwritten(aclrtStream stream) {
  float zero = 0, one = 1;
  const auto factor = [&] {
    aclTensor* const tensor = New(ACL_FLOAT, {3, 3});
    Run(aclnnInplaceFillScalarGetWorkspaceSize, aclnnInplaceFillScalar, stream, tensor,
        aclCreateScalar(&one, ACL_FLOAT));
    return tensor;
  };
  Run(aclnnInplaceAddmmGetWorkspaceSize, aclnnInplaceAddmm, stream, New(ACL_FLOAT, {3, 3}),
      factor(), factor(), aclCreateScalar(&zero, ACL_FLOAT), aclCreateScalar(&one, ACL_FLOAT),
      int8_t{0});
}

// One call that a graph runs twice.
void Graph(aclrtStream stream) {
  float three = 3;
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  aclmdlRI graph = nullptr;
  Need(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
  Need(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  Need(aclnnInplaceFillScalarGetWorkspaceSize(
      New(ACL_FLOAT, {3, 3}), aclCreateScalar(&three, ACL_FLOAT), &size, &executor));
  Need(aclnnInplaceFillScalar(nullptr, size, executor, stream));
  Need(aclmdlRICaptureEnd(stream, &graph));
  for (int i = 0; i < 2; ++i) {
    Need(aclmdlRIExecuteAsync(graph, stream));
    Need(aclrtSynchronizeStream(stream));
  }
  Need(aclmdlRIDestroy(graph));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 2 ? argv[1] : "";
  Need(aclInit(nullptr));
  Need(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  Need(aclrtCreateStream(&stream));
  if (mode == "views") Views(stream);
  if (mode == "large") Large(stream);
  if (mode == "refused") Refused(stream);
  if (mode == "threads") Threads();
  if (mode == "fork") Fork(stream);
  if (mode == "nested") Nested(stream);
  if (mode == "scalars") Scalars(stream);
  if (mode == "overwritten") Overwritten(stream);
  if (mode == "graph") Graph(stream);
  Need(aclrtDestroyStream(stream));
  Need(aclrtResetDevice(0));
  Need(aclFinalize());
  return failed == 0 ? 0 : 1;
}
