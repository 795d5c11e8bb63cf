#include <cstdio>
#include <string>

#include "tests/runtime/support.h"
#include "tests/support/sleeper.h"

namespace {

using runtime_test::Gate;
using runtime_test::LaunchCode;
using StreamTest = runtime_test::RuntimeTest;

TEST_F(StreamTest, FirstInFirstOut) {
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  uint8_t* copy = static_cast<uint8_t*>(Allocate(64));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_ACL(aclrtMemsetAsync(memory, 64, i, 64, stream_));
    ASSERT_ACL(aclrtMemcpyAsync(copy, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_));
  }
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(copy, 64), std::vector<uint8_t>(64, 999 & 0xFF));
}

struct Sequence {
  std::atomic<int> next{0};
  std::atomic<int> misplaced{0};
};

TEST_F(StreamTest, OrderOfTasksOfMixedSize) {
  Sequence sequence;
  struct Step {
    Sequence* sequence;
    int index;
  };
  for (int i = 0; i < 500; ++i) {
    AclimbTask task = {};
    task.name = "step";
    task.payload = new Step{&sequence, i};
    task.run = [](void* payload) {
      auto* step = static_cast<Step*>(payload);
      if (step->sequence->next.fetch_add(1) != step->index) ++step->sequence->misplaced;
      return 0;
    };
    task.release = [](void* payload) { delete static_cast<Step*>(payload); };
    task.cost_bytes = i % 3 == 0 ? 1 : 1 << 20;
    ASSERT_EQ(aclimb_launch(stream_, &task, nullptr), 0);
    if (i % 50 == 0) ASSERT_ACL(aclrtSynchronizeStream(stream_));
  }
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(sequence.next.load(), 500);
  EXPECT_EQ(sequence.misplaced.load(), 0);
}

TEST_F(StreamTest, StreamsAndDefaultStreamAreIndependent) {
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 1, 64, other_));
  ASSERT_ACL(aclrtSynchronizeStream(other_));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 2, 64, nullptr));
  ASSERT_ACL(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(Read(memory, 1)[0], 2);
  aclrtStreamStatus status;
  ASSERT_ACL(aclrtStreamQuery(stream_, &status));
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  ASSERT_ACL(aclrtStreamQuery(other_, &status));
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  ASSERT_ACL(aclrtStreamQuery(stream_, &status));
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

TEST_F(StreamTest, QueryIsNotReadyWhileTheLastTaskRuns) {
  static std::atomic<int> phase;
  phase = 0;
  AclimbTask task = {};
  task.name = "spin";
  task.cost_bytes = 1 << 20;
  task.run = [](void*) {
    phase = 1;
    while (phase.load() != 2) std::this_thread::yield();
    return 0;
  };
  ASSERT_EQ(aclimb_launch(stream_, &task, nullptr), 0);
  while (phase.load() != 1) std::this_thread::yield();
  aclrtStreamStatus status;
  EXPECT_ACL(aclrtStreamQuery(stream_, &status));
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  phase = 2;
  EXPECT_ACL(aclrtSynchronizeStream(stream_));
}

TEST_F(StreamTest, Timeouts) {
  Gate gate;
  gate.Close(stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout of 1 ms",
                 aclrtSynchronizeStreamWithTimeout, stream_, 1);
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout of 1 ms",
                 aclrtSynchronizeDeviceWithTimeout, 1);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "timeout is 0", aclrtSynchronizeStreamWithTimeout,
                 stream_, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "timeout is -2", aclrtSynchronizeStreamWithTimeout,
                 stream_, -2);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "timeout is -9", aclrtSynchronizeDeviceWithTimeout,
                 -9);
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStreamWithTimeout(stream_, -1));
  ASSERT_ACL(aclrtSynchronizeStreamWithTimeout(stream_, 5000));
  ASSERT_ACL(aclrtSynchronizeDeviceWithTimeout(5000));
}

TEST_F(StreamTest, SynchronizeDeviceCoversAllContexts) {
  aclrtContext first, second;
  ASSERT_ACL(aclrtGetCurrentContext(&first));
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 7, 64, stream_));
  ASSERT_ACL(aclrtCreateContext(&second, 0));
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.Open();
  });
  ASSERT_ACL(aclrtSynchronizeDevice());
  EXPECT_EQ(Read(memory, 1)[0], 7);
  opener.join();
  ASSERT_ACL(aclrtDestroyContext(second));
  ASSERT_ACL(aclrtSetCurrentContext(first));
}

