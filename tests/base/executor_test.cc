// Executors and phase 2: one run, repeated runs, new addresses, and every refusal.

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

namespace aclimb::testing {
namespace {

// gradInput = 2 * gradOutput for positive inputs: one glance tells which buffers were used.
class ExecutorTest : public DeviceTest {
 protected:
  aclOpExecutor* Phase1(const DeviceTensor& grad, const DeviceTensor& self,
                        const DeviceTensor& out) {
    const Scalar one(1.0f);
    const Scalar two(2.0f);
    uint64_t size = 99;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(
        aclnnEluBackwardGetWorkspaceSize(grad, one, two, one, false, self, out, &size, &executor),
        0)
        << aclGetRecentErrMsg();
    EXPECT_EQ(size, 0u);
    return executor;
  }
  void ExpectText(const char* part) {
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  void SetUp() override {
    DeviceTest::SetUp();
    grad_ = std::make_unique<DeviceTensor>(std::vector<int64_t>{3}, DType::kFloat32, kGrad);
    self_ = std::make_unique<DeviceTensor>(std::vector<int64_t>{3}, DType::kFloat32,
                                           std::vector<double>(3, 1.0));
    out_ = std::make_unique<DeviceTensor>(std::vector<int64_t>{3}, DType::kFloat32);
  }
  void TearDown() override {
    grad_.reset();
    self_.reset();
    out_.reset();
    DeviceTest::TearDown();
  }
  const std::vector<double> kGrad = {1, 2, 3};
  const std::vector<double> kDoubled = {2, 4, 6};
  std::unique_ptr<DeviceTensor> grad_, self_, out_;
};

TEST_F(ExecutorTest, RunsOnce) {
  aclOpExecutor* executor = Phase1(*grad_, *self_, *out_);
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out_->Values(), kDoubled, {}));
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, executor, stream_), 561103);
  ExpectText("consumed");
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), 561103);
  EXPECT_EQ(aclSetInputTensorAddr(executor, 0, *grad_, grad_->data()), 561103);
}

// Phase 1 remembers equal calls: what a program then does to an executor is that one's alone.
TEST_F(ExecutorTest, AnEqualCallMakesItsOwnExecutor) {
  const DeviceTensor other({3}, DType::kFloat32, {10, 20, 30});
  aclOpExecutor* first = Phase1(*grad_, *self_, *out_);
  ACLIMB_ASSERT_OK(aclSetAclOpExecutorRepeatable(first));
  ACLIMB_ASSERT_OK(aclSetInputTensorAddr(first, 0, *grad_, other.data()));
  aclOpExecutor* second = Phase1(*grad_, *self_, *out_);
  EXPECT_NE(second, first);
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, second, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out_->Values(), kDoubled, {}));
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, second, stream_), 561103);
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, first, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out_->Values(), {20, 40, 60}, {}));
  EXPECT_EQ(aclDestroyAclOpExecutor(first), 0);
}

// An aclTensor that was changed is another argument, and a refusal is no answer to remember.
TEST_F(ExecutorTest, WhatChangedIsCheckedAgain) {
  const int64_t shape[] = {3};
  const auto set = [&](aclDataType dtype) {
    ACLIMB_ASSERT_OK(
        aclInitTensor(*out_, shape, 1, dtype, nullptr, 0, ACL_FORMAT_ND, shape, 1, out_->data()));
  };
  const Scalar one(1.0f), two(2.0f);
  uint64_t size = 0;
  for (int i = 0; i < 3; ++i) {
    aclOpExecutor* executor = nullptr;
    set(ACL_FLOAT);
    EXPECT_EQ(aclDestroyAclOpExecutor(Phase1(*grad_, *self_, *out_)), 0);
    set(ACL_COMPLEX64);
    EXPECT_EQ(aclnnEluBackwardGetWorkspaceSize(*grad_, one, two, one, false, *self_, *out_, &size,
                                               &executor),
              161002);
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(
        text.find("gradInput.dtype is COMPLEX64; expected FLOAT, FLOAT16, DOUBLE or BFLOAT16 on "),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("fix: compute with the real and the imaginary part"), std::string::npos)
        << text;
    EXPECT_EQ(executor, nullptr);
  }
  set(ACL_FLOAT);
}

