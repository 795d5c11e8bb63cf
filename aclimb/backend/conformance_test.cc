// What every backend must do, whoever wrote it. Runs for each backend that can be loaded; the names
// come from ACLIMB_CONFORMANCE (a comma list), by default the processor alone.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "aclimb/backend/loader.h"
#include "aclimb/core/codes.h"

namespace aclimb {
namespace {

class Conformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Result<const AclimbBackend*> loaded = LoadBackend(GetParam());
    ASSERT_TRUE(loaded.ok()) << loaded.status().refusal().what;
    backend_ = loaded.value();
    static const AclimbBackend* configured = nullptr;
    if (configured != backend_) {
      const AclimbBackendConfig config = {1, 0, uint64_t{64} << 20, 0};
      ASSERT_EQ(backend_->configure(&config), 0);
      configured = backend_;
    }
    ASSERT_GE(backend_->device_count(), 1);
    ASSERT_EQ(backend_->device_open(0, &device_), 0);
    queue_ = MakeQueue(1);
    other_ = MakeQueue(1);
  }
  void TearDown() override {
    EXPECT_EQ(backend_->queue_destroy(queue_, 1), 0);
    EXPECT_EQ(backend_->queue_destroy(other_, 1), 0);
    EXPECT_EQ(backend_->device_close(device_), 0);
  }
  AclimbQueue* MakeQueue(uint64_t group) {
    const AclimbQueueOptions options = {group, 0, 0};
    AclimbQueue* queue = nullptr;
    EXPECT_EQ(backend_->queue_create(device_, &options, &queue), 0);
    return queue;
  }
  char* Allocate(uint64_t bytes) {
    void* address = nullptr;
    EXPECT_EQ(backend_->memory_allocate(device_, bytes, (bytes + 31) / 32 * 32 + 32, &address), 0);
    return static_cast<char*>(address);
  }
  std::vector<uint8_t> Read(const void* address, size_t bytes) {
    std::vector<uint8_t> host(bytes, 0xEE);
    EXPECT_EQ(backend_->memory_copy(host.data(), bytes, address, bytes, bytes, 1), 0);
    return host;
  }
  // A task that returns a code and counts its runs and releases.
  struct Counted {
    int code = 0;
    const AclimbBackend* backend = nullptr;
    std::vector<const char*> texts = {};  // that it says about its failure
    std::atomic<int> runs{0};
    std::atomic<int> releases{0};
  };
  int Submit(AclimbQueue* queue, Counted* counted, uint32_t* id = nullptr) {
    counted->backend = backend_;
    AclimbTask task = {};
    task.name = "counted";
    task.payload = counted;
    task.cost_bytes = 1 << 20;
    task.run = [](void* payload) {
      auto* c = static_cast<Counted*>(payload);
      ++c->runs;
      for (const char* text : c->texts) c->backend->explain(text);
      return c->code;
    };
    task.release = [](void* payload) { ++static_cast<Counted*>(payload)->releases; };
    return backend_->queue_submit(queue, &task, id);
  }

  const AclimbBackend* backend_ = nullptr;
  AclimbDevice* device_ = nullptr;
  AclimbQueue* queue_ = nullptr;
  AclimbQueue* other_ = nullptr;
};

// Keeps a queue suspended until it is told.
struct Hold {
  std::atomic<AclimbSuspension*> suspension{nullptr};
  std::atomic<int> dropped{0};
  static void Start(void* payload, AclimbSuspension* suspension) {
    auto* hold = static_cast<Hold*>(payload);
    if (suspension == nullptr) {
      ++hold->dropped;
    } else {
      hold->suspension = suspension;
    }
  }
  AclimbSuspension* Reached() {
    while (suspension.load() == nullptr) std::this_thread::yield();
    return suspension.exchange(nullptr);
  }
};

