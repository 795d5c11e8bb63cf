// A backend that brings kernels of its own for some operators (kernels_plug_in.cc), by the public
// interface: they run in place of the host's.
#include <cstdlib>
#include <string>

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_nonzero.h"
#include "tests/runtime/support.h"
#include "tests/support/sleeper.h"

namespace {

using Phase1 = aclnnStatus (*)(const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
using Phase2 = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

class KernelsTest : public runtime_test::RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    EXPECT_ACL(aclrtMalloc(&memory_, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    const float values[] = {-1, 2, -3, 4};
    EXPECT_ACL(aclrtMemcpy(memory_, 4096, values, sizeof(values), ACL_MEMCPY_HOST_TO_DEVICE));
  }
  void TearDown() override {
    EXPECT_ACL(aclrtFree(memory_));
    RuntimeTest::TearDown();
  }
  void* At(size_t offset) const { return static_cast<char*>(memory_) + offset; }

  aclTensor* Tensor(size_t offset) const {
    const int64_t shape[] = {2, 2};
    return aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, At(offset));
  }
  // From the values at the start of the memory to those at 1024; the workspace is at 2048.
  int Run(Phase1 phase1, Phase2 phase2) {
    aclTensor* const tensors[] = {Tensor(0), Tensor(1024)};
    aclOpExecutor* executor = nullptr;
    int code = phase1(tensors[0], tensors[1], &workspace_size_, &executor);
    for (const aclTensor* tensor : tensors) EXPECT_EQ(aclDestroyTensor(tensor), 0);
    if (code == 0) code = phase2(At(2048), workspace_size_, executor, nullptr);
    return code != 0 ? code : aclrtSynchronizeStream(nullptr);
  }
  void ExpectResult(float first, float second) {
    float got[4] = {};
    EXPECT_ACL(aclrtMemcpy(got, sizeof(got), At(1024), sizeof(got), ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(got[0], first);
    EXPECT_EQ(got[1], second);
  }

  void* memory_ = nullptr;
  uint64_t workspace_size_ = 0;
};

bool HasOwnMemory() { return std::getenv("ACLIMB_TEST_OWN_MEMORY") != nullptr; }

TEST_F(KernelsTest, RunInPlaceOfTheHosts) {
  for (int again = 0; again < 2; ++again) {
    EXPECT_ACL(Run(aclnnAbsGetWorkspaceSize, aclnnAbs));
    EXPECT_GE(workspace_size_, 96u);
    ExpectResult(1001, 1002);
  }
}

TEST_F(KernelsTest, WhatTheOperatorDoesNotTouchNeedsNoMemory) {
  const int64_t shape[] = {2, 2};
  aclTensor* const self =
      aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, nullptr);
  aclTensor* const out = Tensor(1024);
  const float half = 0.5f;
  aclScalar* const prob = aclCreateScalar(const_cast<float*>(&half), ACL_FLOAT);
  aclOpExecutor* executor = nullptr;
  EXPECT_ACL(aclnnBernoulliGetWorkspaceSize(self, prob, 1, 0, out, &workspace_size_, &executor));
  EXPECT_ACL(aclnnBernoulli(At(2048), workspace_size_, executor, nullptr));
  EXPECT_ACL(aclrtSynchronizeStream(nullptr));
  ExpectResult(1001, 0);
  EXPECT_EQ(aclDestroyTensor(self), 0);
  EXPECT_EQ(aclDestroyTensor(out), 0);
  EXPECT_EQ(aclDestroyScalar(prob), 0);
}

TEST_F(KernelsTest, TheHostComputesWhatTheDeviceCannot) {
  if (HasOwnMemory()) GTEST_SKIP() << "the host does not see the memory";
  EXPECT_ACL(Run(aclnnNegGetWorkspaceSize, aclnnNeg));
  EXPECT_EQ(workspace_size_, 0u);
  ExpectResult(1, -2);
}

TEST_F(KernelsTest, TheHostTellsAShapeThatDependsOnTheData) {
  if (HasOwnMemory()) GTEST_SKIP() << "the host does not see the memory";
  const float values[] = {0, 2, 0, 4};
  EXPECT_ACL(aclrtMemcpy(memory_, 4096, values, sizeof(values), ACL_MEMCPY_HOST_TO_DEVICE));
  const int64_t shape[] = {4, 2};
  aclTensor* const self = Tensor(0);
  aclTensor* const out =
      aclCreateTensor(shape, 2, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, shape, 2, At(1024));
  aclOpExecutor* executor = nullptr;
  EXPECT_ACL(aclnnNonzeroGetWorkspaceSize(self, out, &workspace_size_, &executor));
  EXPECT_ACL(aclnnNonzero(At(2048), workspace_size_, executor, nullptr));
  EXPECT_ACL(aclrtSynchronizeStream(nullptr));
  int64_t* found = nullptr;
  uint64_t rank = 0;
  EXPECT_ACL(aclGetViewShape(out, &found, &rank));
  ASSERT_EQ(rank, 2u);
  EXPECT_EQ(found[0], 2);
  delete[] found;
  int64_t places[4] = {};
  EXPECT_ACL(
      aclrtMemcpy(places, sizeof(places), At(1024), sizeof(places), ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(places[1], 1);
  EXPECT_EQ(places[2], 1);
  EXPECT_EQ(aclDestroyTensor(self), 0);
  EXPECT_EQ(aclDestroyTensor(out), 0);
}

TEST_F(KernelsTest, WithoutAKernelOwnMemoryIsRefused) {
  if (!HasOwnMemory()) GTEST_SKIP() << "the host sees the memory";
  EXPECT_EQ(Run(aclnnNegGetWorkspaceSize, aclnnNeg), 361001);
  const std::string message = aclGetRecentErrMsg();
  EXPECT_NE(message.find("no kernel for aclnnNeg"), std::string::npos) << message;
  EXPECT_NE(message.find("phase2/no-device-kernel"), std::string::npos) << message;
}

TEST_F(KernelsTest, AFailureIsTheTasks) {
  EXPECT_EQ(Run(aclnnExpGetWorkspaceSize, aclnnExp), 507015);
}

TEST_F(KernelsTest, AKernelThatCannotBeMadeIsRefused) {
  EXPECT_EQ(Run(aclnnLogGetWorkspaceSize, aclnnLog), 361001);
  const std::string message = aclGetRecentErrMsg();
  EXPECT_NE(message.find("with_kernels answered 507899"), std::string::npos) << message;
  EXPECT_NE(message.find("phase1/device-kernel"), std::string::npos) << message;
}

// Work that ends as the time does is late or done; it has not failed.
TEST_F(KernelsTest, ATimeoutAtTheEndOfTheWorkIsNoFailure) {
  aclrtEvent event = nullptr;
  ASSERT_ACL(aclrtCreateEvent(&event));
  runtime_test::Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtRecordEvent(event, stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "is not complete after 1 ms",
                 aclrtSynchronizeEventWithTimeout, event, 1);
  setenv("ACLIMB_TEST_LATE", "1", 1);
  aclimb::testing::Sleeper in_wait;
  std::thread opener([&] {
    EXPECT_TRUE(in_wait.Sleeps());
    gate.Open();
  });
  in_wait.Begins();
  EXPECT_ACL(aclrtSynchronizeEventWithTimeout(event, 1));
  opener.join();
  unsetenv("ACLIMB_TEST_LATE");
  ASSERT_ACL(aclrtDestroyEvent(event));
}

}  // namespace
