#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/runtime/support.h"

namespace {

constexpr size_t kPage = size_t{2} << 20;
constexpr int kResets = ACLIMB_SANITIZED != 0 ? 1000 : 30000;

aclrtPhysicalMemProp Properties(uint32_t device = 0) {
  aclrtPhysicalMemProp prop = {};
  prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
  prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  prop.location.id = device;
  return prop;
}

class MappedMemoryTest : public runtime_test::RuntimeTest {
 protected:
  char* Reserve(size_t bytes) {
    void* address = nullptr;
    EXPECT_ACL(aclrtReserveMemAddress(&address, bytes, 0, nullptr, 1));
    return static_cast<char*>(address);
  }
  aclrtDrvMemHandle Physical(size_t bytes, uint32_t device = 0) {
    aclrtDrvMemHandle handle = nullptr;
    const aclrtPhysicalMemProp prop = Properties(device);
    EXPECT_ACL(aclrtMallocPhysical(&handle, bytes, &prop, 0));
    return handle;
  }
  static size_t FreeBytes() {
    size_t free = 0, total = 0;
    EXPECT_ACL(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
  }
};

TEST_F(MappedMemoryTest, Granularity) {
  aclrtPhysicalMemProp prop = Properties();
  size_t bytes = 0;
  EXPECT_ACL(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes));
  EXPECT_EQ(bytes, kPage);
  EXPECT_ACL(
      aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &bytes));
  EXPECT_EQ(bytes, kPage);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "prop", aclrtMemGetAllocationGranularity, nullptr,
                 ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "option is 2", aclrtMemGetAllocationGranularity, &prop,
                 static_cast<aclrtMemGranularityOptions>(2), &bytes);
  prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "prop.location.type",
                 aclrtMemGetAllocationGranularity, &prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                 &bytes);
}

TEST_F(MappedMemoryTest, MappedMemoryIsDeviceMemory) {
  char* range = Reserve(4 * kPage);
  aclrtDrvMemHandle memory = Physical(kPage);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no live allocation", aclrtMemset, range, 1, 7, 1);
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, memory, 0));
  EXPECT_EQ(Read(range + 1000, 3), (std::vector<uint8_t>{0, 0, 0}));
  // Now and in a stream's order.
  Write(range + 5, {1, 2, 3});
  ASSERT_ACL(aclrtMemsetAsync(range + 8, 100, 9, 2, stream_));
  ASSERT_ACL(aclrtMemcpyAsync(range + 100, kPage - 100, range + 5, 5, ACL_MEMCPY_DEVICE_TO_DEVICE,
                              stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(range + 100, 6), (std::vector<uint8_t>{1, 2, 3, 9, 9, 0}));
  // As an allocation of exactly this size.
  AclimbAllocation found;
  ASSERT_TRUE(aclimb_memory_find(range + kPage - 1, &found));
  EXPECT_EQ(found.base, range);
  EXPECT_EQ(found.usable, kPage);
  EXPECT_EQ(found.requested, kPage);
  EXPECT_EQ(static_cast<const uint8_t*>(found.kernel_base)[102], 3);
  EXPECT_FALSE(aclimb_memory_find(range + kPage, &found));
  aclrtPtrAttributes attributes = {};
  ASSERT_ACL(aclrtPointerGetAttributes(range + 3, &attributes));
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "ends after 1", aclrtMemset, range + kPage - 1, 2, 7,
                 2);
  std::vector<uint8_t> host(8);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "kind", aclrtMemcpy, range, 8, host.data(), 8,
                 ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "aclrtReserveMemAddress", aclrtFree, range);
  ASSERT_ACL(aclrtUnmapMem(range));
  EXPECT_FALSE(aclimb_memory_find(range, &found));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no live allocation", aclrtMemset, range, 1, 7, 1);
  // The memory keeps what it had.
  ASSERT_ACL(aclrtMapMem(range + 2 * kPage, kPage, 0, memory, 0));
  EXPECT_EQ(Read(range + 2 * kPage + 5, 3), (std::vector<uint8_t>{1, 2, 3}));
  ASSERT_ACL(aclrtUnmapMem(range + 2 * kPage));
  ASSERT_ACL(aclrtFreePhysical(memory));
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