TEST_P(Conformance, TheTableIsComplete) {
  EXPECT_EQ(backend_->api_version, uint32_t{ACLIMB_BACKEND_API_VERSION});
  EXPECT_EQ(backend_->struct_size, sizeof(AclimbBackend));
  EXPECT_EQ(GetParam(), backend_->name);
  // Behind the header there are only function pointers, all of them required but the kernels'.
  const auto* entries = reinterpret_cast<void* const*>(&backend_->configure);
  const size_t count = (sizeof(AclimbBackend) - offsetof(AclimbBackend, configure)) / sizeof(void*);
  const auto* kernels = reinterpret_cast<void* const*>(&backend_->kernel_make);
  for (size_t i = 0; i < count; ++i) {
    const bool optional = entries + i >= kernels && entries + i < kernels + 3;
    EXPECT_TRUE(optional || entries[i] != nullptr) << "entry " << i;
  }
  EXPECT_EQ(kernels[0] == nullptr, kernels[1] == nullptr);
  EXPECT_EQ(kernels[0] == nullptr, kernels[2] == nullptr);
}

TEST_P(Conformance, Properties) {
  AclimbDeviceProperties properties = {};
  ASSERT_EQ(backend_->device_properties(0, &properties), 0);
  EXPECT_NE(properties.name, nullptr);
  EXPECT_GE(properties.cores, 1);
  EXPECT_GT(properties.memory_bytes, 0u);
}

TEST_P(Conformance, MemoryIsAlignedPaddedAndLimited) {
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{1000}, uint64_t{5} << 20}) {
    char* memory = Allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 512, 0u);
    EXPECT_TRUE(backend_->memory_is_device(memory));
    const uint64_t usable = (bytes + 31) / 32 * 32 + 32;
    for (const uint8_t byte : Read(memory + bytes, usable - bytes)) ASSERT_EQ(byte, 0);
    ASSERT_EQ(backend_->memory_fill(memory, 0xFF, 1, usable), 0);
    ASSERT_EQ(backend_->memory_free(device_, memory), 0);
  }
  EXPECT_FALSE(backend_->memory_is_device(this));
  uint64_t free = 0, total = 0;
  ASSERT_EQ(backend_->memory_info(device_, &free, &total), 0);
  EXPECT_LE(free, total);
  void* address = nullptr;
  EXPECT_EQ(backend_->memory_allocate(device_, total, total + 32, &address), kRtMemoryAllocation);
  EXPECT_EQ(address, nullptr);
}

TEST_P(Conformance, AllocationsTakeWholeGranules) {
  for (const uint64_t usable : {uint64_t{64}, uint64_t{512}, uint64_t{544}, uint64_t{1} << 20}) {
    uint64_t before = 0, between = 0, after = 0, total = 0;
    ASSERT_EQ(backend_->memory_info(device_, &before, &total), 0);
    void* address = nullptr;
    ASSERT_EQ(backend_->memory_allocate(device_, usable - 32, usable, &address), 0);
    ASSERT_EQ(backend_->memory_info(device_, &between, &total), 0);
    ASSERT_EQ(backend_->memory_free(device_, address), 0);
    ASSERT_EQ(backend_->memory_info(device_, &after, &total), 0);
    EXPECT_EQ(before - between, (usable + 511) / ACLIMB_MEMORY_GRANULE * ACLIMB_MEMORY_GRANULE);
    EXPECT_EQ(after, before);
  }
}

