#include <pthread.h>
#include <signal.h>

#include <stdexcept>

#include "tests/runtime/support.h"

namespace {

using runtime_test::Gate;
using runtime_test::LaunchCode;
using CallbackTest = runtime_test::RuntimeTest;

// A thread that serves the callbacks of streams, as programs write it.
class ReportLoop {
 public:
  explicit ReportLoop(aclrtContext context)
      : thread_([this, context] {
          aclrtSetCurrentContext(context);
          id_ = static_cast<uint64_t>(pthread_self());
          while (!stop_) {
            const int code = aclrtProcessReport(20);
            if (code == 0) ++rounds_;
          }
        }) {
    while (id_ == 0) std::this_thread::yield();
  }
  ~ReportLoop() {
    stop_ = true;
    thread_.join();
  }
  uint64_t id() const { return id_; }
  std::thread::id thread_id() const { return thread_.get_id(); }

 private:
  std::atomic<uint64_t> id_{0};
  std::atomic<bool> stop_{false};
  std::atomic<int> rounds_{0};
  std::thread thread_;
};

struct Record {
  std::mutex mutex;
  std::vector<int> order;
  std::thread::id thread;
  void Add(int value) {
    std::lock_guard<std::mutex> lock(mutex);
    order.push_back(value);
    thread = std::this_thread::get_id();
  }
};

// A signal handler of the program finds the program's own threads, as it would without us.
TEST_F(CallbackTest, HostFuncRunsWhereNoSignalArrives) {
  struct Seen {
    pthread_t thread;
    sigset_t blocked;
  } seen = {pthread_self(), {}};
  sigset_t own;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &own), 0);
  ASSERT_EQ(sigismember(&own, SIGALRM), 0);
  ASSERT_EQ(aclrtLaunchHostFunc(
                stream_,
                [](void* data) {
                  auto* seen_there = static_cast<Seen*>(data);
                  seen_there->thread = pthread_self();
                  pthread_sigmask(SIG_SETMASK, nullptr, &seen_there->blocked);
                },
                &seen),
            0);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), 0);
  ASSERT_EQ(pthread_equal(seen.thread, pthread_self()), 0);
  for (const int signal : {SIGALRM, SIGINT, SIGTERM, SIGUSR1, SIGCHLD}) {
    EXPECT_EQ(sigismember(&seen.blocked, signal), 1) << signal;
  }
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE}) {
    EXPECT_EQ(sigismember(&seen.blocked, fault), 0) << fault;
  }
  sigset_t after;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &after), 0);
  for (int signal = 1; signal <= 31; ++signal) {
    EXPECT_EQ(sigismember(&after, signal), sigismember(&own, signal)) << signal;
  }
}

TEST_F(CallbackTest, HostFuncRunsOffTheCallerInStreamOrder) {
  struct Shared {
    Record record;
    std::thread::id caller = std::this_thread::get_id();
  } shared;
  struct Item {
    Record* record;
    int value;
  };
  std::vector<Item> items;
  items.reserve(100);
  for (int i = 0; i < 100; ++i) {
    items.push_back({&shared.record, i});
    ASSERT_ACL(aclrtLaunchHostFunc(
        stream_, [](void* p) { static_cast<Item*>(p)->record->Add(static_cast<Item*>(p)->value); },
        &items.back()));
  }
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  ASSERT_EQ(shared.record.order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(shared.record.order[static_cast<size_t>(i)], i);
  EXPECT_NE(shared.record.thread, shared.caller);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "fn is null", aclrtLaunchHostFunc, stream_, nullptr,
                 nullptr);
}

TEST_F(CallbackTest, CallbackMayWaitForAnotherStream) {
  // Each of these callbacks waits for the next stream's callback: none may hold the engine or the
  // only thread.
  constexpr int kDepth = 6;
  std::vector<aclrtStream> streams(kDepth);
  std::vector<Gate> gates(kDepth);
  struct Link {
    Gate* open;
  };
  std::vector<Link> links(kDepth);
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_ACL(aclrtCreateStream(&streams[static_cast<size_t>(i)]));
    gates[static_cast<size_t>(i)].Close(streams[static_cast<size_t>(i)]);
  }
  for (int i = 0; i + 1 < kDepth; ++i) {
    links[static_cast<size_t>(i)].open = &gates[static_cast<size_t>(i) + 1];
    ASSERT_ACL(aclrtLaunchHostFunc(
        streams[static_cast<size_t>(i)], [](void* p) { static_cast<Link*>(p)->open->Open(); },
        &links[static_cast<size_t>(i)]));
  }
  uint8_t* memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 1, 64, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));  // the engine is free meanwhile
  gates[0].Open();
  for (const aclrtStream stream : streams) ASSERT_ACL(aclrtSynchronizeStream(stream));
}

