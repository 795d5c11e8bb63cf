#include "backends/cpu/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "aclimb/core/codes.h"
#include "backends/cpu/engine.h"

namespace {
thread_local bool no_memory = false;
}  // namespace

// Memory that ends on demand, for the calling thread alone.
void* operator new(size_t bytes) {
  void* memory = no_memory ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace aclimb::cpu {
namespace {

TEST(Queue, ExhaustedMemoryRefusesATaskAndGivesItBackOnce) {
  const std::shared_ptr<AclimbQueue> queue = CreateQueue(EngineOf(0), AclimbQueueOptions{1, 0, 0});
  static std::atomic<int> runs;
  static std::atomic<int> releases;
  runs = 0;
  releases = 0;
  // Holds the queue, so that tasks pile up.
  static std::atomic<AclimbSuspension*> held;
  held = nullptr;
  Task hold;
  hold.kind = Task::Kind::kSuspend;
  hold.start = [](void*, AclimbSuspension* suspension) { held = suspension; };
  ASSERT_EQ(Submit(queue.get(), hold, nullptr), 0);
  while (held.load() == nullptr) std::this_thread::yield();

  int refused = 0;
  constexpr int kTasks = 100;
  for (int i = 0; i < kTasks; ++i) {
    Task task;
    task.run.run = [](void*) {
      ++runs;
      return 0;
    };
    task.run.release = [](void*) { ++releases; };
    no_memory = true;
    const int code = Submit(queue.get(), task, nullptr);
    no_memory = false;
    if (code != 0) {
      EXPECT_EQ(code, kRtMemoryAllocation);
      ++refused;
      EXPECT_EQ(releases.load(), refused);
      // The next one finds memory, and room for some more after it.
      ASSERT_EQ(Submit(queue.get(), task, nullptr), 0);
    }
  }
  EXPECT_GT(refused, 0);
  Resume(held.load());
  EXPECT_EQ(WaitQueue(queue.get(), -1), 0) << "the count of what was submitted is right";
  EXPECT_EQ(runs.load(), kTasks);
  EXPECT_EQ(releases.load(), kTasks + refused);
  DestroyQueue(queue.get(), /*drain=*/true);
}

}  // namespace
}  // namespace aclimb::cpu
