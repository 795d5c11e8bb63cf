// Host memory runs out at every point of every entry: the call returns its code, keeps nothing, and
// works again once there is memory.

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "aclimb/core/recycler.h"
#include "tests/support/allocations.h"
#include "tests/threads/operator_calls.h"

namespace aclimb::testing {
namespace {

constexpr int kNull = -1;  // for functions that return a handle
constexpr int kMemory = 207001;
constexpr int kInner = 561000;
constexpr int kLaunch = 361001;
constexpr int kTask = 507015;

// One entry: `call` alone runs while memory is short.
struct Entry {
  std::string name;
  std::set<int> codes;  // that a failure may return
  std::function<int()> call;
  std::function<void()> after_success = [] {};
  std::function<void()> before = [] {};
  std::function<void()> after_failure = [] {};
};

class AllocationFailure : public DeviceTest {
 protected:
  // Fails the first, second, ... allocation until the call needs no more.
  void Sweep(const Entry& entry, Failing which) {
    for (uint64_t nth = 0;; ++nth) {
      ASSERT_LT(nth, 2000u) << entry.name << " does not end";
      entry.before();
      (void)aclGetRecentErrMsg();
      Allocations::Fail(nth, which);
      const int code = entry.call();
      const bool failed = Allocations::Stop() > nth;
      if (code == 0) {
        entry.after_success();
        if (!failed) return;
        continue;  // what failed was not needed
      }
      const std::string text = aclGetRecentErrMsg();
      ASSERT_TRUE(failed) << entry.name << " returned " << code << ": " << text;
      EXPECT_EQ(entry.codes.count(code), 1u)
          << entry.name << " returned " << code << " at allocation " << nth << ": " << text;
      if (which == Failing::kOne) {
        EXPECT_NE(text, "") << entry.name << " says nothing at allocation " << nth;
      }
      entry.after_failure();
    }
  }

  // Each sweep that leaked one block anywhere would raise the number each time. A few more live
  // when threads meet at a list of recycled blocks, and take one from the heap instead.
  void Check(const Entry& entry) {
    SCOPED_TRACE(entry.name);
    constexpr int kSweeps = 16;
    int64_t live = 0;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      Sweep(entry, Failing::kOne);
      Sweep(entry, Failing::kAllFrom);  // no memory at all from some point on
      if (HasFatalFailure()) return;
      if (sweep == 1) live = Allocations::Live();
    }
    EXPECT_LT(Allocations::Live() - live, kSweeps - 2) << entry.name << " leaks";
  }