TEST_P(Conformance, MemoryIsMappedIntoRanges) {
  constexpr uint64_t kPage = ACLIMB_MAPPING_GRANULE;
  uint64_t before = 0, between = 0, after = 0, total = 0;
  ASSERT_EQ(backend_->memory_info(device_, &before, &total), 0);
  void* address = nullptr;
  ASSERT_EQ(backend_->range_reserve(4 * kPage, &address), 0);
  char* const range = static_cast<char*>(address);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(range) % kPage, 0u);
  EXPECT_TRUE(backend_->memory_is_device(range + 4 * kPage - 1));
  AclimbPhysical* memory = nullptr;
  ASSERT_EQ(backend_->physical_allocate(device_, 2 * kPage, &memory), 0);
  ASSERT_EQ(backend_->memory_info(device_, &between, &total), 0);
  EXPECT_EQ(before - between, 2 * kPage);
  ASSERT_EQ(backend_->range_map(range + kPage, 2 * kPage, memory, 0), 0);
  EXPECT_EQ(Read(range + kPage, 2), (std::vector<uint8_t>{0, 0}));
  ASSERT_EQ(backend_->queue_fill(queue_, range + kPage, 7, 1, 2 * kPage, nullptr), 0);
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  // The other half of it once more, elsewhere.
  ASSERT_EQ(backend_->range_map(range + 3 * kPage, kPage, memory, kPage), 0);
  ASSERT_EQ(backend_->memory_fill(range + 3 * kPage, 9, 1, 1), 0);
  EXPECT_EQ(Read(range + 2 * kPage, 2), (std::vector<uint8_t>{9, 7}));
  const auto kernel = [&](uint64_t offset) {
    return static_cast<char*>(backend_->memory_kernel_address(device_, range + offset));
  };
  if (kernel(0) != nullptr) {
    EXPECT_EQ(kernel(3 * kPage) - kernel(0), static_cast<int64_t>(3 * kPage));
  }
  ASSERT_EQ(backend_->range_unmap(range + kPage, 2 * kPage), 0);
  ASSERT_EQ(backend_->range_unmap(range + 3 * kPage, kPage), 0);
  ASSERT_EQ(backend_->physical_free(memory), 0);
  ASSERT_EQ(backend_->range_release(range), 0);
  EXPECT_FALSE(backend_->memory_is_device(range));
  ASSERT_EQ(backend_->memory_info(device_, &after, &total), 0);
  EXPECT_EQ(after, before);
  EXPECT_EQ(backend_->physical_allocate(device_, (total / kPage + 1) * kPage, &memory),
            kRtMemoryAllocation);
}

TEST_P(Conformance, CopiesAndFills) {
  char* memory = Allocate(4096);
  std::vector<uint8_t> host(4096);
  std::iota(host.begin(), host.end(), uint8_t{3});
  ASSERT_EQ(backend_->memory_copy(memory, 4096, host.data(), 4096, 4096, 1), 0);
  EXPECT_EQ(Read(memory, 4096), host);
  ASSERT_EQ(backend_->memory_fill(memory, 0x01020304, 4, 2), 0);
  EXPECT_EQ(Read(memory, 9), (std::vector<uint8_t>{4, 3, 2, 1, 4, 3, 2, 1, host[8]}));
  char* copy = Allocate(4096);
  ASSERT_EQ(backend_->queue_fill(queue_, copy, 7, 1, 4096, nullptr), 0);
  // 4 rows of 3 bytes.
  ASSERT_EQ(backend_->queue_copy(queue_, copy, 16, memory, 32, 3, 4, nullptr), 0);
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  const std::vector<uint8_t> rows = Read(copy, 64);
  const std::vector<uint8_t> source = Read(memory, 128);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(rows[i], i % 16 < 3 ? source[i / 16 * 32 + i % 16] : 7);
  }
}

TEST_P(Conformance, TasksRunOnceInOrderAndAreReleased) {
  std::vector<Counted> tasks(300);
  uint32_t first = 0, last = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    ASSERT_EQ(Submit(queue_, &tasks[i], i == 0 ? &first : &last), 0);
  }
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  for (const Counted& task : tasks) {
    EXPECT_EQ(task.runs.load(), 1);
    EXPECT_EQ(task.releases.load(), 1);
  }
  EXPECT_EQ(last - first, tasks.size() - 1);
  int idle = 0;
  ASSERT_EQ(backend_->queue_query(queue_, &idle), 0);
  EXPECT_EQ(idle, 1);
}