TEST_F(StreamTest, HandlesAreChecked) {
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "stream is null", aclrtCreateStream, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "stream is null", aclrtDestroyStream, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "stream is null", aclrtDestroyStreamForce, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "status is null", aclrtStreamQuery, stream_, nullptr);
  ASSERT_ACL(aclrtDestroyStream(other_));
  aclrtStream dead = other_;
  for (int i = 0; i < 3000; ++i) {  // handles are not mistaken when their slots are used again
    aclrtStream fresh;
    ASSERT_ACL(aclrtCreateStream(&fresh));
    ASSERT_NE(fresh, dead);
    ASSERT_ACL(aclrtDestroyStream(fresh));
  }
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live stream", aclrtSynchronizeStream, dead);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live stream", aclrtDestroyStream, dead);
  aclrtStreamStatus status;
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live stream", aclrtStreamQuery, &dead, &status);
  AclimbReason reason = {"", ""};
  AclimbTask task = {};
  static int released;
  released = 0;
  task.run = [](void*) { return 0; };
  task.release = [](void*) { ++released; };
  EXPECT_EQ(aclimb_launch(dead, &task, &reason), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(released, 1) << "the payload is released on failure too";
  EXPECT_STRNE(reason.what, "");
  EXPECT_STRNE(reason.fix, "");
}

// A message gives the handle as the program has it, and says what it is.
TEST_F(StreamTest, MessagesTellWhatAHandleIs) {
  const auto text = [](const void* handle) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%#llx",
                  static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(handle)));
    return std::string(buffer);
  };
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE,
                 "stream is " + text(event) + ", which is no live stream (it is a live event)",
                 aclrtSynchronizeStream, event);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE,
                 "event is " + text(stream_) + ", which is no live event (it is a live stream)",
                 aclrtSynchronizeEvent, stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE,
                 "stream is " + text(&event) + ", which is no live stream (it was never given out)",
                 aclrtSynchronizeStream, &event);
  ASSERT_ACL(aclrtDestroyStream(other_));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE,
                 text(other_) + ", which is no live stream (it is a destroyed stream)",
                 aclrtSynchronizeStream, other_);
  AclimbTask task = {};
  task.run = [](void*) { return 0; };
  AclimbReason reason = {"", ""};
  EXPECT_EQ(aclimb_launch(other_, &task, &reason), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(std::string(reason.what)
                .rfind("stream is " + text(other_) +
                           ", which is no live stream (it is a destroyed stream); expected ",
                       0),
            0u)
      << reason.what;
  ASSERT_ACL(aclrtDestroyEvent(event));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE,
                 text(event) + ", which is no live event (it is a destroyed event)",
                 aclrtDestroyEvent, event);
  aclrtContext first, second;
  ASSERT_ACL(aclrtGetCurrentContext(&first));
  ASSERT_ACL(aclrtCreateContext(&second, 0));
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CONTEXT,
                 "stream is " + text(stream_) +
                     ", which belongs to another context than the "
                     "current one (" +
                     text(second) + ")",
                 aclrtSynchronizeStream, stream_);
  EXPECT_EQ(aclimb_launch(stream_, &task, &reason), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_NE(std::string(reason.what).find(text(stream_)), std::string::npos) << reason.what;
  ASSERT_ACL(aclrtDestroyContext(second));
  ASSERT_ACL(aclrtSetCurrentContext(first));
}

