#include "backends/cpu/engine.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "aclimb/core/codes.h"
#include "aclimb/core/sanitized.h"
#include "backends/cpu/marker.h"

namespace aclimb::cpu {
namespace {

// A task of the highest priority that keeps the engine busy from its construction to Release().
class Blocker {
 public:
  Blocker() : queue_(CreateQueue(EngineOf(0), AclimbQueueOptions{9, 0, 0})) {
    Task block;
    block.run.payload = this;
    block.run.run = [](void* payload) {
      auto& phase = static_cast<Blocker*>(payload)->phase_;
      phase = 1;
      while (phase.load() != 2) std::this_thread::yield();
      return 0;
    };
    EXPECT_EQ(Submit(queue_.get(), block, nullptr), 0);
    while (phase_.load() != 1) std::this_thread::yield();
  }
  void Release() { phase_ = 2; }
  ~Blocker() {
    EXPECT_EQ(WaitQueue(queue_.get(), -1), 0);
    DestroyQueue(queue_.get(), /*drain=*/true);
  }
  AclimbQueue* queue() const { return queue_.get(); }

 private:
  std::atomic<int> phase_{0};
  std::shared_ptr<AclimbQueue> queue_;
};

// The wait for a recording begins before the queue comes to the event whose work was dropped.
TEST(Engine, WhoWaitsForARecordingLearnsOfDroppedWorkBeforeIt) {
  Blocker blocker;
  const auto dropped = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 1, 0});
  const auto behind = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 1, 0});
  Task nothing;
  nothing.run.run = [](void*) { return 0; };
  ASSERT_EQ(Submit(dropped.get(), nothing, nullptr), 0);
  ASSERT_EQ(Submit(behind.get(), nothing, nullptr), 0);
  AclimbMarker* event = nullptr;
  AclimbMarker* end = nullptr;
  ASSERT_EQ(Record(dropped.get(), &event), 0);
  ASSERT_EQ(WaitForMarker(behind.get(), event, 0), 0);
  ASSERT_EQ(Record(behind.get(), &end), 0);
  ASSERT_EQ(AbortQueue(dropped.get()), 0);
  auto waiter = std::async(std::launch::async, [end] { return WaitMarker(end, -1, 0); });
  EXPECT_EQ(waiter.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  blocker.Release();
  const bool told = waiter.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  EXPECT_TRUE(told);
  EXPECT_EQ(AbortQueue(behind.get()), 0);
  EXPECT_EQ(waiter.get(), kRtStreamAbort);
  event->Release();
  end->Release();
  DestroyQueue(dropped.get(), /*drain=*/false);
  DestroyQueue(behind.get(), /*drain=*/false);
}

// While one task holds the engine, work gathers in queues of three priorities.
TEST(Engine, HighestPriorityFirstAndFairWithinIt) {
  Blocker blocker;
  struct Step {
    std::string* order;
    char name;
  };
  std::string order;
  std::vector<std::shared_ptr<AclimbQueue>> queues;
  // Lowest first; a number past the range counts as the lowest.
  const struct {
    uint32_t priority;
    char name;
  } kinds[] = {{100, 'y'}, {7, 'z'}, {3, 'm'}, {3, 'n'}, {0, 'a'}, {0, 'b'}};
  for (const auto& kind : kinds) {
    queues.push_back(CreateQueue(EngineOf(0), AclimbQueueOptions{9, kind.priority, 0}));
    for (int i = 0; i < 3; ++i) {
      Task task;
      task.run.payload = new Step{&order, kind.name};
      task.run.run = [](void* payload) {
        auto* step = static_cast<Step*>(payload);
        step->order->push_back(step->name);
        return 0;
      };
      task.run.release = [](void* payload) { delete static_cast<Step*>(payload); };
      ASSERT_EQ(Submit(queues.back().get(), task, nullptr), 0);
    }
  }
  blocker.Release();
  for (const auto& queue : queues) ASSERT_EQ(WaitQueue(queue.get(), -1), 0);
  EXPECT_EQ(order, "abababmnmnmnyzyzyz");
  for (const auto& queue : queues) DestroyQueue(queue.get(), /*drain=*/true);
}

