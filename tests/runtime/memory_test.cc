#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/runtime/support.h"

namespace {

using MemoryTest = runtime_test::RuntimeTest;

size_t FreeBytes() {
  size_t free = 0, total = 0;
  EXPECT_ACL(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  EXPECT_LE(free, total);
  return free;
}

TEST_F(MemoryTest, AlignedPaddedAndFound) {
  for (const size_t size : {size_t{1}, size_t{8}, size_t{32}, size_t{33}, size_t{4096},
                            size_t{1} << 20, (size_t{3} << 20) + 7}) {
    uint8_t* memory = static_cast<uint8_t*>(Allocate(size));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 512, 0u);
    AclimbAllocation found;
    ASSERT_TRUE(aclimb_memory_find(memory + size / 2, &found));
    EXPECT_EQ(found.base, memory);
    EXPECT_EQ(found.requested, size);
    EXPECT_EQ(found.usable, (size + 31) / 32 * 32 + 32);
    EXPECT_FALSE(aclimb_memory_find(memory + found.usable, &found));
    void* base = nullptr;
    size_t bytes = 0;
    ASSERT_ACL(aclrtMemGetAddressRange(memory + size - 1, &base, &bytes));
    EXPECT_EQ(base, memory);
    EXPECT_EQ(bytes, size);
    ASSERT_ACL(aclrtFree(memory));
    EXPECT_FALSE(aclimb_memory_find(memory, &found));
  }
}

// A thread remembers what it found, and must notice that another one freed it.
TEST_F(MemoryTest, WhatAnotherThreadFreedIsFoundNoMore) {
  uint8_t* const memory = static_cast<uint8_t*>(Allocate(4096));
  AclimbAllocation found;
  ASSERT_TRUE(aclimb_memory_find(memory + 5, &found));
  ASSERT_TRUE(aclimb_memory_find(memory + 5, &found));
  std::thread([&] { ASSERT_ACL(aclrtFree(memory)); }).join();
  EXPECT_FALSE(aclimb_memory_find(memory + 5, &found));
  std::thread([&] {
    ASSERT_ACL(aclrtSetDevice(0));
    EXPECT_EQ(Allocate(64), memory) << "the test needs memory that is reused";
  }).join();
  ASSERT_TRUE(aclimb_memory_find(memory + 5, &found));
  EXPECT_EQ(found.requested, 64u);
  EXPECT_FALSE(aclimb_memory_find(memory + 1000, &found));
  ASSERT_ACL(aclrtFree(memory));
}

TEST_F(MemoryTest, WhatAResetFreedIsFoundNoMore) {
  uint8_t* const memory = static_cast<uint8_t*>(Allocate(4096));
  AclimbAllocation found;
  ASSERT_TRUE(aclimb_memory_find(memory, &found));
  std::thread([&] { ASSERT_ACL(aclrtResetDeviceForce(0)); }).join();
  EXPECT_FALSE(aclimb_memory_find(memory, &found));
  ASSERT_ACL(aclrtSetDevice(0));
}

TEST_F(MemoryTest, ManyAreFoundInTurn) {
  std::vector<uint8_t*> blocks(20);
  for (uint8_t*& block : blocks) block = static_cast<uint8_t*>(Allocate(4096));
  for (int round = 0; round < 3; ++round) {
    for (uint8_t* block : blocks) {
      AclimbAllocation found;
      ASSERT_TRUE(aclimb_memory_find(block + 4127, &found));
      EXPECT_EQ(found.base, block);
      EXPECT_FALSE(aclimb_memory_find(block + 4128, &found) && found.base == block);
    }
  }
  for (uint8_t* block : blocks) ASSERT_ACL(aclrtFree(block));
}

TEST_F(MemoryTest, SlackIsZeroAlsoInReusedMemory) {
  for (int round = 0; round < 3; ++round) {
    const size_t size = 40;
    uint8_t* memory = static_cast<uint8_t*>(Allocate(size));
    const std::vector<uint8_t> slack = Read(memory + size, 64 + 32 - size);
    for (const uint8_t byte : slack) ASSERT_EQ(byte, 0);
    // The slack may be used.
    ASSERT_ACL(aclrtMemset(memory, 96, 0xFF, 96));
    ASSERT_ACL(aclrtFree(memory));
  }
}

TEST_F(MemoryTest, FreshMemoryIsZero) {
  uint8_t* memory = static_cast<uint8_t*>(Allocate(100000));
  for (const uint8_t byte : Read(memory, 100000)) ASSERT_EQ(byte, 0);
  ASSERT_ACL(aclrtFree(memory));
}

TEST_F(MemoryTest, AllAllocatorsAndPolicies) {
  void* memory = nullptr;
  for (const int policy : {0, 1, 2, 3, 4, 5, 6, 7, 0x100, 0x1000, 0x100001, 12345}) {
    ASSERT_ACL(aclrtMalloc(&memory, 64, static_cast<aclrtMemMallocPolicy>(policy)));
    ASSERT_ACL(aclrtFree(memory));
  }
  ASSERT_ACL(aclrtMallocAlign32(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL(aclrtFree(memory));
  ASSERT_ACL(aclrtMallocCached(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL(aclrtMemFlush(memory, 64));
  ASSERT_ACL(aclrtMemInvalidate(memory, 64));
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "size is 0", aclrtMemFlush, memory, 0);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "devPtr is null", aclrtMemInvalidate, nullptr, 4);
  ASSERT_ACL(aclrtFree(memory));
  ASSERT_ACL(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, nullptr));
  ASSERT_ACL(aclrtFree(memory));
  aclrtMallocConfig config = {nullptr, 0};
  ASSERT_ACL(aclrtMallocForTaskScheduler(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
  ASSERT_ACL(aclrtFreeWithDevSync(memory));
}

TEST_F(MemoryTest, Misuse) {
  void* memory = &memory;
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "size is 0", aclrtMalloc, &memory, 0,
                 ACL_MEM_MALLOC_HUGE_FIRST);
  EXPECT_EQ(memory, &memory);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "devPtr is null", aclrtMalloc, nullptr, 8,
                 ACL_MEM_MALLOC_HUGE_FIRST);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "devPtr is null", aclrtFree, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "devPtr is null", aclrtFreeWithDevSync, nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "which is host memory", aclrtFree, &memory);
  uint8_t* live = static_cast<uint8_t*>(Allocate(100));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "8 bytes inside", aclrtFree, live + 8);
  ASSERT_ACL(aclrtFree(live));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "which is the allocation of 100 bytes that was freed",
                 aclrtFree, live);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "that was freed", aclrtMemset, live, 8, 0, 8);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "lies 24 bytes inside the allocation of 100 bytes",
                 aclrtMemset, live + 24, 8, 0, 8);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "that was freed", aclrtMemGetAddressRange, live,
                 &memory, nullptr);
  size_t bytes;
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "free is null", aclrtGetMemInfo, ACL_HBM_MEM, nullptr,
                 &bytes);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "total is null", aclrtGetMemInfo, ACL_HBM_MEM, &bytes,
                 nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "attr is 99", aclrtGetMemInfo,
                 static_cast<aclrtMemAttr>(99), &bytes, &bytes);
}