TEST_F(StreamTest, HigherPriorityRunsFirst) {
  static std::atomic<int> phase;
  phase = 0;
  AclimbTask block = {};
  block.name = "block";
  block.cost_bytes = 1 << 20;
  block.run = [](void*) {
    phase = 1;
    while (phase.load() != 2) std::this_thread::yield();
    return 0;
  };
  ASSERT_EQ(aclimb_launch(stream_, &block, nullptr), 0);
  while (phase.load() != 1) std::this_thread::yield();
  static std::string order;
  order.clear();
  struct Name {
    char name;
  };
  for (const uint32_t priority : {7u, 9u, 0u}) {  // 9 is clamped to the lowest
    aclrtStream stream;
    ASSERT_ACL(aclrtCreateStreamWithConfig(&stream, priority, 0));
    AclimbTask task = {};
    task.name = "note";
    task.cost_bytes = 1 << 20;
    task.run = [](void* payload) {
      order.push_back(static_cast<Name*>(payload)->name);
      return 0;
    };
    task.release = [](void* payload) { delete static_cast<Name*>(payload); };
    task.payload = new Name{static_cast<char>('0' + priority)};
    ASSERT_EQ(aclimb_launch(stream, &task, nullptr), 0);
  }
  phase = 2;
  ASSERT_ACL(aclrtSynchronizeDevice());
  EXPECT_EQ(order, "079");
}

TEST_F(StreamTest, DestroyDrains) {
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtLaunchHostFunc(
      other_, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }, nullptr));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 3, 64, other_));
  ASSERT_ACL(aclrtDestroyStream(other_));
  EXPECT_EQ(Read(memory, 1)[0], 3);
}

TEST_F(StreamTest, ForcedDestroyDropsAndDoesNotWait) {
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtMemset(memory, 64, 1, 64));
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  Gate gate;
  gate.Close(other_);
  gate.WaitUntilReached();
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 9, 64, other_));
  ASSERT_ACL(aclrtRecordEvent(event, other_));
  ASSERT_ACL(aclrtStreamWaitEvent(stream_, event));
  ASSERT_ACL(aclrtMemsetAsync(memory + 32, 32, 5, 32, stream_));
  ASSERT_ACL(aclrtDestroyStreamForce(other_));
  // Nobody hangs on the dropped event, and nobody takes it for done.
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_ABORT, "waits for an event whose work was",
                 aclrtSynchronizeStream, stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_ABORT, "on a stream that was destroyed before it got there",
                 aclrtSynchronizeEvent, event);
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  ASSERT_ACL(aclrtQueryEventStatus(event, &status));
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  gate.Open();
  EXPECT_EQ(Read(memory, 1)[0], 1);
  EXPECT_EQ(Read(memory + 32, 1)[0], 1);
  ASSERT_ACL(aclrtStreamAbort(stream_));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 6, 64, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(memory, 1)[0], 6);
  ASSERT_ACL(aclrtDestroyEvent(event));
}

TEST_F(StreamTest, ErrorStaysUntilOneSynchronizeReturnsIt) {
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICPU_EXCEPTION), 0);
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 6, 64, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(other_));
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "task 1 (test task)", aclrtSynchronizeStream,
                 stream_);
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(memory, 1)[0], 6) << "work behind a failed task still runs";
}

TEST_F(StreamTest, EachSynchronizingCallReturnsTheError) {
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "test task", aclrtSynchronizeDevice);
  ASSERT_ACL(aclrtSynchronizeDevice());
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "test task", aclrtSynchronizeStreamWithTimeout,
                 stream_, 5000);
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  ASSERT_ACL(aclrtRecordEvent(event, stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "test task", aclrtSynchronizeEvent, event);
  ASSERT_ACL(aclrtSynchronizeEvent(event));
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  ASSERT_ACL(aclrtSynchronizeEvent(event));  // the failure came after what the event covers
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  int code = 0;
  while (code == 0) {
    code = aclrtStreamQuery(stream_, &status);
    ASSERT_FALSE(code == 0 && status == ACL_STREAM_STATUS_COMPLETE);
  }
  EXPECT_EQ(code, ACL_ERROR_RT_AICORE_EXCEPTION);
  ASSERT_ACL(aclrtStreamQuery(stream_, &status));
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  ASSERT_ACL(aclrtDestroyEvent(event));
}

// A wait for the device returns one error; no other is lost.
TEST_F(StreamTest, SynchronizeDeviceLeavesFurtherErrors) {
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  ASSERT_EQ(LaunchCode(other_, ACL_ERROR_RT_AICPU_EXCEPTION), 0);
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "test task", aclrtSynchronizeDevice);
  EXPECT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_AICPU_EXCEPTION, "task 1 (test task)", aclrtSynchronizeStream,
                 other_);
  EXPECT_ACL(aclrtSynchronizeDevice());
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  ASSERT_EQ(LaunchCode(other_, ACL_ERROR_RT_AICPU_EXCEPTION), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICPU_EXCEPTION);
  EXPECT_ACL(aclrtSynchronizeDevice());
}

