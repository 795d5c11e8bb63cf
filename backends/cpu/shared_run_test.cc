#include "backends/cpu/shared_run.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "aclimb/core/codes.h"
#include "aclimb/core/cores.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/marker.h"

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

Task TaskOf(Parts& parts, uint64_t cost_bytes, bool shares) {
  Task task;
  task.run.payload = &parts;
  task.run.run = [](void* payload) {
    RunShared(&Parts::Run, payload);
    return 0;
  };
  task.run.shares = shares ? 1 : 0;
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
    ASSERT_EQ(Submit(queue.get(), TaskOf(parts, uint64_t{1} << 30, true), nullptr), 0);
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
    ASSERT_EQ(Submit(queue.get(), TaskOf(parts, 2 * ACLIMB_INLINE_BYTES, false), nullptr), 0);
    while (parts.runs[1] == 0) std::this_thread::yield();
    ASSERT_EQ(WaitQueue(queue.get(), -1), 0);
    joined = parts.runs[0] == 1 && parts.threads[0] == std::this_thread::get_id();
  }
  EXPECT_TRUE(joined);
  DestroyQueue(queue.get(), /*drain=*/true);
}

// Two threads keep the engine busy with what they share, and each has to get its turn.
TEST(SharedRun, SeveralThreadsWaitForTheirOwnTasks) {
  std::array<std::thread, 3> programs;
  for (std::thread& program : programs) {
    program = std::thread([] {
      const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
      for (int i = 0; i < 2000; ++i) {
        Parts parts;
        ASSERT_EQ(Submit(queue.get(), TaskOf(parts, 1 << 20, true), nullptr), 0);
        ASSERT_EQ(WaitQueue(queue.get(), -1), 0);
        ASSERT_EQ(parts.runs[0] + parts.runs[1] > 0, true);
      }
      DestroyQueue(queue.get(), /*drain=*/true);
    });
  }
  for (std::thread& program : programs) program.join();
}

// The engine spins after its last task, and is not told of the next one.
TEST(SharedRun, ATaskThatNobodyWaitsForRunsAllTheSame) {
  const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  for (int i = 0; i < 200; ++i) {
    Parts parts;
    ASSERT_EQ(Submit(queue.get(), TaskOf(parts, 1 << 20, true), nullptr), 0);
    while (parts.runs[1] == 0) std::this_thread::yield();  // not by asking for it
    ASSERT_EQ(WaitQueue(queue.get(), -1), 0);
  }
  DestroyQueue(queue.get(), /*drain=*/true);
}

// Shares loops without a pause for a while.
class Sharer {
 public:
  Sharer()
      : thread_([this] {
          const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (!stop_ && std::chrono::steady_clock::now() < end) {
            Parts parts;
            parts.patience = std::chrono::microseconds(5);
            RunShared(&Parts::Run, &parts);
          }
          ended_ = true;
        }) {}
  ~Sharer() {
    stop_ = true;
    thread_.join();
  }
  bool ended() const { return ended_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

Task TaskUntil(std::atomic<bool>& release) {
  Task task;
  task.run.payload = &release;
  task.run.run = [](void* payload) {
    while (!*static_cast<std::atomic<bool>*>(payload)) std::this_thread::yield();
    return 0;
  };
  return task;
}

TEST(SharedRun, AWaitWithATimeoutDoesNotHelpForEver) {
  const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  std::atomic<bool> release{false};
  Task task = TaskUntil(release);
  task.run.cost_bytes = 1;
  ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
  const Sharer sharer;
  EXPECT_EQ(WaitQueue(queue.get(), 20), kRtStreamSyncTimeout);
  EXPECT_FALSE(sharer.ended());
  release = true;
  EXPECT_EQ(WaitQueue(queue.get(), -1), 0);
  DestroyQueue(queue.get(), /*drain=*/true);
}

// The engine helps with what never ends, and still looks at the time of a wait.
TEST(SharedRun, AWaitForAnEventRunsOutOfTimeMeanwhile) {
  const auto never = CreateQueue(EngineOf(1), AclimbQueueOptions{9, 3, 0});
  const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  std::atomic<bool> release{false};
  ASSERT_EQ(Submit(never.get(), TaskUntil(release), nullptr), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(Record(never.get(), &marker), 0);
  const Sharer sharer;
  for (int i = 0; i < 3; ++i) {
    Parts parts;
    ASSERT_EQ(Submit(queue.get(), TaskOf(parts, 1 << 20, true), nullptr), 0);
    ASSERT_EQ(WaitForMarker(queue.get(), marker, 20), 0);
    EXPECT_EQ(WaitQueue(queue.get(), -1), kRtEventSyncTimeout);
  }
  EXPECT_FALSE(sharer.ended());
  release = true;
  EXPECT_EQ(WaitQueue(never.get(), -1), 0);
  marker->Release();
  DestroyQueue(queue.get(), /*drain=*/true);
  DestroyQueue(never.get(), /*drain=*/true);
}

// Whoever runs the task sees the abort; who helps only sees what the task tells.
TEST(SharedRun, AnAbortEndsBothParts) {
  struct Loop {
    std::atomic<int> running{0};
    std::atomic<bool> stop{false};
    static void Run(void* context, int) {
      auto& loop = *static_cast<Loop*>(context);
      ++loop.running;
      while (!loop.stop) {
        if (Cancelled()) loop.stop = true;
      }
      --loop.running;
    }
  } loop;
  std::atomic<bool> done{false};
  std::thread helper([&] {
    while (!done) (void)TakePart();
  });
  const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  Task task;
  task.run.payload = &loop;
  task.run.run = [](void* payload) {
    RunShared(&Loop::Run, payload);
    return 0;
  };
  ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
  while (loop.running != 2) std::this_thread::yield();
  EXPECT_EQ(AbortQueue(queue.get()), 0);
  EXPECT_EQ(loop.running, 0);
  done = true;
  helper.join();
  DestroyQueue(queue.get(), /*drain=*/true);
}

}  // namespace
}  // namespace aclimb::cpu