TEST_F(MemoryTest, CapacityIsTheLimit) {
  size_t free = 0, total = 0;
  ASSERT_ACL(aclrtGetMemInfo(ACL_DDR_MEM, &free, &total));
  EXPECT_EQ(total, size_t{256} << 20) << "set by the test's environment";
  void* memory = nullptr;
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "bytes free", aclrtMalloc, &memory, total,
                 ACL_MEM_MALLOC_HUGE_FIRST);
  EXPECT_EQ(memory, nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "bytes free", aclrtMalloc, &memory, SIZE_MAX,
                 ACL_MEM_MALLOC_HUGE_FIRST);
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "bytes free", aclrtMalloc, &memory, SIZE_MAX - 40,
                 ACL_MEM_MALLOC_HUGE_FIRST);
  // Filled to the brim, usable again after a free.
  std::vector<void*> blocks;
  const size_t before = FreeBytes();
  for (;;) {
    const int code = aclrtMalloc(&memory, size_t{10} << 20, ACL_MEM_MALLOC_HUGE_FIRST);
    if (code != 0) {
      EXPECT_EQ(code, ACL_ERROR_RT_MEMORY_ALLOCATION);
      break;
    }
    blocks.push_back(memory);
    ASSERT_LE(blocks.size(), 25u);
  }
  EXPECT_EQ(blocks.size(), 25u);
  ASSERT_ACL(aclrtFree(blocks.back()));
  ASSERT_ACL(aclrtMalloc(&blocks.back(), size_t{10} << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  for (void* block : blocks) ASSERT_ACL(aclrtFree(block));
  EXPECT_EQ(FreeBytes(), before);
}

TEST_F(MemoryTest, InfoShowsNoLeakWhereThereIsNone) {
  size_t before = 0, after = 0, total = 0;
  ASSERT_ACL(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
  for (const size_t bytes : {size_t{1}, size_t{512}, size_t{100000}}) {
    for (int i = 0; i < 200; ++i) {
      void* memory = nullptr;
      ASSERT_ACL(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
      ASSERT_ACL(aclrtFree(memory));
    }
    ASSERT_ACL(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EXPECT_EQ(after, before) << bytes;
  }
}

TEST_F(MemoryTest, FragmentsAreToldFromTooLittle) {
  std::vector<void*> kept;
  std::vector<void*> freed;
  for (int i = 0; i < 28; ++i) {
    (i % 4 == 3 ? kept : freed).push_back(Allocate(size_t{9} << 20));
  }
  for (void* block : freed) ASSERT_ACL(aclrtFree(block));
  const size_t bytes = FreeBytes();
  void* memory = nullptr;
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "no piece of which holds size and its rounding",
                 aclrtMalloc, &memory, bytes - 4096, ACL_MEM_MALLOC_HUGE_FIRST);
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "expected size <= free", aclrtMalloc, &memory,
                 bytes + 1, ACL_MEM_MALLOC_HUGE_FIRST);
  for (void* block : kept) ASSERT_ACL(aclrtFree(block));
}

TEST_F(MemoryTest, FragmentsMergeAgain) {
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks;
    for (int i = 0; i < 60; ++i) blocks.push_back(Allocate((size_t{1} << 20) * (1 + i % 5)));
    for (size_t i = 0; i < blocks.size(); i += 2) ASSERT_ACL(aclrtFree(blocks[i]));
    for (size_t i = 1; i < blocks.size(); i += 2) ASSERT_ACL(aclrtFree(blocks[i]));
    void* large = Allocate(size_t{250} << 20);
    ASSERT_NE(large, nullptr);
    ASSERT_ACL(aclrtFree(large));
  }
}

// Resident bytes of this process.
size_t Resident() {
  std::ifstream file("/proc/self/statm");
  size_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
}

TEST_F(MemoryTest, RepeatedUseDoesNotGrow) {
  if (ACLIMB_SANITIZED != 0) GTEST_SKIP() << "a sanitizer's own bookkeeping grows";
  const auto use = [&] {
    for (int i = 0; i < 50; ++i) {
      void* small = Allocate(1000);
      void* large = Allocate(size_t{4} << 20);
      ASSERT_ACL(aclrtMemsetAsync(large, size_t{4} << 20, 1, size_t{4} << 20, stream_));
      aclrtStream stream;
      ASSERT_ACL(aclrtCreateStream(&stream));
      aclrtEvent event;
      ASSERT_ACL(aclrtCreateEvent(&event));
      ASSERT_ACL(aclrtRecordEvent(event, stream));
      ASSERT_ACL(aclrtSynchronizeStream(stream_));
      ASSERT_ACL(aclrtDestroyEvent(event));
      ASSERT_ACL(aclrtDestroyStream(stream));
      ASSERT_ACL(aclrtFree(large));
      ASSERT_ACL(aclrtFree(small));
    }
  };
  for (int i = 0; i < 40; ++i) use();
  const size_t before = Resident();
  for (int i = 0; i < 40; ++i) use();
  EXPECT_LT(Resident(), before + (size_t{1} << 20));
}

TEST_F(MemoryTest, FreedMemoryIsNotReusedUnderQueuedWork) {
  const size_t size = size_t{1} << 20;
  void* old = Allocate(size);
  runtime_test::Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtMemsetAsync(old, size, 0x11, size, stream_));
  ASSERT_ACL(aclrtFree(old));  // returns at once, although the fill is still to come
  void* fresh = Allocate(size);
  EXPECT_NE(fresh, old);
  ASSERT_ACL(aclrtMemset(fresh, size, 0x22, size));
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  for (const uint8_t byte : Read(fresh, size)) ASSERT_EQ(byte, 0x22);
  void* reused = Allocate(size);
  EXPECT_EQ(reused, old) << "done work gives the memory back";
  ASSERT_ACL(aclrtFree(reused));
  ASSERT_ACL(aclrtFree(fresh));
}

