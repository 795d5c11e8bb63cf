#include "tests/runtime/support.h"
#include "tests/support/in_time.h"

namespace {

using runtime_test::Gate;

class EventTest : public runtime_test::RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_ACL(aclrtCreateEvent(&event_));
    memory_ = static_cast<uint8_t*>(Allocate(64));
    ASSERT_ACL(aclrtMemset(memory_, 64, 0, 64));
  }
  void TearDown() override {
    EXPECT_ACL(aclrtDestroyEvent(event_));
    RuntimeTest::TearDown();
  }
  aclrtEvent event_ = nullptr;
  uint8_t* memory_ = nullptr;
};

TEST_F(EventTest, NeverRecordedIsComplete) {
  aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  ASSERT_ACL(aclrtQueryEventStatus(event_, &recorded));
  EXPECT_EQ(recorded, ACL_EVENT_RECORDED_STATUS_COMPLETE);
  aclrtEventStatus status = ACL_EVENT_STATUS_NOT_READY;
  ASSERT_ACL(aclrtQueryEvent(event_, &status));
  EXPECT_EQ(status, ACL_EVENT_STATUS_COMPLETE);
  ASSERT_ACL(aclrtSynchronizeEvent(event_));
  ASSERT_ACL(aclrtSynchronizeEventWithTimeout(event_, 1));
  ASSERT_ACL(aclrtStreamWaitEvent(stream_, event_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
}

TEST_F(EventTest, OrdersTwoStreams) {
  for (int round = 0; round < 200; ++round) {
    ASSERT_ACL(aclrtMemsetAsync(memory_, 64, 1, 64, stream_));
    ASSERT_ACL(aclrtRecordEvent(event_, stream_));
    ASSERT_ACL(aclrtStreamWaitEvent(other_, event_));
    ASSERT_ACL(aclrtMemsetAsync(memory_, 64, 2, 64, other_));
    ASSERT_ACL(aclrtRecordEvent(event_, other_));
    ASSERT_ACL(aclrtStreamWaitEvent(stream_, event_));
  }
  ASSERT_ACL(aclrtSynchronizeStream(other_));
  EXPECT_EQ(Read(memory_, 1)[0], 2);
}

TEST_F(EventTest, StatesWhileHeld) {
  Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtRecordEvent(event_, stream_));
  aclrtEventRecordedStatus recorded;
  ASSERT_ACL(aclrtQueryEventStatus(event_, &recorded));
  EXPECT_EQ(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  aclrtEventStatus status;
  ASSERT_ACL(aclrtQueryEvent(event_, &status));
  EXPECT_EQ(status, ACL_EVENT_STATUS_NOT_READY);
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "not complete", aclrtSynchronizeEventWithTimeout,
                 event_, 1);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "timeout is 0", aclrtSynchronizeEventWithTimeout,
                 event_, 0);
  float ms = -1;
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_NOT_COMPLETE, "which is not complete", aclrtEventElapsedTime,
                 &ms, event_, event_);
  aclrtEventWaitStatus wait;
  ASSERT_ACL(aclrtQueryEventWaitStatus(event_, &wait));
  EXPECT_EQ(wait, ACL_EVENT_WAIT_STATUS_COMPLETE);
  ASSERT_ACL(aclrtStreamWaitEvent(other_, event_));
  ASSERT_ACL(aclrtQueryEventWaitStatus(event_, &wait));
  EXPECT_EQ(wait, ACL_EVENT_WAIT_STATUS_NOT_READY);
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeEvent(event_));
  ASSERT_ACL(aclrtQueryEventStatus(event_, &recorded));
  EXPECT_EQ(recorded, ACL_EVENT_RECORDED_STATUS_COMPLETE);
  ASSERT_ACL(aclrtSynchronizeStream(other_));
  ASSERT_ACL(aclrtQueryEventWaitStatus(event_, &wait));
  EXPECT_EQ(wait, ACL_EVENT_WAIT_STATUS_COMPLETE);
}

TEST_F(EventTest, WaitKeepsWhatItWasIssuedFor) {
  Gate second;
  ASSERT_ACL(aclrtMemsetAsync(memory_, 64, 1, 64, stream_));
  ASSERT_ACL(aclrtRecordEvent(event_, stream_));
  ASSERT_ACL(aclrtStreamWaitEvent(other_, event_));
  second.Close(stream_);
  ASSERT_ACL(aclrtRecordEvent(event_, stream_));  // does not move the wait above
  ASSERT_ACL(aclrtMemsetAsync(memory_, 64, 2, 64, other_));
  ASSERT_ACL(aclrtSynchronizeStreamWithTimeout(other_, 10000));
  EXPECT_EQ(Read(memory_, 1)[0], 2);
  second.Open();
  ASSERT_ACL(aclrtSynchronizeEvent(event_));
}