TEST_F(ExecutorTest, WhatChangedIsPlannedAgain) {
  const DeviceTensor grad({5}, DType::kFloat32, {1, 2, 3, 4, 5});
  const int64_t shape[] = {3};
  const int64_t storage[] = {5};
  const auto run = [&](int64_t stride, int64_t offset, const std::vector<double>& wanted) {
    ACLIMB_ASSERT_OK(aclInitTensor(grad, shape, 1, ACL_FLOAT, &stride, offset, ACL_FORMAT_ND,
                                   storage, 1, grad.data()));
    ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, Phase1(grad, *self_, *out_), stream_));
    ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_TRUE(Near(out_->Values(), wanted, {})) << stride << " " << offset;
  };
  for (int i = 0; i < 2; ++i) {
    run(1, 0, {2, 4, 6});
    run(1, 2, {6, 8, 10});
    run(2, 0, {2, 6, 10});
    run(0, 4, {10, 10, 10});
  }
  // Another shape no longer fits the other tensors.
  ACLIMB_ASSERT_OK(aclInitTensor(grad, storage, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 1,
                                 grad.data()));
  const Scalar one(1.0f), two(2.0f);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(
      aclnnEluBackwardGetWorkspaceSize(grad, one, two, one, false, *self_, *out_, &size, &executor),
      161002);
}

TEST_F(ExecutorTest, NullAndForeignExecutors) {
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, nullptr, stream_), 161001);
  ExpectText("executor is null");
  EXPECT_EQ(aclDestroyAclOpExecutor(nullptr), 561103);
  // Never given out: an address, and a number in the form of a handle.
  EXPECT_EQ(aclDestroyAclOpExecutor(reinterpret_cast<aclOpExecutor*>(this)), 561103);
  ExpectText("never given out");
  EXPECT_EQ(aclDestroyAclOpExecutor(reinterpret_cast<aclOpExecutor*>(this)), 561103);
  ExpectText("pass what the call that creates it gave");
  EXPECT_EQ(aclDestroyAclOpExecutor(reinterpret_cast<aclOpExecutor*>(0x0ACFFFF123456780)), 561103);
  ExpectText("executor is 0xacffff123456780");
  // Another kind of object, which stays alive.
  aclTensor* tensor = *grad_;
  EXPECT_EQ(aclDestroyAclOpExecutor(reinterpret_cast<aclOpExecutor*>(tensor)), 561103);
  ExpectText("it is a live aclTensor");
  EXPECT_EQ(aclDestroyAclOpExecutor(reinterpret_cast<aclOpExecutor*>(tensor)), 561103);
  ExpectText("check the order of the arguments");
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), 561103);
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, reinterpret_cast<aclOpExecutor*>(this), stream_), 561103);
  aclOpExecutor* executor = Phase1(*grad_, *self_, *out_);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(nullptr, 0, executor, stream_), 161002);
  ExpectText("aclnnEluBackwardGetWorkspaceSize");
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, executor, stream_), 561103);
}

TEST_F(ExecutorTest, DestroyedBeforeItsRun) {
  aclOpExecutor* executor = Phase1(*grad_, *self_, *out_);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, executor, stream_), 561103);
}

TEST_F(ExecutorTest, RepeatableWithNewAddresses) {
  aclOpExecutor* executor = Phase1(*grad_, *self_, *out_);
  ACLIMB_ASSERT_OK(aclSetAclOpExecutorRepeatable(executor));
  for (int i = 0; i < 3; ++i) {
    out_->Poison();
    ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, executor, stream_));
    ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_TRUE(Near(out_->Values(), kDoubled, {}));
  }
  const DeviceTensor other_grad({3}, DType::kFloat32, {10, 20, 30});
  const DeviceTensor other_out({3}, DType::kFloat32);
  // Inputs: gradOutput, selfOrResult. Outputs: gradInput. All: inputs, then outputs.
  ACLIMB_ASSERT_OK(aclSetInputTensorAddr(executor, 0, *grad_, other_grad.data()));
  ACLIMB_ASSERT_OK(aclSetOutputTensorAddr(executor, 0, *out_, other_out.data()));
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(other_out.Values(), {20, 40, 60}, {}));
  ACLIMB_ASSERT_OK(aclSetTensorAddr(executor, 0, *grad_, grad_->data()));
  ACLIMB_ASSERT_OK(AclSetTensorAddr(executor, 2, *out_, out_->data()));
  out_->Poison();
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out_->Values(), kDoubled, {}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, executor, stream_), 561103);
}

