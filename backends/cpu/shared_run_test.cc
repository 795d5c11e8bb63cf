#include "backends/cpu/shared_run.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "aclimb/core/cores.h"
#include "backends/cpu/engine.h"

namespace aclimb::cpu {
namespace {

// Counts who ran which part. A part waits for the other one for a while.
struct Parts {
  std::array<std::atomic<int>, 2> runs{};
  std::array<std::thread::id, 2> threads;
  std::chrono::nanoseconds patience{0};

  static void Run(void* context, int part) {
    auto& parts = *static_cast<Parts*>(context);
    const auto index = static_cast<size_t>(part);
    parts.threads[index] = std::this_thread::get_id();
    ++parts.runs[index];
    const auto end = std::chrono::steady_clock::now() + parts.patience;
    while (parts.runs[1 - index] == 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
  }
};

TEST(SharedRun, NobodyElseIsNeeded) {
  Parts parts;
  RunShared(&Parts::Run, &parts);
  EXPECT_EQ(parts.runs[0], 1);
  EXPECT_EQ(parts.runs[1], 0);
  EXPECT_FALSE(TakePart()) << "the offer is closed";
}

TEST(SharedRun, OneThreadTakesTheOtherPart) {
  std::atomic<bool> stop{false};
  std::atomic<int> taken{0};
  std::thread helper([&] {
    while (!stop) taken += TakePart() ? 1 : 0;
  });
  constexpr int kRounds = 1000;
  for (int i = 0; i < kRounds; ++i) {
    Parts parts;
    parts.patience = std::chrono::seconds(100);
    RunShared(&Parts::Run, &parts);
    ASSERT_EQ(parts.runs[0], 1);
    ASSERT_EQ(parts.runs[1], 1);
    ASSERT_EQ(parts.threads[0], std::this_thread::get_id());
    ASSERT_EQ(parts.threads[1], helper.get_id());
  }
  stop = true;
  helper.join();
  EXPECT_EQ(taken, kRounds);
}

// What has no helper runs alone, and nobody hears of another one's loop.
TEST(SharedRun, SeveralThreadsOfferAtOnce) {
  std::atomic<bool> stop{false};
  std::thread helper([&] {
    while (!stop) (void)TakePart();
  });
  std::array<std::thread, 3> runners;
  for (std::thread& runner : runners) {
    runner = std::thread([] {
      for (int i = 0; i < 3000; ++i) {
        Parts parts;
        RunShared(&Parts::Run, &parts);
        ASSERT_EQ(parts.runs[0], 1);
        ASSERT_LE(parts.runs[1], 1);
      }
    });
  }
  for (std::thread& runner : runners) runner.join();
  stop = true;
  helper.join();
}

Task ShareOf(Parts& parts, uint64_t cost_bytes) {
  Task task;
  task.run.payload = &parts;
  task.run.run = [](void* payload) {
    RunShared(&Parts::Run, payload);
    return 0;
  };
  task.run.teamless = 1;
  task.run.cost_bytes = cost_bytes;
  return task;
}

// The engine sleeps when they begin to come, and is woken since they follow each other closely.
TEST(SharedRun, TheEngineJoinsWhatAWaitingThreadRuns) {
  if (CoreCount() < 2) GTEST_SKIP() << "nobody spins on one core";
  const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  bool joined = false;
  for (int i = 0; i < 1000000 && !joined; ++i) {
    Parts parts;
    ASSERT_EQ(Submit(queue.get(), ShareOf(parts, 2 * ACLIMB_INLINE_BYTES), nullptr), 0);
    ASSERT_EQ(WaitQueue(queue.get(), -1), 0);
    joined = parts.runs[1] == 1 && parts.threads[0] == std::this_thread::get_id();
  }
  EXPECT_TRUE(joined);
  DestroyQueue(queue.get(), /*drain=*/true);
}

TEST(SharedRun, AWaitingThreadJoinsWhatTheEngineRuns) {
  if (CoreCount() < 2) GTEST_SKIP() << "nobody spins on one core";
  const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  bool joined = false;
  for (int i = 0; i < 1000 && !joined; ++i) {
    Parts parts;
    parts.patience = std::chrono::milliseconds(1);
    ASSERT_EQ(Submit(queue.get(), ShareOf(parts, uint64_t{1} << 30), nullptr), 0);
    while (parts.runs[1] == 0) std::this_thread::yield();
    ASSERT_EQ(WaitQueue(queue.get(), -1), 0);
    joined = parts.runs[0] == 1 && parts.threads[0] == std::this_thread::get_id();
  }
  EXPECT_TRUE(joined);
  DestroyQueue(queue.get(), /*drain=*/true);
}

}  // namespace
}  // namespace aclimb::cpu