  template <typename T, typename Make, typename Destroy>
  void CheckCreation(const char* name, Make make, Destroy destroy) {
    T* made = nullptr;
    Check({name,
           {kNull},
           [&] {
             made = make();
             return made == nullptr ? kNull : 0;
           },
           [&] { EXPECT_EQ(destroy(made), 0); }});
  }
};

TEST_F(AllocationFailure, Descriptors) {
  const int64_t shape[] = {2, 3, 4};
  const int64_t stride[] = {12, 4, 1};
  float value = 1;
  const auto tensor = [&] {
    return aclCreateTensor(shape, 3, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 3, nullptr);
  };
  const auto scalar = [&] { return aclCreateScalar(&value, ACL_FLOAT); };
  CheckCreation<aclTensor>("aclCreateTensor", tensor, &aclDestroyTensor);
  CheckCreation<aclScalar>("aclCreateScalar", scalar, &aclDestroyScalar);
  CheckCreation<aclIntArray>(
      "aclCreateIntArray", [&] { return aclCreateIntArray(shape, 3); }, &aclDestroyIntArray);
  const float floats[] = {1, 2, 3};
  CheckCreation<aclFloatArray>(
      "aclCreateFloatArray", [&] { return aclCreateFloatArray(floats, 3); }, &aclDestroyFloatArray);
  const bool flags[] = {true, false, true};
  CheckCreation<aclBoolArray>(
      "aclCreateBoolArray", [&] { return aclCreateBoolArray(flags, 3); }, &aclDestroyBoolArray);

  // A list that was not made does not own its members.
  aclTensor* tensors[3];
  aclTensorList* tensor_list = nullptr;
  std::generate_n(tensors, 3, tensor);
  Check({"aclCreateTensorList",
         {kNull},
         [&] { return (tensor_list = aclCreateTensorList(tensors, 3)) == nullptr ? kNull : 0; },
         [&] {
           EXPECT_EQ(aclDestroyTensorList(tensor_list), 0);
           std::generate_n(tensors, 3, tensor);
         }});
  for (aclTensor* each : tensors) EXPECT_EQ(aclDestroyTensor(each), 0);
  aclScalar* scalars[3];
  aclScalarList* scalar_list = nullptr;
  std::generate_n(scalars, 3, scalar);
  Check({"aclCreateScalarList",
         {kNull},
         [&] { return (scalar_list = aclCreateScalarList(scalars, 3)) == nullptr ? kNull : 0; },
         [&] {
           EXPECT_EQ(aclDestroyScalarList(scalar_list), 0);
           std::generate_n(scalars, 3, scalar);
         }});
  for (aclScalar* each : scalars) EXPECT_EQ(aclDestroyScalar(each), 0);

  aclTensor* one = tensor();
  int64_t* dims = nullptr;
  uint64_t count = 0;
  Check({"aclGetViewShape",
         {kInner},
         [&] { return aclGetViewShape(one, &dims, &count); },
         [&] { delete[] dims; }});
  Check({"aclInitTensor", {kInner}, [&] {
           return aclInitTensor(one, shape, 3, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 3,
                                nullptr);
         }});
  EXPECT_EQ(aclDestroyTensor(one), 0);

  // Destruction cannot fail.
  Check({.name = "aclDestroyTensor",
         .codes = {},
         .call = [&] { return aclDestroyTensor(one); },
         .before = [&] { one = tensor(); }});
}

// Each call is new to phase 1, which would answer an equal one from memory.
TEST_F(AllocationFailure, FirstPhases) {
  int64_t variant = 1000;
  for (const auto& call : AllOperatorCalls()) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    std::vector<aclOpExecutor*> held;
    // Executors that are held keep the recycled memory, so that each call has to take its own.
    const auto hold = [&](int count) {
      for (int i = 0; i < count; ++i) {
        ASSERT_EQ(call->Plan(&size, &executor), 0);
        held.push_back(executor);
      }
    };
    hold(2 * Recycler::kKept);
    for (const Failing which : {Failing::kOne, Failing::kAllFrom}) {
      for (uint64_t nth = 0;; ++nth) {
        hold(4);
        call->Vary(++variant);
        (void)aclGetRecentErrMsg();
        size = 77;
        executor = nullptr;
        Allocations::Fail(nth, which);
        const int code = call->Plan(&size, &executor);
        const bool failed = Allocations::Stop() > nth;
        const std::string text = aclGetRecentErrMsg();
        if (code == 0) {
          EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
          if (!failed) {
            EXPECT_GE(nth, 5u) << call->name() << ": plan, executor and tensors at least";
            break;
          }
          continue;
        }
        EXPECT_EQ(code, kInner) << call->name() << " at allocation " << nth << ": " << text;
        EXPECT_EQ(executor, nullptr);
        EXPECT_EQ(size, 77u);
        if (which == Failing::kOne) {
          EXPECT_NE(text.find("memory"), std::string::npos) << text;
        }
      }
    }
    for (aclOpExecutor* each : held) EXPECT_EQ(aclDestroyAclOpExecutor(each), 0);
    const std::function<int()> plan = [&] { return call->Plan(&size, &executor); };
    const std::function<void()> destroy = [&] { EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0); };
    Check({call->name() + ", phase 1", {kInner}, plan, destroy});
    // It remembers no more than this.
    for (int i = 0; i < 300; ++i) {
      call->Vary(++variant);
      ASSERT_EQ(plan(), 0);
      destroy();
    }
    Check({call->name() + ", phase 1 of a new call", {kInner}, plan, destroy, [&] {
             call->Vary(++variant);
           }});
  }
}

// The executor is consumed by a failure too.
TEST_F(AllocationFailure, SecondPhases) {
  for (const auto& call : AllOperatorCalls()) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    Check({.name = call->name() + ", phase 2",
           .codes = {kInner, kLaunch, kMemory, kTask},
           .call =
               [&] {
                 const int code = call->Run(executor, stream_);
                 return code != 0 ? code : aclrtSynchronizeStream(stream_);
               },
           .before = [&] { ASSERT_EQ(call->Plan(&size, &executor), 0); },
           .after_failure =
               [&] {
                 EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), 561103);
                 (void)aclrtSynchronizeStream(stream_);
               }});
  }
}