TEST_F(MemoryTest, FreedMemoryCountsWhileQueuedWorkMayUseIt) {
  const size_t size = size_t{200} << 20;  // of 256
  void* old = Allocate(size);
  runtime_test::Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtMemsetAsync(old, 64, 0x11, 64, stream_));
  ASSERT_ACL(aclrtFree(old));
  EXPECT_LT(FreeBytes(), size);
  void* fresh = nullptr;
  EXPECT_REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, "bytes free (209715712 freed bytes wait for",
                 aclrtMalloc, &fresh, size, ACL_MEM_MALLOC_HUGE_FIRST);
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_GE(FreeBytes(), size);
  fresh = Allocate(size);
  ASSERT_ACL(aclrtFree(fresh));
}

// A host function may last for hours, and a stream may wait for it.
TEST_F(MemoryTest, FreedMemoryDoesNotWaitForAHostFunction) {
  const size_t size = size_t{100} << 20;  // of 256
  runtime_test::Gate gate;
  gate.Close(other_);
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  ASSERT_ACL(aclrtRecordEvent(event, other_));
  aclrtStream waiting;
  ASSERT_ACL(aclrtCreateStream(&waiting));
  ASSERT_ACL(aclrtStreamWaitEvent(waiting, event));
  for (int round = 0; round < 4; ++round) {
    void* memory = Allocate(size);
    ASSERT_NE(memory, nullptr);
    ASSERT_ACL(aclrtMemsetAsync(memory, size, 1, 64, stream_));
    ASSERT_ACL(aclrtSynchronizeStream(stream_));
    ASSERT_ACL(aclrtFree(memory));
  }
  gate.Open();
  ASSERT_ACL(aclrtDestroyStream(waiting));
  ASSERT_ACL(aclrtDestroyEvent(event));
}