// Pools grow by mapping behind what they have, and give out pieces across the borders.
TEST_F(MappedMemoryTest, NeighboursAreOnePiece) {
  char* range = Reserve(4 * kPage);
  aclrtDrvMemHandle pieces[4];
  for (aclrtDrvMemHandle& piece : pieces) piece = Physical(kPage);
  for (const size_t i : {0, 2, 3, 1}) {
    ASSERT_ACL(aclrtMapMem(range + i * kPage, kPage, 0, pieces[i], 0));
  }
  AclimbAllocation found;
  ASSERT_TRUE(aclimb_memory_find(range + 3 * kPage, &found));
  EXPECT_EQ(found.base, range);
  EXPECT_EQ(found.usable, 4 * kPage);
  ASSERT_ACL(aclrtMemset(range + 10, 4 * kPage - 10, 5, 3 * kPage));
  EXPECT_EQ(Read(range + 3 * kPage + 8, 3), (std::vector<uint8_t>{5, 5, 0}));
  // A hole in the middle, and then at both ends.
  ASSERT_ACL(aclrtUnmapMem(range + kPage));
  ASSERT_TRUE(aclimb_memory_find(range, &found));
  EXPECT_EQ(found.usable, kPage);
  EXPECT_FALSE(aclimb_memory_find(range + kPage, &found));
  ASSERT_TRUE(aclimb_memory_find(range + 3 * kPage + 1, &found));
  EXPECT_EQ(found.base, range + 2 * kPage);
  EXPECT_EQ(found.usable, 2 * kPage);
  EXPECT_EQ(static_cast<const uint8_t*>(found.kernel_base)[kPage + 9], 5);
  EXPECT_EQ(static_cast<const uint8_t*>(found.kernel_base)[kPage + 10], 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "ends after", aclrtMemset, range, 2 * kPage, 5,
                 kPage + 1);
  ASSERT_ACL(aclrtUnmapMem(range + 3 * kPage));
  ASSERT_TRUE(aclimb_memory_find(range + 2 * kPage, &found));
  EXPECT_EQ(found.usable, kPage);
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtUnmapMem(range + 2 * kPage));
  for (aclrtDrvMemHandle piece : pieces) ASSERT_ACL(aclrtFreePhysical(piece));
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

TEST_F(MappedMemoryTest, OnePieceAtTwoPlacesAndInParts) {
  char* range = Reserve(4 * kPage);
  aclrtDrvMemHandle memory = Physical(2 * kPage);
  ASSERT_ACL(aclrtMapMem(range, 2 * kPage, 0, memory, 0));
  ASSERT_ACL(aclrtMapMem(range + 3 * kPage, kPage, kPage, memory, 0));
  Write(range + kPage + 7, {42});
  EXPECT_EQ(Read(range + 3 * kPage + 7, 1), (std::vector<uint8_t>{42}));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "mapped at 2 addresses", aclrtFreePhysical, memory);
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtUnmapMem(range + 3 * kPage));
  ASSERT_ACL(aclrtFreePhysical(memory));
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

TEST_F(MappedMemoryTest, FreedMemoryIsFreeAndComesBackAsZeros) {
  const size_t before = FreeBytes();
  char* range = Reserve(size_t{1} << 33);
  EXPECT_EQ(FreeBytes(), before) << "addresses are not memory";
  for (int round = 0; round < 20; ++round) {
    aclrtDrvMemHandle memory = Physical(8 * kPage);
    EXPECT_EQ(before - FreeBytes(), 8 * kPage);
    ASSERT_ACL(aclrtMapMem(range, 8 * kPage, 0, memory, 0));
    EXPECT_EQ(Read(range + 12345, 2), (std::vector<uint8_t>{0, 0}));
    ASSERT_ACL(aclrtMemset(range, 8 * kPage, 0xFF, 8 * kPage));
    ASSERT_ACL(aclrtUnmapMem(range));
    ASSERT_ACL(aclrtFreePhysical(memory));
    EXPECT_EQ(FreeBytes(), before);
  }
  ASSERT_ACL(aclrtReleaseMemAddress(range));
  aclrtDrvMemHandle memory = nullptr;
  const aclrtPhysicalMemProp prop = Properties();
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "size is ", aclrtMallocPhysical, &memory,
                 before + kPage - before % kPage, &prop, 0);
}

