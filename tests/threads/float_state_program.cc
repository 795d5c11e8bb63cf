// One process of float_state_test: calls every operator on a thread that has the floating-point
// state of its argument, and prints a digest of each result and every call that left the thread
// with another state. The argument "inherited" stands for the state in which the process started.
// The engine's thread and the compute team are made under that state.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"
#include "tests/support/float_state.h"

namespace aclimb::testing {
namespace {

aclrtStream stream = nullptr;
FloatState tested;  // of the program's thread during its calls

// The call under the tested state; everything else runs under the default one.
template <typename Call>
auto Under(const char* name, Call&& call) {
  WriteFloatState(tested);
  auto answer = call();
  const FloatState after = ReadFloatState();
  WriteFloatState(FloatState{});
  if (!(after == tested)) std::printf("%s changed the state\n", name);
  return answer;
}

using PhaseOne = std::function<int(uint64_t*, aclOpExecutor**)>;
using PhaseTwo = int (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

int RunCase(const PhaseOne& phase1, PhaseTwo phase2) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (const int code = Under("phase 1", [&] { return phase1(&size, &executor); })) return code;
  const Workspace workspace(size);
  if (const int code =
          Under("phase 2", [&] { return phase2(workspace.get(), size, executor, stream); })) {
    return code;
  }
  return Under("synchronize", [] { return aclrtSynchronizeStream(stream); });
}

// FNV-1a over the results, eight bytes at a time: every bit changes it.
void Print(const std::string& name, DType dtype, int code,
           const std::vector<const DeviceTensor*>& results) {
  uint64_t digest = 0xCBF29CE484222325u;
  for (const DeviceTensor* result : results) {
    std::vector<unsigned char> bytes = result->Bytes();
    bytes.resize((bytes.size() + 7) / 8 * 8);
    for (size_t i = 0; i < bytes.size(); i += 8) {
      uint64_t word;
      std::memcpy(&word, &bytes[i], sizeof(word));
      digest = (digest ^ word) * 0x100000001B3u;
    }
  }
  std::printf("%s %d: %d %016llx\n", name.c_str(), static_cast<int>(dtype), code,
              static_cast<unsigned long long>(digest));
}

// The exponents of numbers whose products with each other are subnormal in the dtype, and of those
// that are so themselves.
int Small(DType dtype) { return dtype == DType::kFloat16 ? -9 : -68; }
int Subnormal(DType dtype) { return dtype == DType::kFloat16 ? -18 : -136; }

// Large tensors repeat as many numbers, or fewer. A prime number of them meets every place of a
// vector and of a chunk.
constexpr int64_t kDrawn = 4093;

// A dense tensor that the numbers fill again and again.
DeviceTensor Repeated(const std::vector<int64_t>& shape, DType dtype,
                      const std::vector<double>& values, aclFormat format = ACL_FORMAT_ND) {
  DeviceTensor tensor(shape, dtype, {}, {.format = format});
  const std::vector<unsigned char> once = truth::WriteElements(values, dtype);
  std::vector<unsigned char> all(static_cast<size_t>(tensor.count()) * SizeOf(dtype));
  for (size_t at = 0; at < all.size(); at += once.size()) {
    std::memcpy(&all[at], once.data(), std::min(once.size(), all.size() - at));
  }
  if (aclrtMemcpy(tensor.data(), all.size(), all.data(), all.size(), ACL_MEMCPY_HOST_TO_DEVICE)) {
    std::printf("the upload failed\n");
  }
  return tensor;
}

std::vector<double> Scaled(std::vector<double> values, int exponent) {
  const double factor = std::ldexp(1.0, exponent);
  for (double& value : values) value *= factor;
  return values;
}

// Every third number is subnormal in the dtype, another third ordinary, the last one small.
std::vector<double> Mixed(Random& random, int64_t count, double low, double high, DType dtype) {
  std::vector<double> values = random.Reals(count, low, high);
  const double factors[] = {1, std::ldexp(1.0, Small(dtype)), std::ldexp(1.0, Subnormal(dtype))};
  for (size_t i = 0; i < values.size(); ++i) values[i] *= factors[i % 3];
  return values;
}

void RunElu(int64_t count, DType dtype, Random& random) {
  const DeviceTensor grad = Repeated({count}, dtype, Mixed(random, kDrawn, -4, 4, dtype));
  // Another length: no pair of numbers comes twice.
  const DeviceTensor self = Repeated({count}, dtype, Mixed(random, kDrawn - 2, -4, 4, dtype));
  const DeviceTensor out({count}, dtype);
  // Their product rounds, and the first rounds when it is converted.
  const Scalar alpha(1.1, DType::kFloat64);
  const Scalar scale(0.7f);
  const int code = RunCase(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnEluBackwardGetWorkspaceSize(grad, alpha, scale, scale, false, self, out, size,
                                                executor);
      },
      &aclnnEluBackward);
  Print("elu " + std::to_string(count), dtype, code, {&out});
}

void RunCrossEntropy(int64_t rows, int64_t classes, DType dtype, Random& random) {
  std::vector<double> classes_of_rows;
  for (int64_t i = 0; i < rows; ++i) {
    classes_of_rows.push_back(static_cast<double>(random.Integer(0, classes - 1)));
  }
  const DeviceTensor grad({}, dtype, {std::ldexp(3.0, Small(dtype))});
  const DeviceTensor log_prob = Repeated({rows, classes}, dtype, random.Reals(kDrawn, -40, 0));
  const DeviceTensor target({rows}, DType::kInt64, classes_of_rows);
  const DeviceTensor weight({classes}, DType::kFloat32, random.Reals(classes, 0, 2));
  const DeviceTensor out({rows, classes}, dtype);
  char mean[] = "mean";
  const int code = RunCase(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnCrossEntropyLossGradGetWorkspaceSize(grad, log_prob, target, weight, nullptr,
                                                         nullptr, mean, 7, 0.0, 0.0, out, size,
                                                         executor);
      },
      &aclnnCrossEntropyLossGrad);
  Print("cross entropy " + std::to_string(rows), dtype, code, {&out});
}