TEST_F(StreamTest, TimeoutOfTheDeviceLeavesErrors) {
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  Gate gate;
  gate.Close(other_);
  gate.WaitUntilReached();
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout of 20 ms",
                 aclrtSynchronizeDeviceWithTimeout, 20);
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "task 1 (test task)", aclrtSynchronizeStream,
                 stream_);
  gate.Open();
  EXPECT_ACL(aclrtSynchronizeDevice());
}

TEST_F(StreamTest, WaiterOnAFailedStreamIsNotFailed) {
  Gate gate;
  gate.Close(stream_);
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  ASSERT_ACL(aclrtRecordEvent(event, stream_));
  ASSERT_ACL(aclrtStreamWaitEvent(other_, event));
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(other_));
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_AICORE_EXCEPTION);
  ASSERT_ACL(aclrtDestroyEvent(event));
}

TEST_F(StreamTest, DestroyDoesNotReportErrors) {
  ASSERT_EQ(LaunchCode(other_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  ASSERT_ACL(aclrtDestroyStream(other_));
}

TEST_F(StreamTest, StopOnFailureStopsTheContext) {
  ASSERT_ACL(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID,
                 "mode is 0 but the failure mode of stream was set to 1 before",
                 aclrtSetStreamFailureMode, stream_, ACL_CONTINUE_ON_FAILURE);
  ASSERT_ACL(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "mode is 2", aclrtSetStreamFailureMode, other_, 2);
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtMemset(memory, 64, 1, 64));
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "ACL_STOP_ON_FAILURE", aclrtSynchronizeStream,
                 stream_);
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 2, 64, stream_));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 2, 64, other_));
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_EQ(Read(memory, 1)[0], 1) << "nothing ran after the failure";
  // Another context of the device goes on.
  aclrtContext second;
  ASSERT_ACL(aclrtCreateContext(&second, 0));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 3, 64, nullptr));
  ASSERT_ACL(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(Read(memory, 1)[0], 3);
}

TEST_F(StreamTest, WhoeverAsksFirstIsToldWhatStoppedTheContext) {
  ASSERT_ACL(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  AclimbTask task = {};
  task.name = "explained task";
  task.run = [](void*) {
    aclimb_explain("x is 3; expected 0 to 2.");
    return static_cast<int>(ACL_ERROR_RT_AICORE_EXCEPTION);
  };
  ASSERT_EQ(aclimb_launch(stream_, &task, nullptr), 0);
  // The device's other streams are asked before.
  EXPECT_REFUSED(
      ACL_ERROR_RT_AICORE_EXCEPTION,
      "failed with 507015 ACL_ERROR_RT_AICORE_EXCEPTION: x is 3; expected 0 to 2.\n  fix: "
      "correct that value in the data that the task was given",
      aclrtSynchronizeDevice);
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "ACL_STOP_ON_FAILURE", aclrtSynchronizeDevice);
}