TEST_F(EventTest, DestroyBeforeCompletion) {
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtRecordEvent(event, stream_));
  ASSERT_ACL(aclrtStreamWaitEvent(other_, event));
  ASSERT_ACL(aclrtMemsetAsync(memory_, 64, 5, 64, other_));
  ASSERT_ACL(aclrtDestroyEvent(event));
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(other_));
  EXPECT_EQ(Read(memory_, 1)[0], 5);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live event", aclrtDestroyEvent, event);
}

TEST_F(EventTest, Timing) {
  aclrtEvent start, end;
  ASSERT_ACL(aclrtCreateEvent(&start));
  ASSERT_ACL(aclrtCreateEventExWithFlag(&end, ACL_EVENT_TIME_LINE));
  float ms = -1;
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "startEvent is", aclrtEventElapsedTime, &ms,
                 start, end);
  EXPECT_EQ(ms, -1);
  using Milliseconds = std::chrono::duration<float, std::milli>;
  const auto before = std::chrono::steady_clock::now();
  ASSERT_ACL(aclrtRecordEvent(start, stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "which was never recorded",
                 aclrtEventElapsedTime, &ms, start, end);
  ASSERT_ACL(aclrtLaunchHostFunc(
      stream_, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
  ASSERT_ACL(aclrtRecordEvent(end, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  const Milliseconds passed = std::chrono::steady_clock::now() - before;
  ASSERT_ACL(aclrtEventElapsedTime(&ms, start, end));
  EXPECT_GE(ms, 19);
  EXPECT_LE(ms, passed.count() + 1);
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "before startEvent", aclrtEventElapsedTime,
                 &ms, end, start);
  uint64_t from = 0, to = 0;
  ASSERT_ACL(aclrtEventGetTimestamp(start, &from));
  ASSERT_ACL(aclrtEventGetTimestamp(end, &to));
  EXPECT_NEAR(static_cast<double>(to - from), ms * 1000, 2);
  aclrtEvent untimed;
  ASSERT_ACL(aclrtCreateEventWithFlag(&untimed, ACL_EVENT_SYNC));
  ASSERT_ACL(aclrtRecordEvent(untimed, stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "without ACL_EVENT_TIME_LINE",
                 aclrtEventElapsedTime, &ms, start, untimed);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "ms is null", aclrtEventElapsedTime, nullptr, start, end);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "timestamp is null", aclrtEventGetTimestamp, start,
                 nullptr);
  for (const aclrtEvent event : {start, end, untimed}) ASSERT_ACL(aclrtDestroyEvent(event));
}

TEST_F(EventTest, ShortIntervalsAreResolved) {
  aclrtEvent end;
  ASSERT_ACL(aclrtCreateEvent(&end));
  ASSERT_ACL(aclrtRecordEvent(event_, stream_));
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  ASSERT_ACL(aclrtRecordEvent(end, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  float ms = 0;
  ASSERT_ACL(aclrtEventElapsedTime(&ms, event_, end));
  EXPECT_GE(ms, 0.04f);
  ASSERT_ACL(aclrtDestroyEvent(end));
}

TEST_F(EventTest, FlagsDecideUses) {
  aclrtEvent event = nullptr;
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flag is 0", aclrtCreateEventWithFlag, &event, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "flag is 4096", aclrtCreateEventExWithFlag, &event,
                 4096);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "event is null", aclrtCreateEvent, nullptr);
  EXPECT_EQ(event, nullptr);
  ASSERT_ACL(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "ACL_EVENT_SYNC", aclrtStreamWaitEvent, stream_,
                 event);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "ACL_EVENT_SYNC", aclrtResetEvent, event, stream_);
  ASSERT_ACL(aclrtDestroyEvent(event));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "ACL_EVENT_SYNC", aclrtResetEvent, event_, stream_);
  ASSERT_ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
  aclrtEventStatus status;
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "aclrtQueryEvent", aclrtQueryEvent, event, &status);
  aclrtEventWaitStatus wait;
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "aclrtQueryEventWaitStatus", aclrtQueryEventWaitStatus,
                 event, &wait);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "aclrtResetEvent", aclrtResetEvent, event, stream_);
  ASSERT_ACL(aclrtDestroyEvent(event));
}

TEST_F(EventTest, ResetInStreamOrder) {
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
  ASSERT_ACL(aclrtRecordEvent(event, stream_));
  ASSERT_ACL(aclrtStreamWaitEvent(other_, event));
  ASSERT_ACL(aclrtResetEvent(event, other_));
  ASSERT_ACL(aclrtSynchronizeStream(other_));
  uint64_t time;
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "never recorded", aclrtEventGetTimestamp,
                 event, &time);
  ASSERT_ACL(aclrtRecordEvent(event, stream_));
  ASSERT_ACL(aclrtSynchronizeEvent(event));
  ASSERT_ACL(aclrtEventGetTimestamp(event, &time));
  ASSERT_ACL(aclrtDestroyEvent(event));
}