// Queued work may go on using what was unmapped, and does not disturb what comes after it.
TEST_F(MappedMemoryTest, UnmappingDoesNotWait) {
  char* range = Reserve(2 * kPage);
  aclrtDrvMemHandle first = Physical(2 * kPage);
  aclrtDrvMemHandle second = Physical(kPage);
  ASSERT_ACL(aclrtMapMem(range, 2 * kPage, 0, first, 0));
  runtime_test::Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtMemsetAsync(range, 2 * kPage, 1, 2 * kPage, stream_));
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtFreePhysical(first));
  // The other half is still as the queued work needs it.
  ASSERT_ACL(aclrtMapMem(range + kPage, kPage, 0, second, 0));
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(range + kPage, 1).size(), 1u);
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, second, 0));
  Write(range, {3});
  EXPECT_EQ(Read(range + kPage, 1), (std::vector<uint8_t>{3}));
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtUnmapMem(range + kPage));
  ASSERT_ACL(aclrtFreePhysical(second));
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

// Ordinary allocations come out of the same capacity.
TEST_F(MappedMemoryTest, FreedMemoryBecomesAnOrdinaryAllocation) {
  const size_t size = 80 * kPage;  // of 128
  char* range = Reserve(size);
  aclrtDrvMemHandle memory = Physical(size);
  ASSERT_ACL(aclrtMapMem(range, size, 0, memory, 0));
  runtime_test::Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtMemsetAsync(range, size, 1, 64, stream_));
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtFreePhysical(memory));
  void* address = nullptr;
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "(167772160 freed bytes wait for", aclrtMalloc,
                 &address, size, ACL_MEM_MALLOC_HUGE_FIRST);
  const aclrtPhysicalMemProp prop = Properties();
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "(167772160 freed bytes wait for",
                 aclrtMallocPhysical, &memory, size, &prop, 0);
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeDevice());
  ASSERT_ACL(aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL(aclrtFree(address));
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

// Under the checker too, which keeps some of it for a while.
TEST_F(MappedMemoryTest, FreedAllocationsMakeRoom) {
  ASSERT_ACL(aclrtFree(Allocate(15 * kPage)));  // of 128
  ASSERT_ACL(aclrtFreePhysical(Physical(120 * kPage)));
}

TEST_F(MappedMemoryTest, ALimitOfFilesIsNamed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process without the file
  const auto limited = [] {
    const rlimit limit = {size_t{1} << 30, size_t{1} << 30};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::exit(1);
    const aclrtPhysicalMemProp prop = Properties();
    aclrtDrvMemHandle memory = nullptr;
    const int code = aclrtMallocPhysical(&memory, kPage, &prop, 0);
    std::fprintf(stderr, "%d %s\n", code, aclGetRecentErrMsg());
    std::exit(0);
  };
  EXPECT_EXIT(limited(), testing::ExitedWithCode(0),
              "207001 aclrtMallocPhysical: .*ftruncate .*File too large.*RLIMIT_FSIZE is "
              "1073741824 bytes.*\n  fix: raise RLIMIT_FSIZE");
}

TEST_F(MappedMemoryTest, NonsenseIsRefused) {
  void* address = nullptr;
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "virPtr", aclrtReserveMemAddress, nullptr, kPage, 0,
                 nullptr, 0);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "size is 0", aclrtReserveMemAddress, &address, 0, 0,
                 nullptr, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "alignment is 3", aclrtReserveMemAddress, &address,
                 kPage, 3, nullptr, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "expectPtr", aclrtReserveMemAddress, &address, kPage,
                 0, this, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flags is 2", aclrtReserveMemAddress, &address, kPage,
                 0, nullptr, 2);
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "size is", aclrtReserveMemAddress, &address,
                 size_t{1} << 62, 0, nullptr, 0);
  EXPECT_EQ(address, nullptr);

  aclrtDrvMemHandle memory = nullptr;
  aclrtPhysicalMemProp prop = Properties(7);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "prop.location.id is 7", aclrtMallocPhysical,
                 &memory, kPage, &prop, 0);
  prop = Properties(1);
  EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "current context", aclrtMallocPhysical, &memory, kPage,
                 &prop, 0);
  prop = Properties();
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "size is 1", aclrtMallocPhysical, &memory, 1, &prop,
                 0);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "prop", aclrtMallocPhysical, &memory, kPage, nullptr, 0);
  prop.memAttr = static_cast<aclrtMemAttr>(99);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "prop.memAttr is 99", aclrtMallocPhysical, &memory,
                 kPage, &prop, 0);
  EXPECT_EQ(memory, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "handle", aclrtFreePhysical, nullptr);

  char* range = Reserve(2 * kPage);
  memory = Physical(kPage);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no reserved range", aclrtMapMem, range + kPage,
                 2 * kPage, 0, memory, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no reserved range", aclrtMapMem, this, kPage, 0,
                 memory, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "4096 bytes into", aclrtMapMem, range + 4096, kPage, 0,
                 memory, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "memory has 2097152", aclrtMapMem, range, 2 * kPage, 0,
                 memory, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "memory has 2097152", aclrtMapMem, range, kPage, kPage,
                 memory, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "stream", aclrtMapMem, range, kPage, 0, stream_, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flags is 1", aclrtMapMem, range, kPage, 0, memory, 1);
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, memory, 0));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "mapped already", aclrtMapMem, range, kPage, 0, memory,
                 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "has 1 mappings", aclrtReleaseMemAddress, range);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no mapping begins", aclrtUnmapMem, range + kPage);
  ASSERT_ACL(aclrtUnmapMem(range));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no mapping begins", aclrtUnmapMem, range);
  ASSERT_ACL(aclrtFreePhysical(memory));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "freed physical memory", aclrtFreePhysical, memory);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no reserved range's start", aclrtReleaseMemAddress,
                 range + kPage);
  ASSERT_ACL(aclrtReleaseMemAddress(range));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no reserved range's start", aclrtReleaseMemAddress,
                 range);
}

