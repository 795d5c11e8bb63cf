// What a trace, or a recording, costs: aclnnEluBackward of 16 and of a million elements by one
// thread, both phases and a synchronise, without and with ACLIMB_TRACE or ACLIMB_RECORD. Prints
// medians; docs/trace.md and docs/record.md have them.
//
//   trace_overhead [record]  builds on demand, as `cmake --build build --target trace_overhead`

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace {

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Microseconds of one call, the median of `calls`; below 0 when one fails.
double TimeOf(int64_t count, int calls) {
  aclrtStream stream = nullptr;
  void* memory[3] = {};
  aclTensor* tensor[3] = {};
  const size_t bytes = static_cast<size_t>(count) * sizeof(float);
  int failed = aclrtCreateStream(&stream);
  for (int i = 0; i < 3; ++i) {
    failed |= aclrtMalloc(&memory[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    failed |= aclrtMemset(memory[i], bytes, 0, bytes);
    const int64_t stride = 1;
    tensor[i] =
        aclCreateTensor(&count, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &count, 1, memory[i]);
  }
  float one_value = 1;
  aclScalar* one = aclCreateScalar(&one_value, ACL_FLOAT);
  std::vector<double> times;
  for (int i = -calls / 10; i < calls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    failed |= aclnnEluBackwardGetWorkspaceSize(tensor[0], one, one, one, false, tensor[1],
                                               tensor[2], &size, &executor);
    failed |= aclnnEluBackward(nullptr, size, executor, stream);
    failed |= aclrtSynchronizeStream(stream);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (i >= 0) times.push_back(took.count());
  }
  for (int i = 0; i < 3; ++i) failed |= aclDestroyTensor(tensor[i]) | aclrtFree(memory[i]);
  failed |= aclDestroyScalar(one) | aclrtDestroyStream(stream);
  return failed != 0 ? -1 : Median(times);
}

int Part(int tiny_calls, int large_calls) {
  if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0) return 1;
  const double tiny = TimeOf(16, tiny_calls);
  const double large = TimeOf(1 << 20, large_calls);
  if (tiny < 0 || large < 0) return 1;
  std::printf("%.3f %.3f\n", tiny, large);
  return aclrtResetDevice(0) != 0 || aclFinalize() != 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--part") == 0) return Part(5000, 500);
  // Each writes four files, and 12 MiB.
  if (argc == 2 && std::strcmp(argv[1], "--record-part") == 0) return Part(200, 10);
  const bool record = argc == 2 && std::strcmp(argv[1], "record") == 0;
  const int rounds = record ? 3 : 7;
  const std::string path = "/tmp/aclimb-overhead-" + std::to_string(getpid());
  std::vector<double> times[2][2];
  for (int round = 0; round < 2 * rounds; ++round) {
    const int on = round % 2;
    const std::string command = std::string("ACLIMB_THREADS=1 ACLIMB_") +
                                (record ? "RECORD=" : "TRACE=") + (on ? path : "") + " " + argv[0] +
                                (record ? " --record-part" : " --part");
    FILE* part = popen(command.c_str(), "r");
    double tiny = 0;
    double large = 0;
    const bool read = part != nullptr && std::fscanf(part, "%lf %lf", &tiny, &large) == 2;
    if (part == nullptr || pclose(part) != 0 || !read) {
      std::fprintf(stderr, "%s fails\n", command.c_str());
      return 1;
    }
    std::filesystem::remove_all(path);
    times[on][0].push_back(tiny);
    times[on][1].push_back(large);
  }
  std::printf("aclnnEluBackward   off         on\n");
  for (int i = 0; i < 2; ++i) {
    std::printf("%-18s %-8.2f us %-8.2f us\n", i == 0 ? "16 elements" : "1 Mi elements",
                Median(times[0][i]), Median(times[1][i]));
  }
  return 0;
}