// The queue was about to run, lost its work, and waits for an event before the engine looked at it.
TEST(Engine, AQueueThatLostItsWorkCanWait) {
  Blocker blocker;
  const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  const auto behind = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  Task task;
  task.run.run = [](void*) { return 0; };
  ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
  ASSERT_EQ(Submit(behind.get(), task, nullptr), 0);
  ASSERT_EQ(AbortQueue(queue.get()), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(Record(blocker.queue(), &marker), 0);
  ASSERT_EQ(WaitForMarker(queue.get(), marker, -1), 0);
  ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
  blocker.Release();
  EXPECT_EQ(WaitQueue(behind.get(), 10000), 0);
  EXPECT_EQ(WaitQueue(queue.get(), 10000), 0);
  ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
  EXPECT_EQ(WaitQueue(queue.get(), 10000), 0);
  marker->Release();
  DestroyQueue(queue.get(), /*drain=*/true);
  DestroyQueue(behind.get(), /*drain=*/true);
}

// The work before a recording is finished, and the engine has something more urgent to do than to
// look at the recording when the queue is destroyed.
TEST(Engine, ARecordingBehindFinishedWorkIsDone) {
  struct Urgent {
    std::shared_ptr<AclimbQueue> queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 0, 0});
    std::atomic<int> phase{0};
    static int Run(void* payload) {
      auto& phase = static_cast<Urgent*>(payload)->phase;
      phase = 1;
      while (phase.load() != 2) std::this_thread::yield();
      return 0;
    }
  } urgent;
  const auto queue = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 3, 0});
  Blocker blocker;
  Task task;
  task.run.payload = &urgent;
  task.run.run = [](void* payload) {
    Task block;
    block.run.payload = payload;
    block.run.run = &Urgent::Run;
    return Submit(static_cast<Urgent*>(payload)->queue.get(), block, nullptr);
  };
  AclimbMarker* done = nullptr;
  AclimbMarker* dropped = nullptr;
  ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
  ASSERT_EQ(Record(queue.get(), &done), 0);
  ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
  ASSERT_EQ(Record(queue.get(), &dropped), 0);
  blocker.Release();
  while (urgent.phase.load() != 1) std::this_thread::yield();
  EXPECT_EQ(done->state.load(), ACLIMB_MARKER_PENDING);
  DestroyQueue(queue.get(), /*drain=*/false);
  EXPECT_EQ(done->state.load(), ACLIMB_MARKER_DONE);
  EXPECT_EQ(dropped->state.load(), ACLIMB_MARKER_DROPPED);
  urgent.phase = 2;
  EXPECT_EQ(WaitQueue(urgent.queue.get(), 10000), 0);
  done->Release();
  dropped->Release();
  DestroyQueue(urgent.queue.get(), /*drain=*/true);
}