TEST_F(MappedMemoryTest, RangesAreWholePages) {
  char* range = Reserve(512);
  aclrtDrvMemHandle memory = Physical(kPage);
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, memory, 0));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no reserved range", aclrtMapMem, range + kPage, kPage,
                 0, memory, 0);
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtFreePhysical(memory));
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

TEST_F(MappedMemoryTest, AResetEndsTheMemoryAndKeepsTheAddresses) {
  ASSERT_ACL(aclrtSetDevice(1));
  char* range = Reserve(2 * kPage);
  aclrtDrvMemHandle memory = Physical(kPage, 1);
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, memory, 0));
  AclimbAllocation found;
  ASSERT_TRUE(aclimb_memory_find(range, &found));
  EXPECT_EQ(found.device, 1);
  ASSERT_ACL(aclrtResetDevice(1));
  EXPECT_FALSE(aclimb_memory_find(range, &found));
  ASSERT_ACL(aclrtSetDevice(0));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "freed physical memory", aclrtFreePhysical, memory);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no mapping begins", aclrtUnmapMem, range);
  memory = Physical(kPage);
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, memory, 0));
  EXPECT_EQ(Read(range, 1), (std::vector<uint8_t>{0}));
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtFreePhysical(memory));
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

// Late frees meet the reset at any point of it.
TEST_F(MappedMemoryTest, AResetWhileMemoryIsMappedLeavesOtherMemoryAlone) {
  std::vector<void*> others;
  for (int i = 0; i < 4; ++i) others.push_back(Allocate(4096));
  constexpr size_t kThreads = 2;
  char* range = Reserve(2 * kThreads * kPage);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      char* const mine = range + 2 * i * kPage;  // has no neighbour
      const aclrtPhysicalMemProp prop = Properties(1);
      while (!stop) {
        aclrtDrvMemHandle memory = nullptr;
        if (aclrtMallocPhysical(&memory, kPage, &prop, 0) != 0) continue;
        if (aclrtMapMem(mine, kPage, 0, memory, 0) == 0) aclrtUnmapMem(mine);
        aclrtFreePhysical(memory);
      }
    });
  }
  std::thread resetting([&] {
    for (int i = 0; i < kResets; ++i) {
      EXPECT_ACL(aclrtSetDevice(1));
      EXPECT_ACL(aclrtResetDeviceForce(1));
    }
    stop = true;
  });
  resetting.join();
  for (std::thread& thread : threads) thread.join();
  for (void* const other : others) {
    void* base = nullptr;
    size_t size = 0;
    ASSERT_ACL(aclrtMemGetAddressRange(other, &base, &size));
    EXPECT_EQ(size, 4096u);
    ASSERT_ACL(aclrtFree(other));
  }
  AclimbAllocation found;
  for (size_t i = 0; i < 2 * kThreads; ++i) {
    EXPECT_FALSE(aclimb_memory_find(range + i * kPage, &found));
  }
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

