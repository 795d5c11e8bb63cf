// Several threads, several streams each, operators of every size: each result is checked.

#include <gtest/gtest.h>
#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "aclnnop/aclnn_elu_backward.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

namespace aclimb::testing {
namespace {

constexpr int kThreads = 8;
constexpr int kStreams = 3;

// gradInput = factor * gradOutput, for positive inputs.
aclOpExecutor* Scaled(const DeviceTensor& grad, const DeviceTensor& self, const DeviceTensor& out,
                      float factor) {
  const Scalar one(1.0f);
  const Scalar scale(factor);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(
      aclnnEluBackwardGetWorkspaceSize(grad, one, scale, one, false, self, out, &size, &executor),
      0)
      << aclGetRecentErrMsg();
  return executor;
}

// Sizes on both sides of the inline and of the team threshold.
void Worker(int seed) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  std::vector<aclrtStream> streams(kStreams);
  for (aclrtStream& stream : streams) ACLIMB_ASSERT_OK(aclrtCreateStream(&stream));
  Random random(static_cast<uint64_t>(seed));
  for (int round = 0; round < 6; ++round) {
    const int64_t count =
        std::vector<int64_t>{1, 100, 5000, 200000}[static_cast<size_t>(round % 4)];
    const std::vector<double> values = random.Reals(count, -4, 4);
    const DeviceTensor grad({count}, DType::kFloat32, values);
    const DeviceTensor self({count}, DType::kFloat32, std::vector<double>(values.size(), 1.0));
    std::vector<DeviceTensor> out;
    for (int s = 0; s < kStreams; ++s)
      out.emplace_back(std::vector<int64_t>{count}, DType::kFloat32);
    for (int s = 0; s < kStreams; ++s) {
      const auto at = static_cast<size_t>(s);
      ACLIMB_ASSERT_OK(aclnnEluBackward(
          nullptr, 0, Scaled(grad, self, out[at], static_cast<float>(s + 1)), streams[at]));
    }
    for (int s = 0; s < kStreams; ++s) {
      const auto at = static_cast<size_t>(s);
      ACLIMB_ASSERT_OK(aclrtSynchronizeStream(streams[at]));
      std::vector<double> expected;
      for (double value : values) {
        expected.push_back(static_cast<double>(static_cast<float>(value)) * (s + 1));
      }
      ASSERT_TRUE(Near(out[at].Values(), expected, {1e-6, 0}));
    }
  }
  for (aclrtStream stream : streams) ACLIMB_ASSERT_OK(aclrtDestroyStream(stream));
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

TEST(Threads, ManyThreadsWithManyStreamsEach) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(Worker, t);
  for (std::thread& thread : threads) thread.join();
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

// A launch queue: one thread plans, another runs, as frameworks do.
TEST(Threads, ExecutorsMadeOnOneThreadAndRunOnAnother) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  ACLIMB_ASSERT_OK(aclrtCreateStream(&stream));
  const DeviceTensor grad({64}, DType::kFloat32, std::vector<double>(64, 1.0));
  const DeviceTensor self({64}, DType::kFloat32, std::vector<double>(64, 1.0));
  const DeviceTensor out({64}, DType::kFloat32);
  constexpr int kCalls = 2000;
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<aclOpExecutor*> queue;
  std::thread runner([&] {
    ACLIMB_ASSERT_OK(aclrtSetDevice(0));
    for (int i = 0; i < kCalls; ++i) {
      std::unique_lock<std::mutex> lock(mutex);
      filled.wait(lock, [&] { return !queue.empty(); });
      aclOpExecutor* executor = queue.front();
      queue.pop_front();
      lock.unlock();
      ACLIMB_ASSERT_OK(aclnnEluBackward(nullptr, 0, executor, stream));
    }
    ACLIMB_ASSERT_OK(aclrtResetDevice(0));
  });
  for (int i = 1; i <= kCalls; ++i) {
    aclOpExecutor* executor = Scaled(grad, self, out, static_cast<float>(i));
    const std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(executor);
    filled.notify_one();
  }
  runner.join();
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(out.Values(), std::vector<double>(64, kCalls));
  ACLIMB_ASSERT_OK(aclrtDestroyStream(stream));
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

// Kernels need more stack than some threads have: the engine runs what those wait for.
TEST(Threads, ACallerWithASmallStack) {
  struct Call {
    DeviceTensor grad{{300001}, DType::kFloat16, std::vector<double>(300001, 2.0)};
    DeviceTensor self{{300001}, DType::kFloat16, std::vector<double>(300001, 1.0)};
    DeviceTensor out{{300001}, DType::kFloat16};
  };
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  Call call;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 64 << 10), 0);
  pthread_t thread;
  const auto run = [](void* data) -> void* {
    Call& mine = *static_cast<Call*>(data);
    ACLIMB_EXPECT_OK(aclrtSetDevice(0));
    for (int round = 0; round < 20; ++round) {
      ACLIMB_EXPECT_OK(
          aclnnEluBackward(nullptr, 0, Scaled(mine.grad, mine.self, mine.out, 3), nullptr));
      ACLIMB_EXPECT_OK(aclrtSynchronizeStream(nullptr));
    }
    ACLIMB_EXPECT_OK(aclrtResetDevice(0));
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &call), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(call.out.Values(), std::vector<double>(300001, 6.0));
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

// Two threads race for one executor: exactly one runs it.
TEST(Threads, ARaceForAnExecutorHasOneWinner) {
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
  const DeviceTensor grad({4}, DType::kFloat32, {1, 2, 3, 4});
  const DeviceTensor self({4}, DType::kFloat32, {1, 1, 1, 1});
  const DeviceTensor out({4}, DType::kFloat32);
  for (int round = 0; round < 200; ++round) {
    aclOpExecutor* executor = Scaled(grad, self, out, 1);
    int codes[2];
    const auto run = [&](int i) {
      ACLIMB_ASSERT_OK(aclrtSetDevice(0));
      codes[i] = aclnnEluBackward(nullptr, 0, executor, nullptr);
      ACLIMB_ASSERT_OK(aclrtResetDevice(0));
    };
    std::thread other(run, 0);
    run(1);
    other.join();
    ASSERT_TRUE((codes[0] == 0 && codes[1] == 561103) || (codes[1] == 0 && codes[0] == 561103))
        << codes[0] << ' ' << codes[1];
  }
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(nullptr));
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
}

}  // namespace
}  // namespace aclimb::testing