TEST_F(StreamTest, WhatStoppedTheContextIsSaidWhenItsStreamIsGone) {
  ASSERT_ACL(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_AICORE_EXCEPTION);
  ASSERT_ACL(aclrtDestroyStream(stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION,
                 "the streams of this context stopped after a task failed with 507015",
                 aclrtSynchronizeStream, other_);
}

TEST_F(StreamTest, TheFixNamesTheTaskThatFailed) {
  AclimbTask task = {};
  task.name = "copy of x";
  task.run = [](void*) {
    aclimb_explain("x is gone; expected it to stay.");
    return static_cast<int>(ACL_ERROR_RT_SYS_DMA);
  };
  ASSERT_EQ(aclimb_launch(stream_, &task, nullptr), 0);
  EXPECT_REFUSED(ACL_ERROR_RT_SYS_DMA, "remove the cause that the message gives for task ",
                 aclrtSynchronizeStream, stream_);
  ASSERT_EQ(aclimb_launch(stream_, &task, nullptr), 0);
  EXPECT_REFUSED(ACL_ERROR_RT_SYS_DMA, "(copy of x), and queue it again", aclrtSynchronizeStream,
                 stream_);
}

TEST_F(StreamTest, AbortDropsWorkAndWakesWaiters) {
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtMemset(memory, 64, 1, 64));
  static std::atomic<bool> running;
  running = false;
  AclimbTask task = {};
  task.name = "long kernel";
  task.cost_bytes = 1 << 20;
  task.run = [](void*) {
    running = true;
    while (aclimb_cancelled() == 0) std::this_thread::yield();
    return ACL_ERROR_RT_AICORE_EXCEPTION;
  };
  ASSERT_EQ(aclimb_launch(stream_, &task, nullptr), 0);
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 2, 64, stream_));
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  ASSERT_ACL(aclrtRecordEvent(event, stream_));
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  std::atomic<int> waiter_code{-1};
  std::atomic<int> event_code{-1};
  aclimb::testing::Sleeper in_wait, in_event_wait;
  std::thread waiter([&] {
    aclrtSetCurrentContext(context);
    in_wait.Begins();
    waiter_code = aclrtSynchronizeStream(stream_);
  });
  std::thread event_waiter([&] {
    aclrtSetCurrentContext(context);
    in_event_wait.Begins();
    event_code = aclrtSynchronizeEvent(event);
  });
  ASSERT_ACL(aclrtStreamWaitEvent(other_, event));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 3, 64, other_));
  while (!running) std::this_thread::yield();
  EXPECT_TRUE(in_wait.Sleeps() && in_event_wait.Sleeps());
  ASSERT_ACL(aclrtStreamAbort(stream_));
  waiter.join();
  event_waiter.join();
  EXPECT_EQ(waiter_code.load(), ACL_ERROR_RT_STREAM_ABORT);
  EXPECT_EQ(event_code.load(), ACL_ERROR_RT_STREAM_ABORT);
  EXPECT_EQ(aclimb_cancelled(), 0);
  // The stream is usable again; a stream that depends on the dropped event is told, not hung.
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(memory, 1)[0], 1);
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_ABORT, "aborted", aclrtSynchronizeStream, other_);
  ASSERT_ACL(aclrtStreamAbort(other_));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 4, 64, other_));
  ASSERT_ACL(aclrtSynchronizeStream(other_));
  EXPECT_EQ(Read(memory, 1)[0], 4);
  aclrtEventRecordedStatus status;
  ASSERT_ACL(aclrtQueryEventStatus(event, &status));
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  ASSERT_ACL(aclrtDestroyEvent(event));
}

// A callback of the program cannot be cancelled; whoever waits for the stream need not wait for it.
TEST_F(StreamTest, AbortWakesWaitersDuringACallback) {
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  std::atomic<int> code{-1};
  aclimb::testing::Sleeper in_wait;
  std::thread waiter([&] {
    aclrtSetCurrentContext(context);
    in_wait.Begins();
    code = aclrtSynchronizeStream(stream_);
  });
  EXPECT_TRUE(in_wait.Sleeps());
  EXPECT_ACL(aclrtStreamAbort(stream_));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (code.load() == -1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(code.load(), ACL_ERROR_RT_STREAM_ABORT) << "-1: still waiting";
  gate.Open();
  waiter.join();
  EXPECT_ACL(aclrtSynchronizeStream(stream_));
}

// Destroying a stream in good order is no failure of those who wait for the device.
TEST_F(StreamTest, SynchronizeDeviceWhileStreamsEnd) {
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      aclrtSetCurrentContext(context);
      while (!stop.load()) failures += aclrtSynchronizeDevice() != ACL_SUCCESS;
    });
  }
  for (int i = 0; i < 500; ++i) {
    aclrtStream stream;
    ASSERT_ACL(aclrtCreateStream(&stream));
    EXPECT_EQ(LaunchCode(stream, 0, i % 2 == 0 ? 1 : 1 << 20), 0);
    EXPECT_ACL(aclrtDestroyStream(stream));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures.load(), 0);
}

