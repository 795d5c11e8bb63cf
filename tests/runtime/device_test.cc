// Runs with ACLIMB_DEVICES=2.
#include "tests/runtime/support.h"

namespace {

void OnFreshThread(void (*body)()) { std::thread(body).join(); }

TEST(Device, CountAndRange) {
  uint32_t count = 0;
  ASSERT_ACL(aclrtGetDeviceCount(&count));
  EXPECT_EQ(count, 2u);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "count is null", aclrtGetDeviceCount, nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is -1", aclrtSetDevice, -1);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 2; expected 0 to 1, the devices of",
                 aclrtSetDevice, 2);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 9", aclrtResetDevice, 9);
}

TEST(Device, FreshThreadHasNone) {
  OnFreshThread([] {
    int32_t device = -7;
    EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "no current context", aclrtGetDevice, &device);
    EXPECT_EQ(device, -7);
    void* memory = nullptr;
    EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "no current context", aclrtMalloc, &memory, 16,
                   ACL_MEM_MALLOC_HUGE_FIRST);
    size_t free = 0, total = 0;
    EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "no current context", aclrtGetMemInfo, ACL_HBM_MEM,
                   &free, &total);
    EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "no current context", aclrtSynchronizeDevice);
    EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "no current context", aclrtSynchronizeStream,
                   nullptr);
    aclrtContext context = nullptr;
    EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "no current context", aclrtGetCurrentContext,
                   &context);
    ASSERT_ACL(aclrtSetDevice(0));
    ASSERT_ACL(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_ACL(aclrtFree(memory));
    ASSERT_ACL(aclrtResetDevice(0));
  });
}

TEST(Device, SetAndResetCount) {
  for (int i = 0; i < 3; ++i) ASSERT_ACL(aclrtSetDevice(0));
  for (int i = 0; i < 3; ++i) ASSERT_ACL(aclrtResetDevice(0));
  EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "not set", aclrtResetDevice, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "not set", aclrtResetDevice, 1);
}

TEST(Device, ForceReleasesWhateverTheCount) {
  for (int i = 0; i < 2; ++i) ASSERT_ACL(aclrtSetDevice(0));
  ASSERT_ACL(aclrtResetDeviceForce(0));
  EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "not set", aclrtResetDevice, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "not set", aclrtResetDeviceForce, 0);
  for (int i = 0; i < 2; ++i) ASSERT_ACL(aclrtSetDevice(0));
  ASSERT_ACL(aclrtResetDevice(0));
  ASSERT_ACL(aclrtResetDeviceForce(0));
}

TEST(Device, ReleaseTakesContextsStreamsAndMemory) {
  ASSERT_ACL(aclrtSetDevice(0));
  aclrtStream stream;
  ASSERT_ACL(aclrtCreateStream(&stream));
  aclrtContext explicit_context;
  ASSERT_ACL(aclrtCreateContext(&explicit_context, 0));
  ASSERT_ACL(aclrtSetDevice(0));
  void* memory = nullptr;
  ASSERT_ACL(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL(aclrtResetDevice(0));
  ASSERT_ACL(aclrtResetDevice(0));
  int32_t device;
  EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "no current context", aclrtGetDevice, &device);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live context", aclrtSetCurrentContext,
                 explicit_context);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "that went with the last reset of device 0", aclrtFree,
                 memory);
  ASSERT_ACL(aclrtSetDevice(0));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live stream", aclrtSynchronizeStream, stream);
  ASSERT_ACL(aclrtResetDevice(0));
}

TEST(Device, ThreadsShareThePrimaryContext) {
  ASSERT_ACL(aclrtSetDevice(0));
  aclrtContext mine = nullptr;
  ASSERT_ACL(aclrtGetCurrentContext(&mine));
  aclrtStream stream;
  ASSERT_ACL(aclrtCreateStream(&stream));
  std::thread([&] {
    ASSERT_ACL(aclrtSetDevice(0));
    aclrtContext theirs = nullptr;
    ASSERT_ACL(aclrtGetCurrentContext(&theirs));
    EXPECT_EQ(theirs, mine);
    EXPECT_ACL(aclrtSynchronizeStream(stream));
    ASSERT_ACL(aclrtResetDevice(0));
  }).join();
  ASSERT_ACL(aclrtResetDevice(0));
}

TEST(Device, SwitchingKeepsTheOtherAlive) {
  ASSERT_ACL(aclrtSetDevice(0));
  aclrtStream zero;
  ASSERT_ACL(aclrtCreateStream(&zero));
  ASSERT_ACL(aclrtSetDevice(1));
  int32_t device = -1;
  ASSERT_ACL(aclrtGetDevice(&device));
  EXPECT_EQ(device, 1);
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CONTEXT, "another context", aclrtSynchronizeStream, zero);
  ASSERT_ACL(aclrtSetDevice(0));
  ASSERT_ACL(aclrtDestroyStream(zero));
  ASSERT_ACL(aclrtResetDevice(1));
  ASSERT_ACL(aclrtResetDevice(0));
  ASSERT_ACL(aclrtResetDevice(0));
}

