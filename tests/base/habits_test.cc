// What real callers do: each habit is a test.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

namespace aclimb::testing {
namespace {

using Values = std::vector<double>;

// Holds a stream until Open is called.
class Gate {
 public:
  void Close(aclrtStream stream) {
    ACLIMB_EXPECT_OK(aclrtLaunchHostFunc(stream, &Gate::Wait, this));
  }
  void Open() { open_ = true; }

 private:
  static void Wait(void* self) {
    while (!static_cast<Gate*>(self)->open_) std::this_thread::yield();
  }
  std::atomic<bool> open_{false};
};

class Habits : public DeviceTest {
 protected:
  aclOpExecutor* Doubling(aclTensor* grad, aclTensor* self, aclTensor* out) {
    float one = 1;
    float two = 2;
    aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
    aclScalar* scale = aclCreateScalar(&two, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnEluBackwardGetWorkspaceSize(grad, alpha, scale, alpha, false, self, out, &size,
                                               &executor),
              0)
        << aclGetRecentErrMsg();
    // Scalars may go as soon as phase 1 has returned.
    EXPECT_EQ(aclDestroyScalar(alpha), 0);
    EXPECT_EQ(aclDestroyScalar(scale), 0);
    return executor;
  }
};

TEST_F(Habits, DescriptorsDieRightAfterPhaseTwoWhileTheStreamIsBlocked) {
  DeviceTensor grad({2}, DType::kFloat32, {1, 2});
  DeviceTensor self({2}, DType::kFloat32, {1, 1});
  DeviceTensor out({2}, DType::kFloat32);
  Gate gate;
  gate.Close(stream_);
  aclOpExecutor* executor = Doubling(grad, self, out);
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, executor, stream_));
  grad.DestroyDescriptor();
  self.DestroyDescriptor();
  out.DestroyDescriptor();
  gate.Open();
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out.Values(), {2, 4}, {}));
}

TEST_F(Habits, TheWorkspaceIsReusedByTheNextOperatorOfTheStream) {
  const DeviceTensor grad({2, 3}, DType::kFloat32, {1, 2, 3, 4, 5, 6});
  const DeviceTensor first_indices({2}, DType::kInt64, {1, 2});
  const DeviceTensor second_indices({2}, DType::kInt32, {3, 0});
  const DeviceTensor first({4, 3}, DType::kFloat32);
  const DeviceTensor second({4, 3}, DType::kFloat32);
  const auto phase1 = [&](const DeviceTensor& indices, const DeviceTensor& out, uint64_t* size) {
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(
        aclnnEmbeddingDenseBackwardGetWorkspaceSize(
            grad, indices, 4, static_cast<uint64_t>(int64_t{-1}), false, out, size, &executor),
        0);
    return executor;
  };
  uint64_t size_a = 0;
  uint64_t size_b = 0;
  aclOpExecutor* a = phase1(first_indices, first, &size_a);
  aclOpExecutor* b = phase1(second_indices, second, &size_b);
  const Workspace workspace(std::max(size_a, size_b));
  Gate gate;
  gate.Close(stream_);
  ACLIMB_ASSERT_OK(aclnnEmbeddingDenseBackward(workspace.get(), size_a, a, stream_));
  ACLIMB_ASSERT_OK(aclnnEmbeddingDenseBackward(workspace.get(), size_b, b, stream_));
  gate.Open();
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(first.Values(), {0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0}, {}));
  EXPECT_TRUE(Near(second.Values(), {4, 5, 6, 0, 0, 0, 0, 0, 0, 1, 2, 3}, {}));
}

TEST_F(Habits, MemoryFreedRightAfterEnqueueIsStillReadByQueuedWork) {
  auto grad =
      std::make_unique<DeviceTensor>(std::vector<int64_t>{2}, DType::kFloat32, Values{1, 2});
  const DeviceTensor self({2}, DType::kFloat32, {1, 1});
  const DeviceTensor out({2}, DType::kFloat32);
  Gate gate;
  gate.Close(stream_);
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, Doubling(*grad, self, out), stream_));
  grad.reset();
  // A new allocation of the same size must not land on memory that queued work will read.
  const DeviceTensor other({2}, DType::kFloat32, {100, 200});
  gate.Open();
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out.Values(), {2, 4}, {}));
}

TEST_F(Habits, PhaseTwoOnAnotherThread) {
  const DeviceTensor grad({2}, DType::kFloat32, {1, 2});
  const DeviceTensor self({2}, DType::kFloat32, {1, 1});
  const DeviceTensor out({2}, DType::kFloat32);
  aclOpExecutor* executor = Doubling(grad, self, out);
  std::thread([&] {
    ACLIMB_ASSERT_OK(aclrtSetDevice(0));
    ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, executor, stream_));
    ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
    ACLIMB_ASSERT_OK(aclrtResetDevice(0));
  }).join();
  EXPECT_TRUE(Near(out.Values(), {2, 4}, {}));
}

TEST_F(Habits, StorageDescribedAsOneDimensionWithAnOffset) {
  // x[1:, ::2] of a 3x4 matrix, as frameworks describe it.
  const DeviceTensor grad({2, 2}, DType::kFloat32, {1, 2, 3, 4}, {.stride = {4, 2}, .offset = 4});
  const DeviceTensor self({2, 2}, DType::kFloat32, {1, 1, 1, 1}, {.stride = {4, 2}, .offset = 4});
  const DeviceTensor out({2, 2}, DType::kFloat32, {}, {.stride = {4, 2}, .offset = 4});
  ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, Doubling(grad, self, out), stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(Near(out.Values(), {2, 4, 6, 8}, {}));
  EXPECT_TRUE(out.SurroundingsIntact());
}

TEST_F(Habits, PaddingIndexMinusOneThroughUnsigned) {
  const DeviceTensor grad({1, 2}, DType::kFloat32, {1, 2});
  const DeviceTensor indices({1}, DType::kInt64, {1});
  const DeviceTensor out({2, 2}, DType::kFloat32);
  const int64_t none = -1;
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnEmbeddingDenseBackwardGetWorkspaceSize(
            grad, indices, 2, static_cast<uint64_t>(none), false, out, size, executor);
      },
      &aclnnEmbeddingDenseBackward, stream_));
  EXPECT_TRUE(Near(out.Values(), {0, 0, 1, 2}, {}));
}

TEST_F(Habits, PhaseOneNeedsNoDevice) {
  std::thread([&] {
    const int64_t two = 2;
    aclTensor* tensor =
        aclCreateTensor(&two, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &two, 1, nullptr);
    aclOpExecutor* executor = Doubling(tensor, tensor, tensor);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
    EXPECT_EQ(aclDestroyTensor(tensor), 0);
  }).join();
}

}  // namespace
}  // namespace aclimb::testing