// The waiter is inside the wait for the very stream that ends.
TEST_F(StreamTest, SynchronizeDeviceWhileItsStreamDrains) {
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  Gate gate;
  gate.Close(other_);
  gate.WaitUntilReached();
  std::atomic<int> code{-1};
  aclimb::testing::Sleeper in_wait;
  std::thread waiter([&] {
    aclrtSetCurrentContext(context);
    in_wait.Begins();
    code = aclrtSynchronizeDevice();
  });
  EXPECT_TRUE(in_wait.Sleeps());
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    gate.Open();
  });
  EXPECT_ACL(aclrtDestroyStream(other_));
  waiter.join();
  opener.join();
  EXPECT_EQ(code.load(), ACL_SUCCESS);
}

TEST_F(StreamTest, DestroyAfterAbortOfADependency) {
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  ASSERT_ACL(aclrtRecordEvent(event, stream_));
  ASSERT_ACL(aclrtStreamWaitEvent(other_, event));
  ASSERT_ACL(aclrtStreamAbort(stream_));
  gate.Open();
  ASSERT_ACL(aclrtDestroyStream(other_));
  ASSERT_ACL(aclrtDestroyEvent(event));
}

// The work that such a destruction drops is not done: not for those who wait for it, and not for
// those who wait for these.
TEST_F(StreamTest, DestroyDoesNotMakeDroppedWorkDone) {
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtMemset(memory, 64, 1, 64));
  aclrtStream last;
  ASSERT_ACL(aclrtCreateStream(&last));
  aclrtEvent first, second, third;
  for (aclrtEvent* event : {&first, &second, &third}) ASSERT_ACL(aclrtCreateEvent(event));
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  ASSERT_ACL(aclrtRecordEvent(first, stream_));
  ASSERT_ACL(aclrtStreamWaitEvent(other_, first));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 7, 64, other_));
  ASSERT_ACL(aclrtRecordEvent(second, other_));
  ASSERT_ACL(aclrtStreamWaitEvent(last, second));
  ASSERT_ACL(aclrtRecordEvent(third, last));
  ASSERT_ACL(aclrtStreamAbort(stream_));
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(last), ACL_ERROR_RT_STREAM_ABORT);
  EXPECT_EQ(aclrtSynchronizeEvent(second), ACL_ERROR_RT_STREAM_ABORT);
  ASSERT_ACL(aclrtDestroyStream(other_));
  EXPECT_EQ(aclrtSynchronizeStream(last), ACL_ERROR_RT_STREAM_ABORT);
  EXPECT_EQ(aclrtSynchronizeEvent(second), ACL_ERROR_RT_STREAM_ABORT);
  EXPECT_EQ(aclrtSynchronizeEvent(third), ACL_ERROR_RT_STREAM_ABORT);
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  ASSERT_ACL(aclrtQueryEventStatus(second, &status));
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(Read(memory, 1)[0], 1);
  for (const aclrtEvent event : {first, second, third}) ASSERT_ACL(aclrtDestroyEvent(event));
}