// Whoever began to wait first, and whatever the others wait for.
TEST(Engine, ThreadsThatWaitForDifferentTasksAreToldOfTheirs) {
  constexpr int kTasks = 5;
  Engine* const engine = EngineOf(8);
  const auto queue = CreateQueue(engine, AclimbQueueOptions{9, 0, 0});
  struct Gates {
    std::atomic<int> opened{0};
    int passed = 0;
  } gates;
  Task task;
  task.run.payload = &gates;
  task.run.run = [](void* payload) {
    auto& all = *static_cast<Gates*>(payload);
    while (all.opened.load() <= all.passed) std::this_thread::yield();
    ++all.passed;
    return 0;
  };
  std::atomic<int> told[kTasks] = {};
  std::vector<std::thread> waiters;
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
    std::unique_lock<std::mutex> lock(Scheduler::Get().mutex);
    const uint64_t before = std::exchange(queue->awaited, AclimbQueue::kNothingAwaited);
    waiters.emplace_back(
        [&, i] { told[i] = WaitQueue(queue.get(), i % 2 == 0 ? -1 : 60'000) + 1; });
    // Until it waits for so many, beside those before.
    while (queue->awaited == AclimbQueue::kNothingAwaited) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
    queue->Await(before);
  }
  for (int i = 0; i < kTasks; ++i) {
    gates.opened = i + 1;
    waiters[static_cast<size_t>(i)].join();
    EXPECT_EQ(told[i], 1) << i;
  }
  DestroyQueue(queue.get(), /*drain=*/true);
}

// A thread that is cancelled while it waits finishes the task that it runs meanwhile.
TEST(Engine, ATaskOnACancelledThreadIsFinished) {
  if (kAddressSanitized) GTEST_SKIP() << "it takes the stack of a cancelled thread for in use";
  struct Run {
    std::shared_ptr<AclimbQueue> queue = CreateQueue(EngineOf(8), AclimbQueueOptions{9, 0, 0});
    Task task;
    std::atomic<pthread_t> runs{0};
    std::atomic<int> ended{0};
  } run;
  run.task.run.payload = &run;
  run.task.run.any_thread = 1;
  run.task.run.run = [](void* payload) {
    auto* const self = static_cast<Run*>(payload);
    self->runs = pthread_self();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++self->ended;
    return 0;
  };
  const auto wait = [](void* payload) -> void* {
    auto* const self = static_cast<Run*>(payload);
    EXPECT_EQ(Submit(self->queue.get(), self->task, nullptr), 0);
    WaitQueue(self->queue.get(), -1);
    pthread_testcancel();
    return nullptr;
  };
  // The engine's thread may be faster, now and then.
  int inlined = 0, tasks = 0;
  for (; inlined < 3 && tasks < 100; ++tasks) {
    run.runs = 0;
    pthread_t waiter;
    ASSERT_EQ(pthread_create(&waiter, nullptr, wait, &run), 0);
    while (run.runs == 0) std::this_thread::yield();
    ASSERT_EQ(pthread_cancel(waiter), 0);
    void* result = nullptr;
    ASSERT_EQ(pthread_join(waiter, &result), 0);
    EXPECT_EQ(result, PTHREAD_CANCELED);
    if (pthread_equal(run.runs, waiter)) ++inlined;
    ASSERT_EQ(WaitQueue(run.queue.get(), -1), 0);
  }
  EXPECT_EQ(inlined, 3);
  EXPECT_EQ(run.ended, tasks);
  DestroyQueue(run.queue.get(), /*drain=*/true);
}

// A tool, or what a task gives back, writes or waits.
TEST(Engine, ASmallTaskOnACancelledThreadIsFinished) {
  if (kAddressSanitized) GTEST_SKIP() << "it takes the stack of a cancelled thread for in use";
  struct Run {
    std::shared_ptr<AclimbQueue> queue = CreateQueue(EngineOf(8), AclimbQueueOptions{9, 0, 0});
    Task task;
    pthread_t waiter = {};
    bool inlined = false;
    int ended = 0;
  } run;
  run.task.run.payload = &run;
  run.task.run.cost_bytes = 1;
  run.task.run.run = [](void* payload) {
    auto* const self = static_cast<Run*>(payload);
    self->inlined = pthread_equal(pthread_self(), self->waiter) != 0;
    if (self->inlined) {
      EXPECT_EQ(pthread_cancel(self->waiter), 0);
    }
    pthread_testcancel();
    return 0;
  };
  run.task.run.release = [](void* payload) {
    pthread_testcancel();
    ++static_cast<Run*>(payload)->ended;
  };
  const auto wait = [](void* payload) -> void* {
    auto* const self = static_cast<Run*>(payload);
    self->waiter = pthread_self();
    EXPECT_EQ(Submit(self->queue.get(), self->task, nullptr), 0);
    WaitQueue(self->queue.get(), -1);
    pthread_testcancel();
    return nullptr;
  };
  // The engine's thread may be faster, now and then.
  int inlined = 0, tasks = 0;
  for (; inlined < 3 && tasks < 100; ++tasks) {
    pthread_t waiter;
    ASSERT_EQ(pthread_create(&waiter, nullptr, wait, &run), 0);
    void* result = nullptr;
    ASSERT_EQ(pthread_join(waiter, &result), 0);
    EXPECT_EQ(result == PTHREAD_CANCELED, run.inlined);
    if (run.inlined) ++inlined;
  }
  EXPECT_EQ(inlined, 3);
  EXPECT_EQ(run.ended, tasks);
  DestroyQueue(run.queue.get(), /*drain=*/true);
}

// Each waits for the task that ran when it began, not for work that follows the other's end.
TEST(Engine, TwoAbortsOfAQueueEndTogether) {
  struct Run {
    std::shared_ptr<AclimbQueue> queue = CreateQueue(EngineOf(8), AclimbQueueOptions{9, 0, 0});
    std::atomic<bool> runs{false};
    uint32_t aborts = 0;       // that have begun at the end of the round
    std::atomic<int> left{0};  // of the round's
    std::atomic<bool> given_up{false};
  } run;
  Task aborted;
  aborted.run.payload = &run;
  aborted.run.run = [](void* payload) {
    auto* const self = static_cast<Run*>(payload);
    self->runs = true;
    // Until both of them wait.
    for (uint32_t begun = 0; begun < self->aborts; std::this_thread::yield()) {
      const std::lock_guard<std::mutex> lock(Scheduler::Get().mutex);
      begun = self->queue->aborts;
    }
    return 0;
  };
  Task next;
  next.run.payload = &run;
  next.run.run = [](void* payload) {
    auto* const self = static_cast<Run*>(payload);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (self->left > 0 && !self->given_up) {
      if (std::chrono::steady_clock::now() > end) self->given_up = true;
      std::this_thread::yield();
    }
    EXPECT_FALSE(Cancelled());
    return 0;
  };
  for (int round = 0; round < 50 && !run.given_up; ++round) {
    run.runs = false;
    run.aborts += 2;
    run.left = 2;
    ASSERT_EQ(Submit(run.queue.get(), aborted, nullptr), 0);
    while (!run.runs) std::this_thread::yield();
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        AbortQueue(run.queue.get());
        if (run.left.fetch_sub(1) == 2) {
          EXPECT_EQ(Submit(run.queue.get(), next, nullptr), 0);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(WaitQueue(run.queue.get(), -1), 0);
  }
  EXPECT_FALSE(run.given_up);
  DestroyQueue(run.queue.get(), /*drain=*/true);
}

// Else the engine's thread would take a core from the team at each of them.
TEST(Engine, LongTasksOfAProgramThatWaitsForEachWakeNobody) {
  Engine* const engine = EngineOf(7);
  const auto queue = CreateQueue(engine, AclimbQueueOptions{9, 0, 0});
  Task task;
  task.run.any_thread = 1;
  task.run.cost_bytes = 2 * Engine::kLongBytes;
  task.run.run = [](void*) { return 0; };
  const auto run = [&] {
    ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
    ASSERT_EQ(WaitQueue(queue.get(), -1), 0);
  };
  // The engine's thread has seen work, and looks around.
  for (int i = 0; i < 10; ++i) {
    run();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  // A thread that loses its core before it waits leaves the task to the engine, now and then.
  constexpr int kTasks = 1000;
  const uint64_t before = engine->wakes();
  for (int i = 0; i < kTasks; ++i) run();
  EXPECT_LT(engine->wakes() - before, kTasks / 4);
  DestroyQueue(queue.get(), /*drain=*/true);
}

}  // namespace
}  // namespace aclimb::cpu