TEST_F(ExecutorTest, SettersCheckTheirArguments) {
  aclOpExecutor* executor = Phase1(*grad_, *self_, *out_);
  EXPECT_EQ(aclSetInputTensorAddr(nullptr, 0, *grad_, nullptr), 561103);
  EXPECT_EQ(aclSetInputTensorAddr(executor, 0, nullptr, nullptr), 561103);
  EXPECT_EQ(aclSetInputTensorAddr(executor, 2, *grad_, nullptr), 161002);
  EXPECT_EQ(aclSetOutputTensorAddr(executor, 1, *out_, nullptr), 161002);
  EXPECT_EQ(aclSetTensorAddr(executor, 3, *out_, nullptr), 161002);
  EXPECT_EQ(aclSetInputTensorAddr(executor, 0, *self_, nullptr), 161002);
  ExpectText("gradOutput");
  EXPECT_EQ(aclSetDynamicInputTensorAddr(executor, 0, 0, nullptr, nullptr), 561103);
  aclTensorList* list = aclCreateTensorList(nullptr, 0);
  EXPECT_EQ(aclSetDynamicInputTensorAddr(executor, 0, 0, list, nullptr), 161002);
  EXPECT_EQ(aclSetDynamicOutputTensorAddr(executor, 0, 0, list, nullptr), 161002);
  EXPECT_EQ(aclSetDynamicTensorAddr(executor, 0, 0, list, nullptr), 161002);
  EXPECT_EQ(AclSetDynamicInputTensorAddr(executor, 0, 0, list, nullptr), 161002);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST_F(ExecutorTest, AddressesAreTakenInPhaseOne) {
  aclOpExecutor* executor = Phase1(*grad_, *self_, *out_);
  // Too late: phase 1 copied the address.
  ACLIMB_ASSERT_OK(aclSetRawTensorAddr(*out_, nullptr));
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out_->Values(), kDoubled, {}));
}

TEST_F(ExecutorTest, DataIsCheckedInPhaseTwo) {
  const int64_t three = 3;
  float host[3] = {1, 2, 3};
  const auto run = [&](void* address, int64_t offset) {
    aclTensor* tensor =
        aclCreateTensor(&three, 1, ACL_FLOAT, nullptr, offset, ACL_FORMAT_ND, &three, 1, address);
    const Scalar one(1.0f);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnEluBackwardGetWorkspaceSize(tensor, one, one, one, false, *self_, *out_, &size,
                                               &executor),
              0);
    const int code = aclnnEluBackward(nullptr, 0, executor, stream_);
    EXPECT_EQ(aclDestroyTensor(tensor), 0);
    // Consumed by failure too.
    EXPECT_EQ(aclnnEluBackward(nullptr, 0, executor, stream_), 561103);
    return code;
  };
  out_->Poison();
  EXPECT_EQ(run(nullptr, 0), 161001);
  EXPECT_EQ(run(host, 0), 161002);
  EXPECT_EQ(run(reinterpret_cast<void*>(uintptr_t{4096}), 0), 161002);
  void* small = nullptr;
  ACLIMB_ASSERT_OK(aclrtMalloc(&small, 12, ACL_MEM_MALLOC_HUGE_FIRST));
  (void)aclGetRecentErrMsg();
  EXPECT_EQ(run(small, 0), 0) << aclGetRecentErrMsg();
  // 12 bytes are usable to round_up(12, 32) + 32 = 64 bytes: offset 13 still fits, 14 does not.
  EXPECT_EQ(run(small, 13), 0) << aclGetRecentErrMsg();
  EXPECT_EQ(run(small, 14), 161002);
  ExpectText("gradOutput ends 68 bytes into the allocation");
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  ACLIMB_ASSERT_OK(aclrtFree(small));
  EXPECT_EQ(run(small, 0), 161002);
}

TEST_F(ExecutorTest, StreamsAreCheckedLast) {
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, Phase1(*grad_, *self_, *out_), this), 361001);
  ExpectText("107017");
  aclrtStream gone = nullptr;
  ACLIMB_ASSERT_OK(aclrtCreateStream(&gone));
  ACLIMB_ASSERT_OK(aclrtDestroyStream(gone));
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, Phase1(*grad_, *self_, *out_), gone), 361001);
  (void)aclGetRecentErrMsg();
  // A fresh thread has no context.
  std::thread([&] {
    EXPECT_EQ(aclnnEluBackward(nullptr, 0, Phase1(*grad_, *self_, *out_), nullptr), 361001);
    ExpectText("107002");
  }).join();
}

TEST_F(ExecutorTest, AStreamOfAnotherContextIsRefused) {
  aclrtContext mine = nullptr;
  ACLIMB_ASSERT_OK(aclrtGetCurrentContext(&mine));
  aclrtContext other = nullptr;
  ACLIMB_ASSERT_OK(aclrtCreateContext(&other, 0));
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, Phase1(*grad_, *self_, *out_), stream_), 361001);
  ExpectText("107003");
  ACLIMB_ASSERT_OK(aclrtDestroyContext(other));
  ACLIMB_ASSERT_OK(aclrtSetCurrentContext(mine));
}

TEST_F(ExecutorTest, TheNullStreamIsTheDefaultStream) {
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, Phase1(*grad_, *self_, *out_), nullptr));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_TRUE(Near(out_->Values(), kDoubled, {}));
}