// A stream waits for a second one, which waits for a third, in the current context or in another.
// Somebody is inside a wait for the first when the work of the third is dropped.
void WaiterLearns(aclrtContext own, aclrtStream third, bool other_context, void (*drop)()) {
  aclrtContext context = own;
  if (other_context) ASSERT_ACL(aclrtCreateContext(&context, 0));
  aclrtStream first, second;
  for (aclrtStream* stream : {&first, &second}) ASSERT_ACL(aclrtCreateStream(stream));
  aclrtEvent far, near;
  for (aclrtEvent* event : {&far, &near}) ASSERT_ACL(aclrtCreateEvent(event));
  ASSERT_ACL(aclrtSetCurrentContext(own));
  ASSERT_ACL(aclrtRecordEvent(far, third));
  ASSERT_ACL(aclrtSetCurrentContext(context));
  ASSERT_ACL(aclrtStreamWaitEvent(second, far));
  ASSERT_ACL(aclrtRecordEvent(near, second));
  ASSERT_ACL(aclrtStreamWaitEvent(first, near));
  std::atomic<int> code{-1};
  aclimb::testing::Sleeper in_wait;
  std::thread waiter([&] {
    aclrtSetCurrentContext(context);
    in_wait.Begins();
    code = aclrtSynchronizeStream(first);
  });
  EXPECT_TRUE(in_wait.Sleeps());
  EXPECT_EQ(code.load(), -1);
  ASSERT_ACL(aclrtSetCurrentContext(own));
  drop();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (code.load() == -1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(code.load(), ACL_ERROR_RT_STREAM_ABORT) << "-1: still waiting";
  ASSERT_ACL(aclrtSetCurrentContext(context));
  ASSERT_ACL(aclrtStreamAbort(first));
  waiter.join();
  for (const aclrtEvent event : {far, near}) ASSERT_ACL(aclrtDestroyEvent(event));
  ASSERT_ACL(aclrtSetCurrentContext(own));
}

TEST_F(StreamTest, WaitersLearnOfADestructionTwoStreamsAway) {
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  static aclrtStream third;
  third = stream_;
  WaiterLearns(context, third, /*other_context=*/false,
               [] { EXPECT_ACL(aclrtDestroyStreamForce(third)); });
  gate.Open();
}

TEST_F(StreamTest, WaitersLearnOfAStoppedContextTwoStreamsAway) {
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  ASSERT_ACL(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  static Gate* gate;
  const auto owned = std::make_unique<Gate>();
  gate = owned.get();
  gate->Close(stream_);
  gate->WaitUntilReached();
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  WaiterLearns(context, stream_, /*other_context=*/true, [] { gate->Open(); });
}

TEST_F(StreamTest, Properties) {
  aclrtStream stream;
  ASSERT_ACL(aclrtCreateStreamWithConfig(&stream, 99, ACL_STREAM_FAST_LAUNCH | 0x4000));
  uint32_t priority = 0, flags = 0;
  ASSERT_ACL(aclrtStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, 7u);
  ASSERT_ACL(aclrtStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, ACL_STREAM_FAST_LAUNCH | 0x4000u);
  ASSERT_ACL(aclrtStreamGetPriority(nullptr, &priority));
  EXPECT_EQ(priority, 0u);
  int32_t a = 0, b = 0;
  ASSERT_ACL(aclrtStreamGetId(stream, &a));
  ASSERT_ACL(aclrtStreamGetId(stream_, &b));
  EXPECT_NE(a, b);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "streamId is null", aclrtStreamGetId, stream, nullptr);
  int32_t least = 0, greatest = 9;
  ASSERT_ACL(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 7);
  EXPECT_EQ(greatest, 0);
  uint32_t overflow = 9;
  ASSERT_ACL(aclrtGetStreamOverflowSwitch(stream, &overflow));
  EXPECT_EQ(overflow, 0u);
  ASSERT_ACL(aclrtSetStreamOverflowSwitch(stream, 1));
  ASSERT_ACL(aclrtGetStreamOverflowSwitch(stream, &overflow));
  EXPECT_EQ(overflow, 1u);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flag is 2", aclrtSetStreamOverflowSwitch, stream, 2);
  aclrtStreamAttrValue value = {};
  ASSERT_ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
  EXPECT_EQ(value.overflowSwitch, 1u);
  value.overflowSwitch = 0;
  ASSERT_ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
  ASSERT_ACL(aclrtGetStreamOverflowSwitch(stream, &overflow));
  EXPECT_EQ(overflow, 0u);
  uint8_t* status = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtMemset(status, 64, 0xFF, 64));
  ASSERT_ACL(aclrtGetOverflowStatus(status, 64, stream));
  ASSERT_ACL(aclrtResetOverflowStatus(stream));
  ASSERT_ACL(aclrtSynchronizeStream(stream));
  EXPECT_EQ(Read(status, 64), std::vector<uint8_t>(64, 0));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "outputSize is 32", aclrtGetOverflowStatus, status, 32,
                 stream);
  uint32_t before = 0, after = 0;
  ASSERT_ACL(aclrtGetThreadLastTaskId(&before));
  ASSERT_ACL(aclrtMemsetAsync(status, 64, 1, 64, stream));
  ASSERT_ACL(aclrtGetThreadLastTaskId(&after));
  EXPECT_NE(before, after);
}