void RunEmbedding(int64_t rows, DType dtype, Random& random) {
  const int64_t width = 33;
  std::vector<double> indices;
  for (int64_t i = 0; i < rows; ++i) {
    indices.push_back(static_cast<double>(random.Integer(0, i % 2 == 0 ? 3 : 999)));
  }
  const DeviceTensor grad =
      Repeated({rows, width}, dtype, Scaled(random.Reals(kDrawn, -1, 1), Subnormal(dtype)));
  const DeviceTensor index({rows}, DType::kInt64, indices);
  const DeviceTensor out({1000, width}, dtype);
  const int code = RunCase(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnEmbeddingDenseBackwardGetWorkspaceSize(grad, index, 1000, 5, true, out, size,
                                                           executor);
      },
      &aclnnEmbeddingDenseBackward);
  Print("embedding " + std::to_string(rows), dtype, code, {&out});
}

void RunRoiAlign(int64_t regions, Random& random) {
  std::vector<double> boxes;
  for (int64_t k = 0; k < regions; ++k) {
    const double x = random.Real(0, 100);
    const double y = random.Real(0, 100);
    for (double value : {static_cast<double>(k % 2), x, y, x + 70.3, y + 90.7}) {
      boxes.push_back(value);
    }
  }
  const DeviceTensor grad =
      Repeated({regions, 16, 7, 7}, DType::kFloat32, Mixed(random, kDrawn, -2, 2, DType::kFloat32),
               ACL_FORMAT_NCHW);
  const DeviceTensor rois({regions, 5}, DType::kFloat32, boxes);
  const DeviceTensor out({2, 16, 50, 48}, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW});
  const IntArray shape({2, 16, 50, 48});
  const int code = RunCase(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnRoiAlignV2BackwardGetWorkspaceSize(grad, rois, shape, 7, 7, 0.25f, 0, true, out,
                                                       size, executor);
      },
      &aclnnRoiAlignV2Backward);
  Print("roi align " + std::to_string(regions), DType::kFloat32, code, {&out});
}

// `exponent` scales gradOutput and the operands, so that products of both are subnormal or not.
void RunConvolution(int64_t channels, int64_t extent, int64_t kernel, int exponent, DType dtype,
                    Random& random) {
  const std::vector<int64_t> images = {2, channels, extent, extent};
  const std::vector<int64_t> window = {channels, channels, kernel, kernel};
  const IntArray one(std::vector<int64_t>{1, 1});
  const IntArray padding(std::vector<int64_t>{kernel / 2, kernel / 2});
  const IntArray zero(std::vector<int64_t>{0, 0});
  const IntArray sizes(std::vector<int64_t>{channels});
  const BoolArray all{true, true, true};
  const auto drawn = [&](const std::vector<int64_t>& shape) {
    return Repeated(shape, dtype, Scaled(random.Reals(kDrawn, -1, 1), exponent), ACL_FORMAT_NCHW);
  };
  const DeviceTensor grad = drawn(images);
  const DeviceTensor input = drawn(images);
  const DeviceTensor weight = drawn(window);
  const DeviceTensor grad_input(images, dtype, {}, {.format = ACL_FORMAT_NCHW});
  const DeviceTensor grad_weight(window, dtype, {}, {.format = ACL_FORMAT_NCHW});
  const DeviceTensor grad_bias({channels}, dtype, {});
  const int code = RunCase(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnConvolutionBackwardGetWorkspaceSize(grad, input, weight, sizes, one, padding,
                                                        one, false, zero, 1, all, 0, grad_input,
                                                        grad_weight, grad_bias, size, executor);
      },
      &aclnnConvolutionBackward);
  Print("convolution " + std::to_string(channels) + " " + std::to_string(kernel) + " " +
            std::to_string(exponent),
        dtype, code, {&grad_input, &grad_weight, &grad_bias});
}