TEST_F(MappedMemoryTest, SharedWithinTheProcess) {
  aclrtDrvMemHandle memory = Physical(kPage);
  uint64_t shareable = 0;
  ASSERT_ACL(aclrtMemExportToShareableHandle(memory, ACL_MEM_HANDLE_TYPE_NONE, 0, &shareable));
  int32_t pid = 0;
  ASSERT_ACL(aclrtDeviceGetBareTgid(&pid));
  EXPECT_EQ(pid, getpid());
  ASSERT_ACL(aclrtMemSetPidToShareableHandle(shareable, &pid, 1));
  aclrtDrvMemHandle again = nullptr;
  ASSERT_ACL(aclrtMemImportFromShareableHandle(shareable, 0, &again));
  EXPECT_NE(again, memory);
  char* range = Reserve(kPage);
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, memory, 0));
  Write(range, {5});
  ASSERT_ACL(aclrtUnmapMem(range));
  // The memory lives as long as one of its handles.
  ASSERT_ACL(aclrtFreePhysical(memory));
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, again, 0));
  EXPECT_EQ(Read(range, 1), (std::vector<uint8_t>{5}));
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtFreePhysical(again));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "no live memory", aclrtMemImportFromShareableHandle,
                 shareable, 0, &again);
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

TEST_F(MappedMemoryTest, NotSharedWithOthers) {
  aclrtDrvMemHandle memory = Physical(kPage);
  uint64_t shareable = 0;
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "handleType is 2",
                 aclrtMemExportToShareableHandle, memory, ACL_MEM_HANDLE_TYPE_POSIX, 0, &shareable);
  ASSERT_ACL(aclrtMemExportToShareableHandle(memory, ACL_MEM_HANDLE_TYPE_NONE, 0, &shareable));
  int32_t other = getppid();
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "pid[0]", aclrtMemSetPidToShareableHandle,
                 shareable, &other, 1);
  aclrtDrvMemHandle again = nullptr;
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "shareableHandle is 987654",
                 aclrtMemImportFromShareableHandle, 987654, 0, &again);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "pid", aclrtDeviceGetBareTgid, nullptr);
  ASSERT_ACL(aclrtFreePhysical(memory));
}

TEST_F(MappedMemoryTest, TheHostCannotTouchIt) {
  char* range = Reserve(kPage);
  aclrtDrvMemHandle memory = Physical(kPage);
  ASSERT_ACL(aclrtMapMem(range, kPage, 0, memory, 0));
  if (!ACLIMB_SANITIZED) {
    EXPECT_EXIT(*static_cast<volatile char*>(range + 9) = 1, testing::KilledBySignal(SIGSEGV),
                "range of aclrtReserveMemAddress(.|\n)*aclrtMemcpy");
  }
  ASSERT_ACL(aclrtUnmapMem(range));
  ASSERT_ACL(aclrtFreePhysical(memory));
  ASSERT_ACL(aclrtReleaseMemAddress(range));
}

}  // namespace