TEST_F(CallbackTest, ReportThreadServesBlockingCallbacks) {
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  ReportLoop loop(context);
  ASSERT_ACL(aclrtSubscribeReport(loop.id(), stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_SUBSCRIBE, "already", aclrtSubscribeReport, loop.id(),
                 stream_);
  ASSERT_ACL(aclrtSubscribeReport(loop.id(), other_));
  Record record;
  static uint8_t* memory;
  memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtMemset(memory, 64, 1, 64));
  struct Seen {
    Record* record;
    uint8_t value;
  } seen = {&record, 0};
  ASSERT_ACL(aclrtLaunchCallback(
      [](void* p) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        auto* s = static_cast<Seen*>(p);
        aclrtMemcpy(&s->value, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST);
        s->record->Add(1);
      },
      &seen, ACL_CALLBACK_BLOCK, stream_));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 2, 64, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(seen.value, 1) << "later work waited for the callback";
  EXPECT_EQ(Read(memory, 1)[0], 2);
  EXPECT_EQ(record.thread, loop.thread_id());
  ASSERT_ACL(aclrtUnSubscribeReport(loop.id(), stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_SUBSCRIBE, "no report thread", aclrtUnSubscribeReport,
                 loop.id(), stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_THREAD_SUBSCRIBE, "served by thread", aclrtUnSubscribeReport, 12345,
                 other_);
  ASSERT_ACL(aclrtUnSubscribeReport(loop.id(), other_));
}

