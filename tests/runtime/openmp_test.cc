// Everything is called from inside an OpenMP region, which the program opened.
#include <omp.h>

#include "tests/runtime/support.h"

namespace {

TEST(OpenMp, EverythingInsideARegion) {
  ASSERT_ACL(aclrtSetDevice(0));
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  std::atomic<int> failures{0};
  std::atomic<int> members{0};
#pragma omp parallel num_threads(4)
  {
    ++members;
    const auto check = [&](int code) { failures += code != 0; };
    check(aclrtSetCurrentContext(context));
    for (int round = 0; round < 50; ++round) {
      aclrtStream stream = nullptr;
      aclrtEvent event = nullptr;
      void* memory = nullptr;
      check(aclrtCreateStream(&stream));
      check(aclrtCreateEvent(&event));
      check(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
      // One task opens a team of its own on the engine's thread, one is small enough to run here.
      for (const uint64_t cost : {uint64_t{1} << 20, uint64_t{1}}) {
        AclimbTask task = {};
        task.name = "team";
        task.cost_bytes = cost;
        task.payload = cost == 1 ? nullptr : &failures;
        task.run = [](void* payload) {
          if (payload == nullptr) return 0;
          std::atomic<int> sum{0};
#pragma omp parallel for num_threads(2)
          for (int i = 0; i < 100; ++i) sum += i;
          if (sum != 4950) ++*static_cast<std::atomic<int>*>(payload);
          return 0;
        };
        check(aclimb_launch(stream, &task, nullptr));
      }
      check(aclrtMemsetAsync(memory, 4096, round, 4096, stream));
      check(aclrtRecordEvent(event, stream));
      check(aclrtSynchronizeEvent(event));
      check(aclrtSynchronizeStream(stream));
      uint8_t host = 0xEE;
      check(aclrtMemcpy(&host, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
      failures += host != static_cast<uint8_t>(round);
      check(aclrtDestroyEvent(event));
      check(aclrtFree(memory));
      check(aclrtDestroyStream(stream));
    }
  }
  EXPECT_GE(members.load(), 1);
  EXPECT_EQ(failures.load(), 0);
  ASSERT_ACL(aclrtResetDevice(0));
}

}  // namespace
