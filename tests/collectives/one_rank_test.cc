// What one rank shows alone.

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace {

// The thread of a communicator has none.
std::atomic<bool> no_memory{false};

}  // namespace

// The compiler sees that the other one frees what malloc returned.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t bytes) {
  char name[16] = "";
  if (no_memory) pthread_getname_np(pthread_self(), name, sizeof(name));
  void* const memory = std::strcmp(name, "hccl_worker") == 0 ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace {

class OneRank : public testing::Test {
 protected:
  void SetUp() override {
    int32_t device = 0;
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(HcclCommInitAll(1, &device, &comm_), HCCL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&memory_, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    EXPECT_EQ(aclrtFree(memory_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  }

  HcclComm comm_ = nullptr;
  aclrtStream stream_ = nullptr;
  void* memory_ = nullptr;
};

// A call takes as long behind thousands of others as behind none.
TEST_F(OneRank, QueuesManyCalls) {
  constexpr size_t kCalls = 20000, kPart = kCalls / 10;
  const auto median = [](auto begin, auto end) {
    std::nth_element(begin, begin + (end - begin) / 2, end);
    return *(begin + (end - begin) / 2);
  };
  std::chrono::nanoseconds first(0), last(0);
  // Others may have the cores while the last calls are made.
  for (int attempt = 0; attempt < 3 && last >= 4 * first; ++attempt) {
    std::atomic<bool> begins{false};
    ASSERT_EQ(aclrtLaunchHostFunc(
                  stream_,
                  [](void* flag) {
                    while (!*static_cast<std::atomic<bool>*>(flag)) {
                      std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    }
                  },
                  &begins),
              ACL_SUCCESS);
    std::vector<std::chrono::nanoseconds> times;
    for (size_t i = 0; i < kCalls; ++i) {
      const auto start = std::chrono::steady_clock::now();
      ASSERT_EQ(
          HcclAllReduce(memory_, memory_, 4, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm_, stream_),
          HCCL_SUCCESS);
      times.push_back(std::chrono::steady_clock::now() - start);
    }
    begins = true;
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    first = median(times.begin(), times.begin() + kPart);
    last = median(times.end() - kPart, times.end());
  }
  EXPECT_LT(last, 4 * first);
}

// The reason is told, though nothing can be made to tell it.
TEST_F(OneRank, FailsWithoutMemory) {
  no_memory = true;
  ASSERT_EQ(
      HcclAllReduce(memory_, memory_, 4, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm_, stream_),
      HCCL_SUCCESS);
  HcclResult error = HCCL_SUCCESS;
  while (error == HCCL_SUCCESS) {
    std::this_thread::yield();
    ASSERT_EQ(HcclGetCommAsyncError(comm_, &error), HCCL_SUCCESS);
  }
  no_memory = false;
  EXPECT_EQ(error, HCCL_E_MEMORY);
  EXPECT_NE(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

// Who is a member has a list.
TEST_F(OneRank, AGroupWithoutAListIsRefused) {
  constexpr uint32_t kNotMember = 0xFFFFFFFF;
  HcclComm sub = nullptr;
  EXPECT_EQ(HcclCreateSubCommConfig(&comm_, 1, nullptr, 7, 0, nullptr, &sub), HCCL_E_PTR);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("rankIds"), std::string::npos);
  EXPECT_EQ(HcclCreateSubCommConfig(&comm_, 1, nullptr, 7, kNotMember, nullptr, &sub),
            HCCL_SUCCESS);
  EXPECT_EQ(HcclCreateSubCommConfig(&comm_, 0, nullptr, 7, 0, nullptr, &sub), HCCL_SUCCESS);
  EXPECT_EQ(sub, nullptr);
}

}  // namespace