TEST_F(EventTest, HandlesAreChecked) {
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "event is null", aclrtDestroyEvent, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "event is null", aclrtRecordEvent, nullptr, stream_);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "event is null", aclrtSynchronizeEvent, nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live event", aclrtRecordEvent, stream_, stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live stream", aclrtRecordEvent, event_, event_);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live event", aclrtStreamWaitEvent, stream_,
                 stream_);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "status is null", aclrtQueryEventStatus, event_, nullptr);
}

TEST_F(EventTest, WaitTimeoutFailsTheStream) {
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "timeout is -1", aclrtStreamWaitEventWithTimeout,
                 stream_, event_, -1);
  Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtRecordEvent(event_, stream_));
  ASSERT_ACL(aclrtSetOpWaitTimeout(1));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_ACL(aclrtStreamWaitEvent(other_, event_));
  ASSERT_ACL(aclrtSetOpWaitTimeout(0));
  ASSERT_ACL(aclrtMemsetAsync(memory_, 64, 5, 64, other_));
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "event wait", aclrtSynchronizeStream, other_);
  const auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_GE(waited, std::chrono::milliseconds(900));
  EXPECT_EQ(Read(memory_, 1)[0], 5) << "later work runs on in continue mode";
  ASSERT_ACL(aclrtStreamWaitEventWithTimeout(other_, event_, 0));
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(other_));
}

// The time runs from the moment at which the stream gets to the wait.
TEST_F(EventTest, WaitTimeoutBeginsWithTheWait) {
  constexpr std::chrono::milliseconds kHeld(1200), kLooked(300);
  // The event has to happen before the time is up.
  EXPECT_TRUE(aclimb::testing::HoldsInTime(kHeld + std::chrono::milliseconds(900), [&] {
    Gate recorded;
    recorded.Close(stream_);
    EXPECT_ACL(aclrtRecordEvent(event_, stream_));
    Gate before;
    before.Close(other_);
    EXPECT_ACL(aclrtStreamWaitEventWithTimeout(other_, event_, 1));
    std::this_thread::sleep_for(kHeld);
    before.Open();
    const int early = aclrtSynchronizeStreamWithTimeout(other_, kLooked.count());
    recorded.Open();
    return aclrtSynchronizeStream(other_) == ACL_SUCCESS &&
           early == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
  })) << aclGetRecentErrMsg();
}

// A third stream keeps the engine busy with task after task; the wait expires all the same.
TEST_F(EventTest, WaitTimeoutOnABusyEngine) {
  Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtRecordEvent(event_, stream_));
  ASSERT_ACL(aclrtStreamWaitEventWithTimeout(other_, event_, 1));
  aclrtStream busy;
  ASSERT_ACL(aclrtCreateStream(&busy));
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  static std::atomic<int> ran;
  ran = 0;
  constexpr int kTasks = 5000;
  for (int i = 0; i < kTasks; ++i) {
    AclimbTask task = {};
    task.name = "busy";
    task.cost_bytes = 1 << 20;
    task.run = [](void*) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      ++ran;
      return 0;
    };
    ASSERT_EQ(aclimb_launch(busy, &task, nullptr), 0);
  }
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  EXPECT_LT(ran, kTasks);
  EXPECT_ACL(aclrtStreamAbort(busy));
}

TEST_F(EventTest, WaitTimeoutStopsTheContext) {
  ASSERT_ACL(aclrtSetStreamFailureMode(other_, ACL_STOP_ON_FAILURE));
  Gate gate;
  gate.Close(stream_);
  ASSERT_ACL(aclrtRecordEvent(event_, stream_));
  ASSERT_ACL(aclrtMemsetAsync(memory_, 64, 6, 64, stream_));
  ASSERT_ACL(aclrtStreamWaitEventWithTimeout(other_, event_, 1));
  ASSERT_ACL(aclrtMemsetAsync(memory_, 64, 5, 64, other_));
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                 "; expected it to succeed.\n  fix: look at what is queued in front of the event's "
                 "recording, or allow the wait more time",
                 aclrtSynchronizeStream, other_);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  EXPECT_EQ(Read(memory_, 1)[0], 0) << "nothing ran after the failure";
}

// The task's error has the code of a wait whose time is up.
TEST_F(EventTest, ATimedWaitTellsAFailureFromATimeout) {
  ASSERT_EQ(runtime_test::LaunchCode(stream_, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT), 0);
  ASSERT_ACL(aclrtRecordEvent(event_, stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "task 1 (test task) of stream ",
                 aclrtSynchronizeEventWithTimeout, event_, 20000);
  ASSERT_ACL(aclrtSynchronizeEventWithTimeout(event_, 20000));
}

TEST_F(EventTest, ManyRecordingsAndEvents) {
  std::vector<aclrtEvent> events(2000);
  for (aclrtEvent& event : events) {
    ASSERT_ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    ASSERT_ACL(aclrtRecordEvent(event, stream_));
    ASSERT_ACL(aclrtStreamWaitEvent(other_, event));
  }
  ASSERT_ACL(aclrtSynchronizeDevice());
  for (const aclrtEvent event : events) ASSERT_ACL(aclrtDestroyEvent(event));
}

}  // namespace
