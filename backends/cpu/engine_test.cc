#include "backends/cpu/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace aclimb::cpu {
namespace {

// While one task holds the engine, work gathers in queues of three priorities.
TEST(Engine, HighestPriorityFirstAndFairWithinIt) {
  static std::atomic<int> phase;
  phase = 0;
  const auto blocker = CreateQueue(EngineOf(0), AclimbQueueOptions{9, 7, 0});
  Task block;
  block.run.run = [](void*) {
    phase = 1;
    while (phase.load() != 2) std::this_thread::yield();
    return 0;
  };
  ASSERT_EQ(Submit(blocker.get(), block, nullptr), 0);
  while (phase.load() != 1) std::this_thread::yield();

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
  phase = 2;
  for (const auto& queue : queues) ASSERT_EQ(WaitQueue(queue.get(), -1), 0);
  EXPECT_EQ(order, "abababmnmnmnyzyzyz");
  ASSERT_EQ(WaitQueue(blocker.get(), -1), 0);
  for (const auto& queue : queues) DestroyQueue(queue.get(), /*drain=*/true);
  DestroyQueue(blocker.get(), /*drain=*/true);
}

}  // namespace
}  // namespace aclimb::cpu
