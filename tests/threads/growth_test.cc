// Nothing grows: resident memory after many calls is what it was after the warm-up.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "aclimb/core/sanitized.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "tests/support/device.h"

namespace aclimb::testing {
namespace {

int64_t ResidentBytes() {
  long pages = 0;
  long resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = -1;
  if (file != nullptr) std::fclose(file);
  return static_cast<int64_t>(resident) * sysconf(_SC_PAGESIZE);
}

// Everything a program makes and destroys around one call.
void OneCall(int64_t count, void* memory, aclrtStream stream) {
  const Scalar one(1.0f);
  const int64_t stride = 1;
  const auto make = [&] {
    return aclCreateTensor(&count, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &count, 1, memory);
  };
  aclTensor* grad = make();
  aclTensor* self = make();
  aclTensor* out = make();
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(
      aclnnEluBackwardGetWorkspaceSize(grad, one, one, one, false, self, out, &size, &executor), 0);
  ASSERT_EQ(aclnnEluBackward(nullptr, 0, executor, stream), 0);
  ASSERT_EQ(aclDestroyTensor(grad), 0);
  ASSERT_EQ(aclDestroyTensor(self), 0);
  ASSERT_EQ(aclDestroyTensor(out), 0);
}

TEST(Growth, AHundredThousandCallsKeepResidentMemory) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  ACLIMB_ASSERT_OK(aclrtCreateStream(&stream));
  void* memory = nullptr;
  ACLIMB_ASSERT_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
  const int calls = kSanitized ? 10000 : 100000;
  const auto round = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      OneCall(i % 1000 + 1, memory, stream);
      if (i % 100 == 0) {
        ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
      }
      if (i % 1000 == 0) {
        // Failures leave messages; those must not pile up either.
        uint64_t size;
        aclOpExecutor* executor;
        ASSERT_EQ(aclnnEluBackwardGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, false,
                                                   nullptr, nullptr, &size, &executor),
                  161001);
        void* extra = nullptr;
        ASSERT_EQ(aclrtMalloc(&extra, 1 << 16, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        ASSERT_EQ(aclrtFree(extra), 0);
        aclrtEvent event = nullptr;
        ASSERT_EQ(aclrtCreateEvent(&event), 0);
        ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
        ASSERT_EQ(aclrtDestroyEvent(event), 0);
      }
    }
    ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  };
  round(0, calls / 10);
  const int64_t before = ResidentBytes();
  round(0, calls);
  const int64_t after = ResidentBytes();
  // The sanitizers keep freed memory and shadow of their own.
  if (!kSanitized) {
    EXPECT_LT(after - before, int64_t{1} << 20) << before << " -> " << after;
  }
  ACLIMB_ASSERT_OK(aclrtFree(memory));
  ACLIMB_ASSERT_OK(aclrtDestroyStream(stream));
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

}  // namespace
}  // namespace aclimb::testing