// The calls around those of an operator, and what the library computes on the caller's thread.
void RunOtherCalls() {
  void* memory = nullptr;
  char host[256] = {};
  aclrtEvent events[2] = {};
  float milliseconds = 0;
  const int codes[] = {
      Under("malloc",
            [&] { return aclrtMalloc(&memory, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST); }),
      Under("create event", [&] { return aclrtCreateEvent(&events[0]); }),
      Under("create event", [&] { return aclrtCreateEvent(&events[1]); }),
      Under("record event", [&] { return aclrtRecordEvent(events[0], stream); }),
      Under("memcpy",
            [&] {
              return aclrtMemcpy(memory, sizeof(host), host, sizeof(host),
                                 ACL_MEMCPY_HOST_TO_DEVICE);
            }),
      Under("memset", [&] { return aclrtMemsetAsync(memory, 256, 1, 256, stream); }),
      Under("record event", [&] { return aclrtRecordEvent(events[1], stream); }),
      Under("synchronize event", [&] { return aclrtSynchronizeEvent(events[1]); }),
      Under("elapsed time",
            [&] { return aclrtEventElapsedTime(&milliseconds, events[0], events[1]); }),
      Under("free", [&] { return aclrtFree(memory); }),
      Under("destroy event", [&] { return aclrtDestroyEvent(events[0]); }),
      Under("destroy event", [&] { return aclrtDestroyEvent(events[1]); }),
  };
  for (const int code : codes) std::printf("%d ", code);
  // A callback has a thread of ours. The first one leaves its thread in another state.
  for (int i = 0; i < 2; ++i) {
    static FloatState seen;
    const auto callback = [](void*) {
      seen = ReadFloatState();
      WriteFloatState(tested);
    };
    std::printf("%d ", Under("launch callback",
                             [&] { return aclrtLaunchHostFunc(stream, callback, nullptr); }));
    std::printf("%d ", Under("synchronize", [] { return aclrtSynchronizeStream(stream); }));
    if (!(WithoutFlags(seen) == FloatState{})) std::printf("a callback had another state\n");
  }
  uint64_t digest = 0;
  for (uint32_t first = 0; first < 0x10000; first += 256) {
    aclFloat16 halves[256];
    float singles[256];
    Under("to float16", [&] {
      for (uint32_t i = 0; i < 256; ++i) {
        float value;
        const uint32_t bits = (first + i) * 0x7FFFu;
        std::memcpy(&value, &bits, sizeof(value));
        halves[i] = aclFloatToFloat16(value);
      }
      return 0;
    });
    Under("to float", [&] {
      for (uint32_t i = 0; i < 256; ++i) {
        singles[i] = aclFloat16ToFloat(static_cast<aclFloat16>(first + i));
      }
      return 0;
    });
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t converted;
      std::memcpy(&converted, &singles[i], sizeof(converted));
      digest = (digest * 31 + halves[i]) * 31 + converted;
    }
  }
  std::printf("conversions %016llx\n", static_cast<unsigned long long>(digest));
}

void RunAll() {
  Random random(1);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    // Inside the synchronise, shared with a second thread, and on the engine's thread.
    for (const int64_t count : {1001, 60013, 400003}) RunElu(count, dtype, random);
    for (const int64_t rows : {5, 3001}) RunCrossEntropy(rows, 101, dtype, random);
    for (const int64_t rows : {30, 30011}) RunEmbedding(rows, dtype, random);
    for (const int exponent : {0, Small(dtype)}) {
      RunConvolution(3, 9, 3, exponent, dtype, random);
      RunConvolution(16, 20, 3, exponent, dtype, random);
      RunConvolution(64, 16, 1, exponent, dtype, random);
      RunConvolution(64, 16, 3, exponent, dtype, random);
    }
  }
  for (const int64_t regions : {2, 60}) RunRoiAlign(regions, random);
  RunOtherCalls();
}

}  // namespace
}  // namespace aclimb::testing

int main(int count, char** arguments) {
  using namespace aclimb::testing;
  const std::string name = count > 1 ? arguments[1] : "";
  bool known = name == "inherited";
  tested = ReadFloatState();
  for (const NamedFloatState& row : kFloatStates) {
    if (row.name != name) continue;
    tested = row.state;
    known = true;
  }
  if (!known) return 2;
  std::printf("%s\n", tested == FloatState{} ? "default" : "changed");
  WriteFloatState(FloatState{});
  if (Under("init", [] { return aclInit(nullptr); }) != 0 ||
      Under("set device", [] { return aclrtSetDevice(0); }) != 0 ||
      Under("create stream", [] { return aclrtCreateStream(&stream); }) != 0) {
    return 1;
  }
  RunAll();
  return 0;
}