TEST_P(Conformance, SuspensionHoldsOneQueueOnly) {
  Hold hold;
  Counted behind, beside;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  ASSERT_EQ(Submit(queue_, &behind), 0);
  ASSERT_EQ(Submit(other_, &beside), 0);
  ASSERT_EQ(backend_->queue_wait(other_, -1), 0);
  AclimbSuspension* suspension = hold.Reached();
  EXPECT_EQ(backend_->queue_wait(queue_, 5), kRtStreamSyncTimeout);
  int idle = 1;
  ASSERT_EQ(backend_->queue_query(queue_, &idle), 0);
  EXPECT_EQ(idle, 0);
  EXPECT_EQ(behind.runs.load(), 0);
  EXPECT_EQ(beside.runs.load(), 1);
  backend_->queue_resume(suspension);
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(behind.runs.load(), 1);
}

// `start` may be called within queue_suspend or later, but without locks, and may use the backend.
TEST_P(Conformance, StartOfAHaltMayUseTheBackend) {
  struct Halt {
    const AclimbBackend* backend;
    AclimbQueue* queue;
    const Counted* before;
    int runs_before = -1, idle = -1, starts = 0;
  };
  const auto start = [](void* payload, AclimbSuspension* suspension) {
    auto* const halt = static_cast<Halt*>(payload);
    halt->runs_before = halt->before->runs;
    EXPECT_EQ(halt->backend->queue_query(halt->queue, &halt->idle), 0);
    ++halt->starts;
    halt->backend->queue_resume(suspension);
  };
  // With nothing in front of the halt, and with a task.
  for (const int tasks : {0, 1}) {
    Counted before, behind;
    Halt halt = {backend_, queue_, &before};
    for (int i = 0; i < tasks; ++i) ASSERT_EQ(Submit(queue_, &before), 0);
    ASSERT_EQ(backend_->queue_suspend(queue_, start, &halt, nullptr), 0);
    ASSERT_EQ(Submit(queue_, &behind), 0);
    ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
    EXPECT_EQ(halt.starts, 1);
    EXPECT_EQ(halt.runs_before, tasks);
    EXPECT_EQ(halt.idle, 0);
    EXPECT_EQ(behind.runs.load(), 1);
  }
}

TEST_P(Conformance, MarkersOrderQueuesAndCarryTime) {
  Hold hold;
  Counted before, after;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  ASSERT_EQ(Submit(queue_, &before), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 0), 0);
  ASSERT_EQ(Submit(other_, &after), 0);
  EXPECT_EQ(backend_->marker_state(marker), ACLIMB_MARKER_PENDING);
  EXPECT_EQ(backend_->marker_time(marker), 0u);
  EXPECT_EQ(backend_->marker_wait(marker, 5, 1), kRtEventSyncTimeout);
  EXPECT_EQ(backend_->queue_wait(other_, 5), kRtStreamSyncTimeout);
  backend_->marker_retain(marker);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->marker_wait(marker, -1, 1), 0);
  backend_->marker_release(marker);
  EXPECT_EQ(backend_->marker_state(marker), ACLIMB_MARKER_DONE);
  EXPECT_GT(backend_->marker_time(marker), 0u);
  ASSERT_EQ(backend_->queue_wait(other_, -1), 0);
  EXPECT_EQ(before.runs.load(), 1);
  EXPECT_EQ(after.runs.load(), 1);
  AclimbMarker* later = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &later), 0);
  ASSERT_EQ(backend_->marker_wait(later, -1, 1), 0);
  EXPECT_GE(backend_->marker_time(later), backend_->marker_time(marker));
  backend_->marker_release(marker);
  backend_->marker_release(later);
}

TEST_P(Conformance, WaitOutlivesTheMarkersOwner) {
  Hold hold;
  Counted after;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 0), 0);
  backend_->marker_release(marker);
  ASSERT_EQ(Submit(other_, &after), 0);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->queue_wait(other_, -1), 0);
  EXPECT_EQ(after.runs.load(), 1);
}