TEST_F(AllocationFailure, ContextsStreamsAndEvents) {
  aclrtContext own = nullptr;
  ACLIMB_ASSERT_OK(aclrtGetCurrentContext(&own));
  aclrtContext context = nullptr;
  Check({"aclrtCreateContext",
         {kMemory},
         [&] { return aclrtCreateContext(&context, 0); },
         [&] {
           EXPECT_EQ(aclrtDestroyContext(context), 0);
           EXPECT_EQ(aclrtSetCurrentContext(own), 0);
         }});
  // A context that could not be destroyed is as it was.
  context = nullptr;
  aclrtStream in_context = nullptr;
  Check({.name = "aclrtDestroyContext",
         .codes = {kMemory},
         .call = [&] { return aclrtDestroyContext(context); },
         .after_success =
             [&] {
               context = nullptr;
               EXPECT_EQ(aclrtSetCurrentContext(own), 0);
             },
         .before =
             [&] {
               if (context != nullptr) return;
               ACLIMB_EXPECT_OK(aclrtCreateContext(&context, 0));
               ACLIMB_EXPECT_OK(aclrtCreateStream(&in_context));
             },
         .after_failure = [&] { EXPECT_EQ(aclrtSynchronizeStream(in_context), 0); }});
  aclrtStream stream = nullptr;
  const auto destroy_stream = [&] { EXPECT_EQ(aclrtDestroyStream(stream), 0); };
  Check(
      {"aclrtCreateStream", {kMemory}, [&] { return aclrtCreateStream(&stream); }, destroy_stream});
  Check({"aclrtCreateStreamWithConfig",
         {kMemory},
         [&] { return aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH); },
         destroy_stream});
  aclrtEvent event = nullptr;
  const auto destroy_event = [&] { EXPECT_EQ(aclrtDestroyEvent(event), 0); };
  Check({"aclrtCreateEvent", {kMemory}, [&] { return aclrtCreateEvent(&event); }, destroy_event});
  Check({"aclrtCreateEventExWithFlag",
         {kMemory},
         [&] { return aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC); },
         destroy_event});

  ACLIMB_ASSERT_OK(aclrtCreateStream(&stream));
  ACLIMB_ASSERT_OK(aclrtCreateEvent(&event));
  Check({"aclrtRecordEvent", {kMemory}, [&] { return aclrtRecordEvent(event, stream); }});
  Check({"aclrtStreamWaitEvent",
         {kMemory},
         [&] { return aclrtStreamWaitEvent(stream_, event); },
         [&] { EXPECT_EQ(aclrtSynchronizeStream(stream_), 0); }});
  // The same for an event that is not complete. A refused wait does not count as one.
  static std::atomic<int> phase;
  const auto end_waits = [&] {
    phase = 2;
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
  };
  const auto expect_no_waits = [&] {
    aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_NOT_READY;
    EXPECT_EQ(aclrtQueryEventWaitStatus(event, &waits), 0);
    EXPECT_EQ(waits, ACL_EVENT_WAIT_STATUS_COMPLETE);
  };
  Check({.name = "aclrtStreamWaitEvent, pending",
         .codes = {kMemory},
         .call = [&] { return aclrtStreamWaitEvent(stream_, event); },
         .after_success =
             [&] {
               end_waits();
               expect_no_waits();
             },
         .before =
             [&] {
               phase = 0;
               ACLIMB_EXPECT_OK(aclrtLaunchHostFunc(
                   stream,
                   [](void*) {
                     phase = 1;
                     while (phase.load() != 2) std::this_thread::yield();
                   },
                   nullptr));
               while (phase.load() != 1) std::this_thread::yield();
               ACLIMB_EXPECT_OK(aclrtRecordEvent(event, stream));
             },
         .after_failure =
             [&] {
               expect_no_waits();
               end_waits();
             }});
  Check({"aclrtSynchronizeEvent", {kMemory}, [&] { return aclrtSynchronizeEvent(event); }});
  Check({"aclrtSynchronizeStream", {kMemory}, [&] { return aclrtSynchronizeStream(stream); }});
  Check({"aclrtSynchronizeStreamWithTimeout", {kMemory}, [&] {
           return aclrtSynchronizeStreamWithTimeout(stream, 1000);
         }});
  Check({"aclrtSynchronizeDevice", {kMemory}, [&] { return aclrtSynchronizeDevice(); }});
  aclrtEvent resettable = nullptr;
  ACLIMB_ASSERT_OK(aclrtCreateEventWithFlag(&resettable, ACL_EVENT_SYNC));
  Check({.name = "aclrtResetEvent",
         .codes = {kMemory},
         .call = [&] { return aclrtResetEvent(resettable, stream); },
         .after_success = [&] { EXPECT_EQ(aclrtSynchronizeStream(stream), 0); },
         .before = [&] { ACLIMB_EXPECT_OK(aclrtRecordEvent(resettable, stream)); }});
  ACLIMB_ASSERT_OK(aclrtDestroyEvent(resettable));
  Check({.name = "aclrtDestroyEvent",
         .codes = {},
         .call = [&] { return aclrtDestroyEvent(event); },
         .before = [&] { ACLIMB_EXPECT_OK(aclrtCreateEvent(&event)); }});
  Check({.name = "aclrtDestroyStream",
         .codes = {},
         .call = [&] { return aclrtDestroyStream(stream); },
         .before = [&] { ACLIMB_EXPECT_OK(aclrtCreateStream(&stream)); }});
  Check({"aclrtSetDevice",
         {kMemory},
         [] { return aclrtSetDevice(0); },
         [] { EXPECT_EQ(aclrtResetDevice(0), 0); }});
  EXPECT_EQ(aclrtSetCurrentContext(own), 0);
}

