// What every backend must do with memory. conformance_test.cc has the list of backends.
#include <numeric>

#include "aclimb/backend/conformance.h"

namespace aclimb {
namespace {

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

TEST_P(Conformance, FreedMemoryWaitsForQueuedWork) {
  const uint64_t bytes = uint64_t{1} << 20;
  char* old = Allocate(bytes);
  Hold hold;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
  ASSERT_EQ(backend_->queue_fill(queue_, old, 1, 1, bytes, nullptr), 0);
  ASSERT_EQ(backend_->memory_free(device_, old), 0);
  char* fresh = Allocate(bytes);
  ASSERT_EQ(backend_->memory_fill(fresh, 2, 1, bytes), 0);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(Read(fresh, bytes), std::vector<uint8_t>(bytes, 2));
}

// Of work that was queued later than what the ticket stands for, freed memory is free at once.
TEST_P(Conformance, FreedMemoryWaitsForTheWorkOfItsTicket) {
  char* const used = Allocate(1000);
  char* const late = Allocate(1000);
  char* const early = Allocate(1000);
  const uint64_t ticket = backend_->memory_ticket();
  Hold hold;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
  ASSERT_EQ(backend_->queue_fill(queue_, used, 1, 1, 1000, nullptr), 0);
  ASSERT_EQ(backend_->memory_free(device_, late), 0);
  EXPECT_EQ(backend_->memory_waiting(device_), 1536u);
  ASSERT_EQ(backend_->memory_free_as_of(device_, early, ticket), 0);
  EXPECT_EQ(backend_->memory_waiting(device_), 1536u);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(backend_->memory_waiting(device_), 0u);
  ASSERT_EQ(backend_->memory_free(device_, used), 0);
}

// What stands at a halt may last long and uses no memory; nor does a wait for it.
TEST_P(Conformance, FreedMemoryDoesNotWaitForHaltsAndWaits) {
  Hold hold;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
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

// An abort drops what is behind a halt under way and does not end what the halt stands for.
TEST_P(Conformance, FreedMemoryWaitsForAHaltThatUsesMemory) {
  for (const int uses_memory : {0, 1}) {
    SCOPED_TRACE(uses_memory);
    Hold hold, between;
    Counted behind;
    char* const used = Allocate(1000);
    ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, uses_memory, nullptr), 0);
    ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &between, 1, nullptr), 0);
    ASSERT_EQ(Submit(queue_, &behind), 0);
    AclimbSuspension* const suspension = hold.Reached();
    ASSERT_EQ(backend_->memory_free(device_, used), 0);
    EXPECT_EQ(backend_->memory_waiting(device_), 1536u);
    ASSERT_EQ(backend_->queue_abort(queue_), 0);
    EXPECT_EQ(behind.releases.load(), 1);
    EXPECT_EQ(backend_->memory_waiting(device_), uses_memory != 0 ? 1536u : 0u);
    backend_->queue_resume(suspension);
    EXPECT_EQ(backend_->memory_waiting(device_), 0u);
  }
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

}  // namespace
}  // namespace aclimb