TEST_F(StreamTest, AttributesByTheirEnumerators) {
  aclrtStream stream;
  ASSERT_ACL(aclrtCreateStreamWithConfig(&stream, 3, 0));
  aclrtStreamAttrValue value = {};
  ASSERT_ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
  EXPECT_EQ(value.streamPriority, 3u);
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "keeps the priority", aclrtSetStreamAttribute,
                 stream, ACL_STREAM_ATTR_PRIORITY, &value);
  for (const aclrtStreamAttr attribute :
       {ACL_STREAM_ATTR_USER_CUSTOM_TAG, ACL_STREAM_ATTR_CACHE_OP_INFO}) {
    value = {.userCustomTag = 1};
    ASSERT_ACL(aclrtSetStreamAttribute(stream, attribute, &value));
    value = {};
    ASSERT_ACL(aclrtGetStreamAttribute(stream, attribute, &value));
    EXPECT_EQ(value.userCustomTag, 1u);
    ASSERT_ACL(aclrtGetStreamAttribute(stream_, attribute, &value));
    EXPECT_EQ(value.userCustomTag, 0u);
  }
  ASSERT_ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
  EXPECT_EQ(value.failureMode, ACL_CONTINUE_ON_FAILURE);
  value.failureMode = ACL_STOP_ON_FAILURE;
  ASSERT_ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
  value = {};
  ASSERT_ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
  EXPECT_EQ(value.failureMode, ACL_STOP_ON_FAILURE);
  ASSERT_ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
  value.failureMode = 2;
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "failureMode is 2; expected ACL_CONTINUE_ON_FAILURE",
                 aclrtSetStreamAttribute, stream_, ACL_STREAM_ATTR_FAILURE_MODE, &value);
  value.cacheOpInfoSwitch = 2;
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "cacheOpInfoSwitch is 2", aclrtSetStreamAttribute,
                 stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value);
  const auto none = static_cast<aclrtStreamAttr>(6);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "stmAttrType is 6", aclrtSetStreamAttribute, stream,
                 none, &value);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "stmAttrType is 6", aclrtGetStreamAttribute, stream,
                 none, &value);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "value is null", aclrtGetStreamAttribute, stream,
                 ACL_STREAM_ATTR_PRIORITY, nullptr);
  ASSERT_ACL(aclrtDestroyStream(stream));
}

TEST_F(StreamTest, PersistentStreamsNeverWait) {
  aclrtStream stream;
  ASSERT_ACL(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
  Gate gate;
  gate.Close(stream);
  gate.WaitUntilReached();
  ASSERT_ACL(aclrtSynchronizeStream(stream));
  gate.Open();
}

TEST_F(StreamTest, Config) {
  aclrtStreamConfigHandle* config = aclrtCreateStreamConfigHandle();
  ASSERT_NE(config, nullptr);
  const uint32_t priority = 3;
  const size_t flag = ACL_STREAM_FAST_SYNC;
  ASSERT_ACL(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)));
  ASSERT_ACL(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof(flag)));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "valueSize is 2", aclrtSetStreamConfigOpt, config,
                 ACL_RT_STREAM_FLAG, &flag, 2);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "attr is 17", aclrtSetStreamConfigOpt, config,
                 static_cast<aclrtStreamConfigAttr>(17), &flag, 8);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "attrValue is null", aclrtSetStreamConfigOpt, config,
                 ACL_RT_STREAM_FLAG, nullptr, 8);
  aclrtStream stream;
  ASSERT_ACL(aclrtCreateStreamV2(&stream, config));
  uint32_t got = 0;
  ASSERT_ACL(aclrtStreamGetPriority(stream, &got));
  EXPECT_EQ(got, 3u);
  ASSERT_ACL(aclrtStreamGetFlags(stream, &got));
  EXPECT_EQ(got, ACL_STREAM_FAST_SYNC);
  ASSERT_ACL(aclrtDestroyStreamConfigHandle(config));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live stream configuration",
                 aclrtDestroyStreamConfigHandle, config);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live stream configuration", aclrtCreateStreamV2,
                 &stream, config);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "handle is null", aclrtDestroyStreamConfigHandle,
                 nullptr);
  ASSERT_ACL(aclrtCreateStreamV2(&stream, nullptr));
}

TEST_F(StreamTest, TooManyStreams) {
  int code = 0;
  int made = 0;
  for (; made < 3000; ++made) {
    aclrtStream stream;
    code = aclrtCreateStream(&stream);
    if (code != 0) break;
  }
  EXPECT_EQ(code, ACL_ERROR_RT_NO_STREAM_RESOURCE);
  EXPECT_GT(made, 1900);
}

}  // namespace