TEST_F(MemoryTest, HostMemory) {
  void* host = nullptr;
  ASSERT_ACL(aclrtMallocHost(&host, 1000));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(host) % 64, 0u);
  std::memset(host, 7, 1000);
  aclrtPtrAttributes attributes;
  ASSERT_ACL(aclrtPointerGetAttributes(static_cast<char*>(host) + 999, &attributes));
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  ASSERT_ACL(aclrtPointerGetAttributes(&attributes, &attributes));
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  ASSERT_ACL(aclrtMemset(host, 1000, 0x15, 1000));
  EXPECT_EQ(static_cast<uint8_t*>(host)[999], 0x15);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost", aclrtFree, host);
  void* device = Allocate(8);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "hostPtr is", aclrtFreeHost, device);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "hostPtr is null", aclrtFreeHost, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "hostPtr is null", aclrtMallocHost, nullptr, 8);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "size is 0", aclrtMallocHost, &device, 0);
  ASSERT_ACL(aclrtFreeHost(host));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "hostPtr is", aclrtFreeHost, host);
  ASSERT_ACL(aclrtMallocHostWithCfg(&host, 8, nullptr));
  ASSERT_ACL(aclrtFreeHostWithDevSync(host));
}

TEST_F(MemoryTest, HostRegister) {
  void* pages = std::aligned_alloc(4096, 8192);
  ASSERT_NE(pages, nullptr);
  void* device_view = nullptr;
  ASSERT_ACL(aclrtHostRegister(pages, 8192, ACL_HOST_REGISTER_MAPPED, &device_view));
  EXPECT_NE(device_view, nullptr);
  void* again = nullptr;
  EXPECT_REFUSED(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "page-locked", aclrtHostRegister, pages,
                 8192, ACL_HOST_REGISTER_MAPPED, &again);
  EXPECT_EQ(again, nullptr);
  ASSERT_ACL(aclrtHostGetDevicePointer(pages, &again, 0));
  EXPECT_EQ(again, device_view);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flag is 1", aclrtHostGetDevicePointer, pages, &again,
                 1);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "hostPtr is", aclrtFreeHost, pages);
  // The device's view serves as device memory, and the memory stays host memory.
  void* memory = Allocate(8192);
  ASSERT_ACL(aclrtMemset(memory, 8192, 0x5A, 8192));
  ASSERT_ACL(aclrtMemcpy(device_view, 8192, memory, 8192, ACL_MEMCPY_DEVICE_TO_DEVICE));
  EXPECT_EQ(static_cast<uint8_t*>(pages)[8191], 0x5A);
  static_cast<uint8_t*>(pages)[8191] = 7;
  ASSERT_ACL(aclrtMemcpy(memory, 8192, pages, 8192, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_EQ(Read(memory, 8192)[8191], 7);
  AclimbAllocation found = {};
  ASSERT_EQ(aclimb_memory_find(static_cast<char*>(device_view) + 100, &found), 1);
  EXPECT_EQ(found.base, device_view);
  EXPECT_EQ(found.kernel_base, pages);
  EXPECT_EQ(found.usable, 8192u);
  void* base = nullptr;
  size_t size = 0;
  ASSERT_ACL(aclrtMemGetAddressRange(static_cast<char*>(device_view) + 100, &base, &size));
  EXPECT_EQ(base, device_view);
  EXPECT_EQ(size, 8192u);
  EXPECT_EQ(aclimb_memory_find(static_cast<char*>(device_view) + 8192, &found), 0);
  ASSERT_ACL(aclrtHostUnregister(pages));
  EXPECT_EQ(aclimb_memory_find(device_view, &found), 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "host", aclrtMemcpy, device_view, 8192, memory, 8192,
                 ACL_MEMCPY_DEVICE_TO_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "host", aclrtMemGetAddressRange, device_view, &base,
                 &size);
  EXPECT_REFUSED(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "ptr is", aclrtHostUnregister, pages);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "multiple of 4096", aclrtHostRegisterV2,
                 static_cast<char*>(pages) + 8, 64, ACL_HOST_REG_MAPPED);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flag is 1", aclrtHostRegisterV2, pages, 64, 1);
  // Nor in what no program has.
  for (const uint64_t bytes : {uint64_t{1} << 57, uint64_t{1} << 63, ~uint64_t{0} - 4095}) {
    EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "below the highest address", aclrtHostRegisterV2,
                   pages, bytes, ACL_HOST_REG_MAPPED);
  }
  ASSERT_ACL(aclrtHostRegisterV2(pages, 4096, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
  ASSERT_ACL(aclrtHostUnregister(pages));
  std::free(pages);
  // Each end counts.
  char* const page = static_cast<char*>(memory) + 4096 - reinterpret_cast<uintptr_t>(memory) % 4096;
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "device addresses", aclrtHostRegister, page, 4096,
                 ACL_HOST_REGISTER_MAPPED, &again);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "device addresses", aclrtHostRegisterV2,
                 page - (size_t{1} << 40), (size_t{1} << 40) + 1, ACL_HOST_REG_MAPPED);
  ASSERT_ACL(aclrtFree(memory));
}

TEST_F(MemoryTest, SystemCallsOnDeviceAddressesFailWithoutASignal) {
  void* memory = Allocate(64);
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_EQ(write(pipes[1], memory, 64), -1);
  EXPECT_EQ(errno, EFAULT);
  close(pipes[0]);
  close(pipes[1]);
}

}  // namespace