// An operator with a workspace: embedding sorts its indices there.
class WorkspaceTest : public DeviceTest {
 protected:
  aclOpExecutor* Phase1(uint64_t* size) {
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnEmbeddingDenseBackwardGetWorkspaceSize(*grad_, *indices_, 4, 0, false, *out_,
                                                          size, &executor),
              0)
        << aclGetRecentErrMsg();
    EXPECT_GT(*size, 0u);
    return executor;
  }
  void SetUp() override {
    DeviceTest::SetUp();
    grad_ = std::make_unique<DeviceTensor>(std::vector<int64_t>{2, 3}, DType::kFloat32,
                                           std::vector<double>{1, 2, 3, 4, 5, 6});
    indices_ = std::make_unique<DeviceTensor>(std::vector<int64_t>{2}, DType::kInt64,
                                              std::vector<double>{1, 2});
    out_ = std::make_unique<DeviceTensor>(std::vector<int64_t>{4, 3}, DType::kFloat32);
  }
  void TearDown() override {
    grad_.reset();
    indices_.reset();
    out_.reset();
    DeviceTest::TearDown();
  }
  const std::vector<double> kExpected = {0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0};
  std::unique_ptr<DeviceTensor> grad_, indices_, out_;
};

TEST_F(WorkspaceTest, NullSmallHostAndFreedWorkspacesAreRefusedAndNothingRuns) {
  uint64_t size = 0;
  const std::vector<unsigned char> before = out_->Bytes();
  aclOpExecutor* executor = Phase1(&size);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(nullptr, size, executor, stream_), 161001);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(nullptr, 0, Phase1(&size), stream_), 161002);
  Workspace workspace(size);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(workspace.get(), size - 1, Phase1(&size), stream_), 161002);
  std::string text = aclGetRecentErrMsg();
  EXPECT_NE(text.find("fix: pass device memory of the size that phase 1 returned\n"), text.npos)
      << text;
  std::vector<char> host(size);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(host.data(), size, Phase1(&size), stream_), 161002);
  text = aclGetRecentErrMsg();
  EXPECT_NE(text.find(", which is host memory; expected memory from aclrtMalloc"), text.npos)
      << text;
  EXPECT_NE(text.find("fix: allocate device memory with aclrtMalloc, and copy"), text.npos) << text;
  void* freed = nullptr;
  ACLIMB_ASSERT_OK(aclrtMalloc(&freed, size, ACL_MEM_MALLOC_HUGE_FIRST));
  ACLIMB_ASSERT_OK(aclrtFree(freed));
  EXPECT_EQ(aclnnEmbeddingDenseBackward(freed, size, Phase1(&size), stream_), 161002);
  text = aclGetRecentErrMsg();
  EXPECT_NE(text.find("workspace starts at 0x"), text.npos) << text;
  EXPECT_NE(text.find(", which is the allocation of "), text.npos) << text;
  EXPECT_NE(text.find(" that was freed; expected"), text.npos) << text;
  EXPECT_NE(text.find("fix: free the memory only after the synchronise"), text.npos) << text;
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(out_->Bytes(), before);
}

// Null data comes before addresses, the workspace's size before both.
TEST_F(WorkspaceTest, ChecksComeInTheOrderOfTheInterface) {
  const int64_t two = 2;
  int64_t host[2] = {1, 2};
  const auto run = [&](void* indices_data, void* workspace, uint64_t offered_less) {
    aclTensor* indices =
        aclCreateTensor(&two, 1, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, &two, 1, indices_data);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnEmbeddingDenseBackwardGetWorkspaceSize(*grad_, indices, 4, 0, false, *out_,
                                                          &size, &executor),
              0);
    EXPECT_EQ(aclDestroyTensor(indices), 0);
    return aclnnEmbeddingDenseBackward(workspace, size - offered_less, executor, stream_);
  };
  std::vector<char> host_workspace(1 << 16);
  EXPECT_EQ(run(nullptr, host_workspace.data(), 0), 161001);
  EXPECT_EQ(run(nullptr, host_workspace.data(), 1), 161002);
  EXPECT_EQ(run(host, host_workspace.data(), 0), 161002);
}

TEST_F(WorkspaceTest, LargerUnalignedAndDirtyWorkspacesWork) {
  uint64_t size = 0;
  aclOpExecutor* executor = Phase1(&size);
  Workspace workspace(size + 4096);
  ACLIMB_ASSERT_OK(aclrtMemset(workspace.get(), size + 4096, 0xFF, size + 4096));
  for (int shift : {0, 1, 33}) {
    if (executor == nullptr) executor = Phase1(&size);
    out_->Poison();
    ACLIMB_ASSERT_OK(aclnnEmbeddingDenseBackward(static_cast<char*>(workspace.get()) + shift,
                                                 size + 100, executor, stream_));
    executor = nullptr;
    ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_TRUE(Near(out_->Values(), kExpected, {}));
    EXPECT_TRUE(out_->SurroundingsIntact());
  }
}

}  // namespace
}  // namespace aclimb::testing