TEST_F(CallbackTest, NonBlockingCallbackDoesNotHoldTheStream) {
  // Nobody processes reports yet; a blocking callback would hang here.
  const uint64_t self = static_cast<uint64_t>(pthread_self());
  ASSERT_ACL(aclrtSubscribeReport(self, stream_));
  static int calls;
  calls = 0;
  ASSERT_ACL(aclrtLaunchCallback([](void*) { ++calls; }, nullptr, ACL_CALLBACK_NO_BLOCK, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(calls, 0);
  ASSERT_ACL(aclrtProcessReport(1000));
  EXPECT_EQ(calls, 1);
  EXPECT_REFUSED(ACL_ERROR_RT_REPORT_TIMEOUT, "no callback", aclrtProcessReport, 5);
  ASSERT_ACL(aclrtUnSubscribeReport(self, stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_THREAD_SUBSCRIBE, "serves no stream", aclrtProcessReport, 5);
}

TEST_F(CallbackTest, Misuse) {
  static const auto nothing = [](void*) {};
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_NO_CB_REG, "no report thread", aclrtLaunchCallback, nothing,
                 nullptr, ACL_CALLBACK_BLOCK, stream_);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "fn is null", aclrtLaunchCallback, nullptr, nullptr,
                 ACL_CALLBACK_BLOCK, stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "blockType is 4", aclrtLaunchCallback, nothing,
                 nullptr, static_cast<aclrtCallbackBlockType>(4), stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "timeout is 0", aclrtProcessReport, 0);
  EXPECT_REFUSED(ACL_ERROR_RT_THREAD_SUBSCRIBE, "serves no stream", aclrtProcessReport, 1);
}

TEST_F(CallbackTest, UnsubscribingLosesNoCallback) {
  const uint64_t self = static_cast<uint64_t>(pthread_self());
  ASSERT_ACL(aclrtSubscribeReport(self, stream_));
  static std::atomic<int> calls;
  calls = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_ACL(aclrtLaunchCallback([](void*) { ++calls; }, nullptr, ACL_CALLBACK_BLOCK, stream_));
  }
  ASSERT_ACL(aclrtUnSubscribeReport(self, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(calls.load(), 3);
}

TEST_F(CallbackTest, UnsubscribingEndsAnEndlessWait) {
  aclrtContext context;
  ASSERT_ACL(aclrtGetCurrentContext(&context));
  std::atomic<uint64_t> id{0};
  std::atomic<bool> subscribed{false};
  std::thread thread([&] {
    aclrtSetCurrentContext(context);
    id = static_cast<uint64_t>(pthread_self());
    while (!subscribed) std::this_thread::yield();
    EXPECT_EQ(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
  });
  while (id == 0) std::this_thread::yield();
  ASSERT_ACL(aclrtSubscribeReport(id, stream_));
  subscribed = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_ACL(aclrtUnSubscribeReport(id, stream_));
  thread.join();
}

TEST_F(CallbackTest, ExceptionsOfTheProgramFailItsStream) {
  auto* const memory = static_cast<uint8_t*>(Allocate(64));
  ASSERT_ACL(aclrtLaunchHostFunc(
      stream_, [](void*) { throw std::runtime_error("a file is missing"); }, nullptr));
  uint32_t task = 0;
  ASSERT_ACL(aclrtGetThreadLastTaskId(&task));
  ASSERT_ACL(aclrtMemsetAsync(memory, 64, 3, 64, stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_AICPU_EXCEPTION,
                 "task " + std::to_string(task) + " (callback) of stream ", aclrtSynchronizeStream,
                 stream_);
  EXPECT_EQ(Read(memory, 1)[0], 3) << "later work runs on in continue mode";
  ASSERT_ACL(aclrtSynchronizeStream(stream_));

  ASSERT_ACL(aclrtLaunchHostFunc(
      stream_, [](void*) { throw std::runtime_error("a file is missing"); }, nullptr));
  EXPECT_REFUSED(ACL_ERROR_RT_AICPU_EXCEPTION,
                 "its function threw an exception (a file is missing); expected it to return.",
                 aclrtSynchronizeStream, stream_);
  ASSERT_ACL(aclrtLaunchHostFunc(
      stream_, [](void*) { throw 7; }, nullptr));
  EXPECT_REFUSED(ACL_ERROR_RT_AICPU_EXCEPTION,
                 "its function threw an exception; expected it to return.", aclrtSynchronizeStream,
                 stream_);

  const auto self = static_cast<uint64_t>(pthread_self());
  ASSERT_ACL(aclrtSubscribeReport(self, stream_));
  ASSERT_ACL(aclrtLaunchCallback([](void*) { throw 7; }, nullptr, ACL_CALLBACK_BLOCK, stream_));
  ASSERT_ACL(aclrtProcessReport(1000));
  EXPECT_REFUSED(ACL_ERROR_RT_AICPU_EXCEPTION, "its function threw", aclrtSynchronizeStream,
                 stream_);
  // Nothing of the stream waits for this one.
  ASSERT_ACL(aclrtLaunchCallback([](void*) { throw 7; }, nullptr, ACL_CALLBACK_NO_BLOCK, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  ASSERT_ACL(aclrtProcessReport(1000));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  ASSERT_ACL(aclrtUnSubscribeReport(self, stream_));
}

TEST_F(CallbackTest, AbortWhileSuspended) {
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  static std::atomic<int> calls;
  calls = 0;
  ASSERT_ACL(aclrtLaunchHostFunc(
      stream_, [](void*) { ++calls; }, nullptr));
  ASSERT_ACL(aclrtStreamAbort(stream_));
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(calls.load(), 0);
}

TEST_F(CallbackTest, ExceptionInfo) {
  static std::vector<uint32_t> seen;
  seen.clear();
  ASSERT_ACL(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo* info) {
    seen.push_back(aclrtGetTaskIdFromExceptionInfo(info));
    seen.push_back(aclrtGetStreamIdFromExceptionInfo(info));
    seen.push_back(aclrtGetDeviceIdFromExceptionInfo(info));
    seen.push_back(aclrtGetErrorCodeFromExceptionInfo(info));
    EXPECT_NE(aclrtGetThreadIdFromExceptionInfo(info), 0xFFFFFFFFu);
  }));
  int32_t stream_id = -1;
  ASSERT_ACL(aclrtStreamGetId(stream_, &stream_id));
  ASSERT_EQ(LaunchCode(stream_, 0), 0);
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICPU_EXCEPTION), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_AICORE_EXCEPTION);
  const uint32_t stream = static_cast<uint32_t>(stream_id);
  EXPECT_EQ(seen, (std::vector<uint32_t>{2, stream, 0, ACL_ERROR_RT_AICORE_EXCEPTION, 3, stream, 0,
                                         ACL_ERROR_RT_AICPU_EXCEPTION}));
  seen.clear();
  ASSERT_ACL(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo* info) {
    seen.push_back(aclrtGetTaskIdFromExceptionInfo(info));
    throw 7;
  }));
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICPU_EXCEPTION), 0);
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "task 4 (test task)", aclrtSynchronizeStream,
                 stream_);
  EXPECT_EQ(seen, (std::vector<uint32_t>{4, 5}));
  ASSERT_ACL(aclrtSetExceptionInfoCallback(nullptr));
  seen.clear();
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(aclrtGetTaskIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
}

}  // namespace