// A device that could not be released is as it was, its use count included.
TEST_F(AllocationFailure, DeviceReset) {
  ACLIMB_ASSERT_OK(aclrtDestroyStream(stream_));
  stream_ = nullptr;
  ACLIMB_ASSERT_OK(aclrtResetDevice(0));
  bool set = false;
  aclrtStream stream = nullptr;
  aclrtContext context = nullptr;
  for (const bool force : {false, true}) {
    Check({.name = force ? "aclrtResetDeviceForce" : "aclrtResetDevice",
           .codes = {kMemory},
           .call = [&] { return force ? aclrtResetDeviceForce(0) : aclrtResetDevice(0); },
           .after_success =
               [&] {
                 set = false;
                 EXPECT_NE(aclrtSynchronizeStream(stream), 0) << "the stream outlived its device";
               },
           .before =
               [&] {
                 if (set) return;
                 ACLIMB_EXPECT_OK(aclrtSetDevice(0));
                 ACLIMB_EXPECT_OK(aclrtCreateContext(&context, 0));
                 ACLIMB_EXPECT_OK(aclrtCreateStream(&stream));
                 set = true;
               },
           .after_failure = [&] { EXPECT_EQ(aclrtSynchronizeStream(stream), 0); }});
  }
  ACLIMB_ASSERT_OK(aclrtSetDevice(0));
}