TEST_P(Conformance, WaitTimeoutIsTheQueuesError) {
  Hold hold;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 30), 0);
  EXPECT_EQ(backend_->queue_wait(other_, -1), kRtEventSyncTimeout);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  backend_->marker_release(marker);
}

TEST_P(Conformance, FirstErrorIsReturnedOnceAndFailuresAreListed) {
  Counted one, two, three;
  one.code = kRtAicoreException;
  one.texts = {"it was not told to", "it was told to"};
  two.code = kRtAicpuException;
  three.texts = {"nobody asks one that succeeds"};
  ASSERT_EQ(Submit(queue_, &one), 0);
  ASSERT_EQ(Submit(queue_, &two), 0);
  ASSERT_EQ(Submit(queue_, &three), 0);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), kRtAicoreException);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(three.runs.load(), 1);
  AclimbTaskFailure failure = {};
  ASSERT_EQ(backend_->queue_take_failure(queue_, &failure), 1);
  EXPECT_EQ(failure.code, kRtAicoreException);
  EXPECT_STREQ(failure.task, "counted");
  EXPECT_STREQ(failure.why, "it was told to");
  std::free(failure.why);
  ASSERT_EQ(backend_->queue_take_failure(queue_, &failure), 1);
  EXPECT_EQ(failure.code, kRtAicpuException);
  EXPECT_EQ(failure.why, nullptr);
  EXPECT_EQ(backend_->queue_take_failure(queue_, &failure), 0);
}

TEST_P(Conformance, AFailureBehindAMarkerIsOfTheNextWait) {
  Counted one, two;
  one.code = kRtAicoreException;
  two.code = kRtAicpuException;
  AclimbMarker *marker = nullptr, *behind = nullptr;
  ASSERT_EQ(Submit(queue_, &one), 0);
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(Submit(queue_, &two), 0);
  ASSERT_EQ(backend_->queue_record(queue_, &behind), 0);
  EXPECT_EQ(backend_->marker_wait(behind, -1, /*take_error=*/0), 0);
  EXPECT_EQ(backend_->marker_wait(marker, -1, 1), kRtAicoreException);
  AclimbTaskFailure failure = {};
  ASSERT_EQ(backend_->queue_take_failure(queue_, &failure), 1);
  EXPECT_EQ(failure.code, kRtAicoreException);
  std::free(failure.why);
  EXPECT_EQ(backend_->queue_take_failure(queue_, &failure), 0) << "nobody was told of it yet";
  EXPECT_EQ(backend_->queue_wait(queue_, -1), kRtAicpuException);
  ASSERT_EQ(backend_->queue_take_failure(queue_, &failure), 1);
  EXPECT_EQ(failure.code, kRtAicpuException);
  std::free(failure.why);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), 0);
  backend_->marker_release(marker);
  backend_->marker_release(behind);
}

TEST_P(Conformance, StopOnFailureStopsTheGroup) {
  AclimbQueue* stopping = MakeQueue(77);
  AclimbQueue* beside = MakeQueue(77);
  ASSERT_EQ(backend_->queue_stop_on_failure(stopping), 0);
  Counted bad, behind, other, outside;
  bad.code = kRtAicoreException;
  ASSERT_EQ(Submit(stopping, &bad), 0);
  ASSERT_EQ(Submit(stopping, &behind), 0);
  EXPECT_EQ(backend_->queue_wait(stopping, -1), kRtAicoreException);
  EXPECT_EQ(backend_->queue_wait(stopping, -1), kRtAicoreException);
  ASSERT_EQ(Submit(beside, &other), 0);
  EXPECT_EQ(backend_->queue_wait(beside, -1), kRtAicoreException);
  ASSERT_EQ(Submit(queue_, &outside), 0);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(behind.runs + other.runs, 0);
  EXPECT_EQ(behind.releases + other.releases, 2) << "dropped tasks are released";
  EXPECT_EQ(outside.runs.load(), 1);
  EXPECT_EQ(backend_->queue_destroy(stopping, 1), 0);
  EXPECT_EQ(backend_->queue_destroy(beside, 1), 0);
}