TEST(Device, PrimaryState) {
  int32_t active = -1;
  uint32_t flags = 77;
  ASSERT_ACL(aclrtGetPrimaryCtxState(1, nullptr, &active));
  EXPECT_EQ(active, 0);
  ASSERT_ACL(aclrtSetDevice(1));
  ASSERT_ACL(aclrtGetPrimaryCtxState(1, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_EQ(flags, 0u);
  ASSERT_ACL(aclrtResetDevice(1));
}

TEST(Device, CopiesBetweenDevices) {
  ASSERT_ACL(aclrtSetDevice(0));
  void* zero = nullptr;
  ASSERT_ACL(aclrtMalloc(&zero, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL(aclrtSetDevice(1));
  void* one = nullptr;
  ASSERT_ACL(aclrtMalloc(&one, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtPtrAttributes attributes;
  ASSERT_ACL(aclrtPointerGetAttributes(one, &attributes));
  EXPECT_EQ(attributes.location.id, 1u);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  ASSERT_ACL(aclrtMemset(zero, 64, 0x5A, 64));
  ASSERT_ACL(aclrtMemset(one, 64, 0, 64));
  ASSERT_ACL(aclrtMemcpy(one, 64, zero, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
  uint8_t host[64] = {};
  ASSERT_ACL(aclrtMemcpy(host, 64, one, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  for (const uint8_t byte : host) ASSERT_EQ(byte, 0x5A);
  ASSERT_ACL(aclrtFree(zero));  // from a thread whose device is the other one
  ASSERT_ACL(aclrtFree(one));
  ASSERT_ACL(aclrtResetDevice(1));
  ASSERT_ACL(aclrtResetDevice(0));
}

TEST(Device, EventsOrderTwoDevices) {
  ASSERT_ACL(aclrtSetDevice(1));
  aclrtContext context_one;
  ASSERT_ACL(aclrtGetCurrentContext(&context_one));
  aclrtStream one;
  ASSERT_ACL(aclrtCreateStream(&one));
  ASSERT_ACL(aclrtSetDevice(0));
  aclrtContext context_zero;
  ASSERT_ACL(aclrtGetCurrentContext(&context_zero));
  aclrtStream zero;
  ASSERT_ACL(aclrtCreateStream(&zero));
  void* memory = nullptr;
  ASSERT_ACL(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  runtime_test::Gate gate;
  gate.Close(zero);
  ASSERT_ACL(aclrtMemsetAsync(memory, 16, 1, 16, zero));
  ASSERT_ACL(aclrtRecordEvent(event, zero));
  ASSERT_ACL(aclrtSetCurrentContext(context_one));
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CONTEXT, "belongs to device 0 but stream", aclrtRecordEvent,
                 event, one);
  ASSERT_ACL(aclrtStreamWaitEvent(one, event));
  ASSERT_ACL(aclrtMemsetAsync(memory, 16, 2, 16, one));
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(one, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(one));
  uint8_t host[16] = {};
  ASSERT_ACL(aclrtMemcpy(host, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT_EQ(host[0], 2);
  ASSERT_ACL(aclrtDestroyEvent(event));
  ASSERT_ACL(aclrtResetDevice(1));
  ASSERT_ACL(aclrtResetDevice(0));
}

TEST(Peer, AccessIsKept) {
  ASSERT_ACL(aclrtSetDevice(0));
  int32_t can = -1;
  ASSERT_ACL(aclrtDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "peerDeviceId is 1", aclrtDeviceCanAccessPeer, &can, 1,
                 1);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "peerDeviceId is 5", aclrtDeviceCanAccessPeer, &can,
                 0, 5);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flags is 3", aclrtDeviceEnablePeerAccess, 1, 3);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "peerDeviceId is 0", aclrtDeviceEnablePeerAccess, 0,
                 0);
  ASSERT_ACL(aclrtDeviceDisablePeerAccess(1));
  ASSERT_ACL(aclrtDeviceEnablePeerAccess(1, 0));
  ASSERT_ACL(aclrtDeviceEnablePeerAccess(1, 0));
  int32_t status = -1;
  ASSERT_ACL(aclrtDevicePeerAccessStatus(0, 1, &status));
  EXPECT_EQ(status, 1);
  ASSERT_ACL(aclrtDevicePeerAccessStatus(1, 0, &status));
  EXPECT_EQ(status, 0) << "one direction only";
  ASSERT_ACL(aclrtDeviceDisablePeerAccess(1));
  ASSERT_ACL(aclrtDevicePeerAccessStatus(0, 1, &status));
  EXPECT_EQ(status, 0);
  ASSERT_ACL(aclrtResetDevice(0));
}

}  // namespace
