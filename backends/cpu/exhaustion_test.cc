#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "aclimb/core/codes.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/marker.h"
#include "backends/cpu/queue.h"

namespace {
thread_local bool no_memory = false;
thread_local int allocations_left = -1;  // when not negative: so many, then no_memory
std::atomic<bool> no_memory_anywhere{false};

void* Take(size_t bytes) {
  if (allocations_left > 0) {
    --allocations_left;
  } else if (allocations_left == 0 || no_memory || no_memory_anywhere.load()) {
    return nullptr;
  }
  return std::malloc(bytes == 0 ? 1 : bytes);
}
}  // namespace

// Memory that ends on demand, for the calling thread alone or for all.
// Not inline, where compilers see through them and find new and free mismatched.
[[gnu::noinline]] void* operator new(size_t bytes) {
  void* memory = Take(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return Take(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

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

// Holds a queue until the test goes on.
struct Hold {
  std::atomic<AclimbSuspension*> suspension{nullptr};
  void On(AclimbQueue* queue) {
    Task task;
    task.kind = Task::Kind::kSuspend;
    task.payload = this;
    task.start = [](void* payload, AclimbSuspension* reached) {
      static_cast<Hold*>(payload)->suspension = reached;
    };
    ASSERT_EQ(Submit(queue, task, nullptr), 0);
  }
  AclimbSuspension* Reached() {
    AclimbSuspension* reached = nullptr;
    while ((reached = suspension.exchange(nullptr)) == nullptr) std::this_thread::yield();
    return reached;
  }
};

int SubmitCode(AclimbQueue* queue, int code) {
  static int codes[] = {0, kRtAicoreException};
  Task task;
  task.run.name = "test";
  task.run.payload = &codes[code == 0 ? 0 : 1];
  task.run.run = [](void* payload) { return *static_cast<int*>(payload); };
  task.run.cost_bytes = 1 << 20;
  return Submit(queue, task, nullptr);
}

// Everything an engine does with queued work, while nobody gets memory: failures, markers, waits
// that block, become ready and run out of time, a callback, and a stop that drops the rest.
TEST(Engine, RunsWithoutMemory) {
  constexpr int kQueues = 40;
  std::vector<std::shared_ptr<AclimbQueue>> queues;
  for (int i = 0; i < kQueues; ++i) {
    queues.push_back(CreateQueue(EngineOf(0), AclimbQueueOptions{i == 0 ? 8u : 7u, 0, 0}));
  }
  AclimbQueue* first = queues[0].get();
  first->stop_on_failure = true;
  Hold hold;
  hold.On(first);
  AclimbSuspension* held = hold.Reached();
  ASSERT_EQ(SubmitCode(first, 0), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(Record(first, &marker), 0);
  AclimbMarker* never = nullptr;
  Hold forever;
  AclimbQueue* last = queues[kQueues - 1].get();
  forever.On(last);
  AclimbSuspension* held_last = forever.Reached();
  ASSERT_EQ(Record(last, &never), 0);
  Hold inner;
  for (int i = 1; i < kQueues - 1; ++i) {
    AclimbQueue* queue = queues[static_cast<size_t>(i)].get();
    for (int repeat = 0; repeat < 100; ++repeat) {
      ASSERT_EQ(SubmitCode(queue, repeat % 2), 0);
      ASSERT_EQ(WaitForMarker(queue, marker, 0), 0);
    }
    ASSERT_EQ(WaitForMarker(queue, never, 1), 0);
    ASSERT_EQ(SubmitCode(queue, 0), 0);
  }
  inner.On(queues[1].get());
  ASSERT_EQ(SubmitCode(first, kRtAicoreException), 0);
  for (int repeat = 0; repeat < 100; ++repeat) ASSERT_EQ(SubmitCode(first, 0), 0);

  no_memory_anywhere = true;
  Resume(held);
  int codes[kQueues] = {};
  codes[0] = WaitQueue(first, 60000);
  Resume(inner.Reached());
  for (int i = 1; i < kQueues - 1; ++i) {
    codes[i] = WaitQueue(queues[static_cast<size_t>(i)].get(), 60000);
  }
  Resume(held_last);
  codes[kQueues - 1] = WaitQueue(last, 60000);
  no_memory_anywhere = false;

  EXPECT_EQ(codes[0], kRtAicoreException);
  for (int i = 1; i < kQueues - 1; ++i) EXPECT_EQ(codes[i], kRtAicoreException) << i;
  EXPECT_EQ(codes[kQueues - 1], 0);
  AclimbTaskFailure failure = {};
  EXPECT_TRUE(first->failures.Take(&failure));
  EXPECT_STREQ(failure.task, "test");
  marker->Release();
  never->Release();
  for (const auto& queue : queues) DestroyQueue(queue.get(), /*drain=*/true);
}

TEST(Backend, EntriesReportExhaustedMemory) {
  const AclimbBackend* backend = aclimb_backend_cpu();
  AclimbDevice* device = nullptr;
  ASSERT_EQ(backend->device_open(0, &device), 0);
  const AclimbQueueOptions options = {1, 0, 0};
  AclimbQueue* queue = nullptr;
  ASSERT_EQ(backend->queue_create(device, &options, &queue), 0);
  char from[64] = {1};
  char to[64] = {};
  AclimbQueue* other = nullptr;
  AclimbMarker* marker = nullptr;
  void* address = nullptr;
  // Each allocation of one call fails in turn.
  no_memory = true;
  const int create = backend->queue_create(device, &options, &other);
  const int copy = backend->queue_copy(queue, to, 64, from, 64, 64, 1, nullptr);
  const int fill = backend->queue_fill(queue, to, 7, 1, 64, nullptr);
  const int record = backend->queue_record(queue, &marker);
  const int allocate = backend->memory_allocate(device, 64, 96, &address);
  no_memory = false;
  EXPECT_EQ(create, kRtMemoryAllocation);
  EXPECT_EQ(copy, kRtMemoryAllocation);
  EXPECT_EQ(fill, kRtMemoryAllocation);
  EXPECT_EQ(record, kRtMemoryAllocation);
  EXPECT_EQ(allocate, kRtMemoryAllocation);
  // All of it works again.
  ASSERT_EQ(backend->queue_copy(queue, to, 64, from, 64, 64, 1, nullptr), 0);
  ASSERT_EQ(backend->queue_wait(queue, -1), 0);
  EXPECT_EQ(to[0], 1);
  ASSERT_EQ(backend->memory_allocate(device, 64, 96, &address), 0);
  EXPECT_EQ(backend->memory_free(device, address), 0);
  EXPECT_EQ(backend->queue_destroy(queue, 1), 0);
  EXPECT_EQ(backend->device_close(device), 0);
}

// Whichever allocation of a call fails, no device memory is lost and none is handed out twice.
TEST(Backend, EachFailedAllocationLeavesDeviceMemoryUsable) {
  const AclimbBackend* backend = aclimb_backend_cpu();
  AclimbDevice* device = nullptr;
  ASSERT_EQ(backend->device_open(0, &device), 0);
  uint64_t free_before = 0;
  uint64_t total = 0;
  ASSERT_EQ(backend->memory_info(device, &free_before, &total), 0);
  std::vector<void*> kept;
  for (int round = 0; round < 50; ++round) {
    int code = kRtMemoryAllocation;
    void* address = nullptr;
    for (int left = 0; code != 0; ++left) {
      ASSERT_LT(left, 100);
      allocations_left = left;
      code = backend->memory_allocate(device, 1000, 1056, &address);
      allocations_left = -1;
    }
    for (const void* other : kept) ASSERT_NE(address, other);
    kept.push_back(address);
    if (round % 2 == 0) continue;
    code = kRtMemoryAllocation;
    for (int left = 0; code != 0; ++left) {
      ASSERT_LT(left, 100);
      allocations_left = left;
      code = backend->memory_free(device, kept[kept.size() / 2]);
      allocations_left = -1;
    }
    kept.erase(kept.begin() + static_cast<long>(kept.size() / 2));
  }
  for (void* address : kept) EXPECT_EQ(backend->memory_free(device, address), 0);
  uint64_t free_after = 0;
  ASSERT_EQ(backend->memory_info(device, &free_after, &total), 0);
  EXPECT_EQ(free_after, free_before);
  EXPECT_EQ(backend->device_close(device), 0);
}

}  // namespace
}  // namespace aclimb::cpu