TEST_P(Conformance, AbortDropsAndReleases) {
  Hold hold, never;
  Counted dropped, later;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  AclimbSuspension* suspension = hold.Reached();
  ASSERT_EQ(Submit(queue_, &dropped), 0);
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &never, nullptr), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 0), 0);
  ASSERT_EQ(backend_->queue_abort(queue_), 0);
  EXPECT_EQ(dropped.runs.load(), 0);
  EXPECT_EQ(dropped.releases.load(), 1);
  EXPECT_EQ(never.dropped.load(), 1);
  EXPECT_EQ(backend_->marker_state(marker), ACLIMB_MARKER_DROPPED);
  EXPECT_EQ(backend_->marker_wait(marker, -1, 1), kRtStreamAbort);
  EXPECT_EQ(backend_->queue_wait(other_, -1), kRtStreamAbort);
  int idle = 0;
  EXPECT_EQ(backend_->queue_query(other_, &idle), kRtStreamAbort);
  backend_->marker_release(marker);
  backend_->queue_resume(suspension);
  ASSERT_EQ(Submit(queue_, &later), 0);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(later.runs.load(), 1);
}

TEST_P(Conformance, DestroyWithoutDrainReleases) {
  AclimbQueue* queue = MakeQueue(5);
  Hold hold;
  Counted dropped;
  ASSERT_EQ(backend_->queue_suspend(queue, Hold::Start, &hold, nullptr), 0);
  AclimbSuspension* suspension = hold.Reached();
  AclimbMarker* done = nullptr;
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(other_, &done), 0);
  ASSERT_EQ(Submit(queue, &dropped), 0);
  ASSERT_EQ(backend_->queue_record(queue, &marker), 0);
  EXPECT_EQ(backend_->queue_destroy(queue, 0), 0);
  EXPECT_EQ(dropped.runs.load(), 0);
  EXPECT_EQ(dropped.releases.load(), 1);
  EXPECT_EQ(backend_->marker_state(marker), ACLIMB_MARKER_DROPPED);
  EXPECT_EQ(backend_->marker_wait(marker, -1, 1), kRtStreamAbort);
  EXPECT_EQ(backend_->marker_state(done), ACLIMB_MARKER_DONE);
  backend_->marker_release(marker);
  backend_->marker_release(done);
  backend_->queue_resume(suspension);
}

// Draining ends at work that can never run, and what is behind it is dropped, not done.
TEST_P(Conformance, DestroyWithDrainDropsWhatDependsOnDroppedWork) {
  AclimbQueue* queue = MakeQueue(5);
  Hold hold;
  Counted dropped;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  AclimbSuspension* suspension = hold.Reached();
  AclimbMarker* before = nullptr;
  AclimbMarker* behind = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &before), 0);
  ASSERT_EQ(backend_->queue_wait_marker(queue, before, 0), 0);
  ASSERT_EQ(Submit(queue, &dropped), 0);
  ASSERT_EQ(backend_->queue_record(queue, &behind), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, behind, 0), 0);
  ASSERT_EQ(backend_->queue_abort(queue_), 0);
  EXPECT_EQ(backend_->queue_destroy(queue, 1), 0);
  EXPECT_EQ(dropped.runs.load(), 0);
  EXPECT_EQ(dropped.releases.load(), 1);
  EXPECT_EQ(backend_->marker_state(behind), ACLIMB_MARKER_DROPPED);
  EXPECT_EQ(backend_->queue_wait(other_, -1), kRtStreamAbort);
  backend_->marker_release(before);
  backend_->marker_release(behind);
  backend_->queue_resume(suspension);
}

