#include <random>

#include "tests/runtime/support.h"

namespace {

// Eight threads on one device, each with its own stream, events and memory, for a while.
TEST(Threads, EightHammerOneDevice) {
  ASSERT_ACL(aclrtSetDevice(0));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([&, index] {
      const auto check = [&](int code) { failures += code != 0; };
      std::mt19937 random(static_cast<unsigned>(index));
      check(aclrtSetDevice(0));
      while (std::chrono::steady_clock::now() < end) {
        aclrtStream stream = nullptr;
        aclrtStream side = nullptr;
        aclrtEvent event = nullptr;
        check(aclrtCreateStream(&stream));
        check(aclrtCreateStream(&side));
        check(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        const size_t size = 64 + random() % 100000;
        void* memory = nullptr;
        check(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
        const int value = static_cast<int>(random() % 256);
        check(aclrtMemsetAsync(memory, size, value, size, stream));
        check(aclrtRecordEvent(event, stream));
        check(aclrtStreamWaitEvent(side, event));
        check(aclrtMemsetAsync(memory, size, value ^ 0xFF, size / 2, side));
        check(aclrtLaunchHostFunc(
            side, [](void*) {}, nullptr));
        AclimbTask task = {};
        task.name = "nothing";
        task.run = [](void*) { return 0; };
        task.cost_bytes = random() % 2 == 0 ? 1 : 1 << 20;
        check(aclimb_launch(side, &task, nullptr));
        check(random() % 2 == 0 ? aclrtSynchronizeStream(side)
                                : aclrtSynchronizeStreamWithTimeout(side, 60000));
        std::vector<uint8_t> host(size);
        check(aclrtMemcpy(host.data(), size, memory, size, ACL_MEMCPY_DEVICE_TO_HOST));
        failures += host[0] != static_cast<uint8_t>(value ^ 0xFF);
        failures += host[size - 1] != static_cast<uint8_t>(value);
        check(aclrtDestroyEvent(event));
        check(aclrtFree(memory));
        check(aclrtDestroyStream(side));
        check(aclrtDestroyStream(stream));
        failures += aclrtFree(nullptr) == 0;
        failures += aclGetRecentErrMsg()[0] == '\0';
      }
      check(aclrtResetDevice(0));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures.load(), 0);
  ASSERT_ACL(aclrtResetDevice(0));
}

// Several threads on one stream: the order is free, but nothing is lost.
TEST(Threads, OneStreamManyThreads) {
  ASSERT_ACL(aclrtSetDevice(0));
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  aclrtStream stream;
  ASSERT_ACL(aclrtCreateStream(&stream));
  static int count;  // only ever touched by the stream's tasks, one after another
  count = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([&] {
      aclrtSetCurrentContext(context);
      for (int i = 0; i < 500; ++i) {
        AclimbTask task = {};
        task.name = "count";
        task.run = [](void*) {
          ++count;
          return 0;
        };
        task.cost_bytes = static_cast<uint64_t>(i % 2 == 0 ? 1 : 1 << 20);
        EXPECT_EQ(aclimb_launch(stream, &task, nullptr), 0);
        if (i % 100 == 0) EXPECT_ACL(aclrtSynchronizeStream(stream));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_ACL(aclrtSynchronizeStream(stream));
  EXPECT_EQ(count, 4000);
  ASSERT_ACL(aclrtResetDevice(0));
}

// A free that comes with, or after, the last reset frees or is refused.
TEST(Threads, FreeRacesTheLastReset) {
  for (int round = 0; round < 300; ++round) {
    ASSERT_ACL(aclrtSetDevice(0));
    std::vector<void*> blocks(32);
    for (void*& block : blocks) ASSERT_ACL(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    std::atomic<bool> started{false};
    std::atomic<int> wrong{0};
    std::thread freer([&] {
      started = true;
      for (void* block : blocks) {
        const int code = aclrtFree(block);
        wrong += code != ACL_SUCCESS && code != ACL_ERROR_RT_PARAM_INVALID;
      }
    });
    while (!started.load()) std::this_thread::yield();
    ASSERT_ACL(aclrtResetDevice(0));
    freer.join();
    ASSERT_EQ(wrong.load(), 0);
  }
}

// A stream that is created while another thread resets the device goes with its context.
TEST(Threads, StreamsOfAContextThatIsResetEndWithIt) {
  std::atomic<bool> stop{false};
  std::thread resets([&] {
    while (!stop) {
      EXPECT_ACL(aclrtSetDevice(0));
      aclrtResetDeviceForce(0);  // the other thread may have given its count back
    }
  });
  int left = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  while (std::chrono::steady_clock::now() < end) {
    EXPECT_ACL(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    const int code = aclrtCreateStream(&stream);
    int32_t device = -1;
    if (code == ACL_SUCCESS && aclrtGetDevice(&device) == ACL_ERROR_RT_CONTEXT_NULL) {
      aclrtStreamStatus status;
      left += aclrtStreamQuery(stream, &status) == ACL_SUCCESS;
    } else if (code != ACL_SUCCESS) {
      EXPECT_EQ(code, ACL_ERROR_RT_CONTEXT_NULL);
    }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
  }
  stop = true;
  resets.join();
  aclGetRecentErrMsg();
  EXPECT_EQ(left, 0) << "streams outlived their context";
}

TEST(Threads, InitSetAndResetFromEverywhere) {
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) {
        aclInit(nullptr);
        EXPECT_ACL(aclrtSetDevice(0));
        aclrtStream stream = nullptr;
        void* memory = nullptr;
        // This thread's own count keeps the device alive, whatever the others do.
        EXPECT_ACL(aclrtCreateStream(&stream));
        EXPECT_ACL(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT_ACL(aclrtResetDevice(0));
        aclFinalize();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