TEST_F(AllocationFailure, MemoryAndCopies) {
  constexpr size_t kBytes = 4096;
  constexpr size_t kLargeBytes = size_t{2} << 20;
  void* device = nullptr;
  void* host = nullptr;
  Check({"aclrtMalloc",
         {kMemory},
         [&] { return aclrtMalloc(&device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST); },
         [&] { EXPECT_EQ(aclrtFree(device), 0); }});
  Check({"aclrtMallocHost",
         {kMemory},
         [&] { return aclrtMallocHost(&host, kBytes); },
         [&] { EXPECT_EQ(aclrtFreeHost(host), 0); }});
  Check({.name = "aclrtFree",
         .codes = {},
         .call = [&] { return aclrtFree(device); },
         .before =
             [&] { ACLIMB_EXPECT_OK(aclrtMalloc(&device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST)); }});
  ACLIMB_ASSERT_OK(aclrtMalloc(&device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  ACLIMB_ASSERT_OK(aclrtMallocHost(&host, kBytes));
  const auto settle = [&] { EXPECT_EQ(aclrtSynchronizeStream(stream_), 0); };
  for (const auto kind : {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST}) {
    void* const to = kind == ACL_MEMCPY_HOST_TO_DEVICE ? device : host;
    const void* const from = kind == ACL_MEMCPY_HOST_TO_DEVICE ? host : device;
    Check({"aclrtMemcpy", {kMemory}, [&] { return aclrtMemcpy(to, kBytes, from, kBytes, kind); }});
    Check({"aclrtMemcpyAsync",
           {kMemory},
           [&] { return aclrtMemcpyAsync(to, kBytes, from, kBytes, kind, stream_); },
           settle});
  }
  std::vector<char> pageable(kBytes);
  Check({"aclrtMemcpyAsync of pageable memory",
         {kMemory},
         [&] {
           return aclrtMemcpyAsync(device, kBytes, pageable.data(), kBytes,
                                   ACL_MEMCPY_HOST_TO_DEVICE, stream_);
         },
         settle});
  Check({"aclrtMemcpy2d of pageable memory", {kMemory}, [&] {
           return aclrtMemcpy2d(device, 256, pageable.data(), 128, 100, 16,
                                ACL_MEMCPY_HOST_TO_DEVICE);
         }});
  for (const auto kind : {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST}) {
    for (void* const memory : {host, static_cast<void*>(pageable.data())}) {
      void* const to = kind == ACL_MEMCPY_HOST_TO_DEVICE ? device : memory;
      const void* const from = kind == ACL_MEMCPY_HOST_TO_DEVICE ? memory : device;
      Check({memory == host ? "aclrtMemcpy2dAsync" : "aclrtMemcpy2dAsync of pageable memory",
             {kMemory},
             [&] { return aclrtMemcpy2dAsync(to, 256, from, 128, 100, 16, kind, stream_); },
             settle});
    }
  }
  // Too large to be staged.
  void* large_device = nullptr;
  std::vector<char> large(kLargeBytes);
  ACLIMB_ASSERT_OK(aclrtMalloc(&large_device, kLargeBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  for (const auto kind : {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST}) {
    void* const to = kind == ACL_MEMCPY_HOST_TO_DEVICE ? large_device : large.data();
    const void* const from = kind == ACL_MEMCPY_HOST_TO_DEVICE ? large.data() : large_device;
    Check({"aclrtMemcpyAsync of much pageable memory",
           {kMemory},
           [&] { return aclrtMemcpyAsync(to, kLargeBytes, from, kLargeBytes, kind, stream_); },
           settle});
  }
  ACLIMB_EXPECT_OK(aclrtFree(large_device));
  Check({"aclrtMemset", {kMemory}, [&] { return aclrtMemset(device, kBytes, 1, kBytes); }});
  Check({"aclrtMemsetAsync",
         {kMemory},
         [&] { return aclrtMemsetAsync(device, kBytes, 1, kBytes, stream_); },
         settle});
  ACLIMB_EXPECT_OK(aclrtFree(device));
  ACLIMB_EXPECT_OK(aclrtFreeHost(host));
}

TEST_F(AllocationFailure, Callbacks) {
  int calls = 0;
  int expected = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  Check({"aclrtLaunchHostFunc",
         {kMemory},
         [&] { return aclrtLaunchHostFunc(stream_, count, &calls); },
         [&] {
           EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
           EXPECT_EQ(calls, ++expected) << "a call that failed was queued, or one was lost";
         }});
  const auto self = static_cast<uint64_t>(pthread_self());
  Check({"aclrtSubscribeReport",
         {kMemory},
         [&] { return aclrtSubscribeReport(self, stream_); },
         [&] { EXPECT_EQ(aclrtUnSubscribeReport(self, stream_), 0); }});
  ACLIMB_ASSERT_OK(aclrtSubscribeReport(self, stream_));
  Check({"aclrtLaunchCallback",
         {kMemory},
         [&] { return aclrtLaunchCallback(count, &calls, ACL_CALLBACK_NO_BLOCK, stream_); },
         [&] {
           EXPECT_EQ(aclrtProcessReport(5000), 0);
           EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
           EXPECT_EQ(calls, ++expected) << "a call that failed was queued, or one was lost";
         }});
  EXPECT_EQ(aclrtUnSubscribeReport(self, stream_), 0);
}

}  // namespace
}  // namespace aclimb::testing