TEST_P(Conformance, FreedMemoryWaitsForQueuedWork) {
  const uint64_t bytes = uint64_t{1} << 20;
  char* old = Allocate(bytes);
  Hold hold;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  ASSERT_EQ(backend_->queue_fill(queue_, old, 1, 1, bytes, nullptr), 0);
  ASSERT_EQ(backend_->memory_free(device_, old), 0);
  char* fresh = Allocate(bytes);
  ASSERT_EQ(backend_->memory_fill(fresh, 2, 1, bytes), 0);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(Read(fresh, bytes), std::vector<uint8_t>(bytes, 2));
}

// What stands at a halt may last long and uses no memory; nor does a wait for it.
TEST_P(Conformance, FreedMemoryDoesNotWaitForHaltsAndWaits) {
  Hold hold;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 0), 0);
  AclimbSuspension* const suspension = hold.Reached();
  const auto free_bytes = [&] {
    uint64_t free = 0, total = 0;
    EXPECT_EQ(backend_->memory_info(device_, &free, &total), 0);
    return free;
  };
  const uint64_t before = free_bytes();
  char* const memory = Allocate(1000);
  ASSERT_EQ(backend_->memory_free(device_, memory), 0);
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(backend_->memory_waiting(device_), 0u);
  AclimbTask nothing = {};
  nothing.name = "nothing";
  nothing.run = [](void*) { return 0; };
  nothing.no_memory = 1;
  ASSERT_EQ(backend_->queue_submit(queue_, &nothing, nullptr), 0);
  ASSERT_EQ(backend_->memory_free(device_, Allocate(1000)), 0);
  EXPECT_EQ(backend_->memory_waiting(device_), 0u);
  // A task behind the wait may use memory that is freed later.
  Counted behind;
  char* const used = Allocate(1000);
  ASSERT_EQ(Submit(other_, &behind), 0);
  ASSERT_EQ(backend_->memory_free(device_, used), 0);
  EXPECT_EQ(free_bytes(), before - 1536);
  EXPECT_EQ(backend_->memory_waiting(device_), 1536u);
  backend_->queue_resume(suspension);
  ASSERT_EQ(backend_->queue_wait(other_, -1), 0);
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(backend_->memory_waiting(device_), 0u);
  backend_->marker_release(marker);
}

// The task behind a halt tells that memory is used there, which an abort does not end.
TEST_P(Conformance, FreedMemoryWaitsForAHaltWhoseTaskWasDropped) {
  Hold hold;
  Counted behind, later;
  char* const used = Allocate(1000);
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, nullptr), 0);
  ASSERT_EQ(Submit(queue_, &behind), 0);
  AclimbSuspension* const suspension = hold.Reached();
  ASSERT_EQ(backend_->queue_abort(queue_), 0);
  EXPECT_EQ(behind.releases.load(), 1);
  ASSERT_EQ(backend_->memory_free(device_, used), 0);
  EXPECT_EQ(backend_->memory_waiting(device_), 1536u);
  backend_->queue_resume(suspension);
  ASSERT_EQ(Submit(queue_, &later), 0);
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(backend_->memory_waiting(device_), 0u);
}

TEST_P(Conformance, CloseFreesWhatIsLeft) {
  uint64_t before = 0, after = 0, total = 0;
  ASSERT_EQ(backend_->memory_info(device_, &before, &total), 0);
  Allocate(uint64_t{8} << 20);
  ASSERT_EQ(backend_->queue_destroy(queue_, 1), 0);
  ASSERT_EQ(backend_->queue_destroy(other_, 1), 0);
  ASSERT_EQ(backend_->device_close(device_), 0);
  ASSERT_EQ(backend_->device_open(0, &device_), 0);
  ASSERT_EQ(backend_->memory_info(device_, &after, &total), 0);
  EXPECT_EQ(after, before);
  queue_ = MakeQueue(1);
  other_ = MakeQueue(1);
}

std::vector<std::string> Names() {
  const char* list = std::getenv("ACLIMB_CONFORMANCE");
  std::istringstream stream(list != nullptr ? list : "cpu");
  std::vector<std::string> names;
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, testing::ValuesIn(Names()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace aclimb
