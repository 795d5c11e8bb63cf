// Objects that one thread destroys while another uses them: every call returns a code, and no freed
// memory is touched (the sanitizers look).
#include "tests/runtime/support.h"
#include "tests/support/sleeper.h"

namespace {

using runtime_test::Gate;
using runtime_test::LaunchCode;

class LifetimeTest : public runtime_test::RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_ACL(aclrtGetCurrentContext(&context_));
  }
  // Calls body() on two threads again and again while `act` runs here.
  template <typename Body, typename Act>
  void While(Body body, Act act) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        while (!stop.load()) {
          aclrtSetCurrentContext(context_);
          body();
          aclGetRecentErrMsg();
        }
      });
    }
    act();
    stop = true;
    for (std::thread& thread : threads) thread.join();
  }
  aclrtContext context_ = nullptr;
};

bool Allowed(int code) {
  return code == ACL_SUCCESS || code == ACL_ERROR_RT_INVALID_HANDLE ||
         code == ACL_ERROR_RT_STREAM_ABORT || code == ACL_ERROR_RT_CONTEXT_NULL ||
         code == ACL_ERROR_RT_STREAM_CONTEXT;
}

TEST_F(LifetimeTest, StreamIsDestroyedUnderItsUsers) {
  std::atomic<aclrtStream> shared{stream_};
  std::atomic<int> surprises{0};
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  While(
      [&] {
        aclrtStream stream = shared.load();
        aclrtStreamStatus status;
        surprises += !Allowed(aclrtSynchronizeStream(stream));
        surprises += !Allowed(LaunchCode(stream, 0));
        surprises += !Allowed(aclrtStreamQuery(stream, &status));
        surprises += !Allowed(aclrtRecordEvent(event, stream));
        surprises += !Allowed(aclrtStreamWaitEvent(stream, event));
        surprises += !Allowed(aclrtSynchronizeEvent(event));
      },
      [&] {
        for (int i = 0; i < 300; ++i) {
          aclrtStream old = shared.load();
          LaunchCode(old, 0);
          aclrtStream next;
          ASSERT_ACL(aclrtCreateStream(&next));
          shared = next;
          if (i % 2 == 0) {
            EXPECT_ACL(aclrtDestroyStream(old));
          } else {
            EXPECT_ACL(aclrtDestroyStreamForce(old));
          }
        }
      });
  EXPECT_EQ(surprises.load(), 0);
  EXPECT_ACL(aclrtDestroyEvent(event));
}

// What a thread used before tells it nothing of what another thread did to it since.
TEST_F(LifetimeTest, AThreadComesBackToADestroyedStream) {
  std::atomic<int> step{0};
  const auto wait_for = [&](int wanted) {
    while (step.load() < wanted) std::this_thread::yield();
  };
  std::thread user([&] {
    EXPECT_ACL(aclrtSetCurrentContext(context_));
    EXPECT_EQ(LaunchCode(other_, 0), 0);
    EXPECT_ACL(aclrtSynchronizeStream(other_));
    step = 1;
    wait_for(2);
    EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(LaunchCode(other_, 0), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(LaunchCode(stream_, 0), 0);
    EXPECT_ACL(aclrtSynchronizeStream(stream_));
    aclrtContext context;
    EXPECT_ACL(aclrtCreateContext(&context, 0));
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT_ACL(aclrtDestroyContext(context));
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_CONTEXT_NULL);
  });
  wait_for(1);
  EXPECT_ACL(aclrtDestroyStream(other_));
  step = 2;
  user.join();
  ASSERT_ACL(aclrtCreateStream(&other_));
}

TEST_F(LifetimeTest, SynchronizeOutlivesADestroyThatDrains) {
  Gate gate;
  gate.Close(stream_);
  std::atomic<int> code{-1};
  aclimb::testing::Sleeper in_wait;
  std::thread waiter([&] {
    aclrtSetCurrentContext(context_);
    in_wait.Begins();
    code = aclrtSynchronizeStream(stream_);
  });
  EXPECT_TRUE(in_wait.Sleeps());
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    gate.Open();
  });
  EXPECT_ACL(aclrtDestroyStream(stream_));
  waiter.join();
  opener.join();
  EXPECT_EQ(code.load(), ACL_SUCCESS);
}

TEST_F(LifetimeTest, SynchronizeIsToldOfADestroyByForce) {
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  std::atomic<int> code{-1};
  aclimb::testing::Sleeper in_wait;
  std::thread waiter([&] {
    aclrtSetCurrentContext(context_);
    in_wait.Begins();
    code = aclrtSynchronizeStream(stream_);
  });
  EXPECT_TRUE(in_wait.Sleeps());
  EXPECT_ACL(aclrtDestroyStreamForce(stream_));
  waiter.join();
  EXPECT_EQ(code.load(), ACL_ERROR_RT_STREAM_ABORT);
  gate.Open();
}

TEST_F(LifetimeTest, EventIsDestroyedUnderItsUsers) {
  aclrtEvent first;
  ASSERT_ACL(aclrtCreateEvent(&first));
  std::atomic<aclrtEvent> shared{first};
  std::atomic<int> surprises{0};
  While(
      [&] {
        aclrtEvent event = shared.load();
        aclrtEventRecordedStatus status;
        surprises += !Allowed(aclrtRecordEvent(event, stream_));
        surprises += !Allowed(aclrtStreamWaitEvent(other_, event));
        surprises += !Allowed(aclrtQueryEventStatus(event, &status));
        surprises += !Allowed(aclrtSynchronizeEvent(event));
      },
      [&] {
        for (int i = 0; i < 1000; ++i) {
          aclrtEvent next;
          ASSERT_ACL(aclrtCreateEvent(&next));
          EXPECT_ACL(aclrtDestroyEvent(shared.exchange(next)));
        }
      });
  EXPECT_EQ(surprises.load(), 0);
}

TEST_F(LifetimeTest, ContextIsDestroyedUnderItsUsers) {
  std::atomic<aclrtContext> shared{context_};
  std::atomic<int> surprises{0};
  While(
      [&] {
        if (aclrtSetCurrentContext(shared.load()) != ACL_SUCCESS) return;
        surprises += !Allowed(LaunchCode(nullptr, 0));
        surprises += !Allowed(aclrtSynchronizeStream(nullptr));
        surprises += !Allowed(aclrtSynchronizeDevice());
        int32_t device = 0;
        surprises += !Allowed(aclrtGetDevice(&device));
      },
      [&] {
        for (int i = 0; i < 200; ++i) {
          aclrtContext next;
          ASSERT_ACL(aclrtCreateContext(&next, 0));
          aclrtContext old = shared.exchange(next);
          if (old != context_) {
            EXPECT_ACL(aclrtDestroyContext(old));
          }
        }
      });
  EXPECT_EQ(surprises.load(), 0);
  ASSERT_ACL(aclrtSetCurrentContext(context_));
}

TEST_F(LifetimeTest, DeviceIsResetUnderItsUsers) {
  std::atomic<int> surprises{0};
  While(
      [&] {
        if (aclrtSetDevice(0) != ACL_SUCCESS) return;
        aclrtStream stream;
        if (aclrtCreateStream(&stream) == ACL_SUCCESS) {
          surprises += !Allowed(LaunchCode(stream, 0));
          surprises += !Allowed(aclrtSynchronizeStream(stream));
        }
        surprises += !Allowed(LaunchCode(nullptr, 0));
        surprises += !Allowed(aclrtSynchronizeStream(nullptr));
      },
      [&] {
        for (int i = 0; i < 100; ++i) {
          ASSERT_ACL(aclrtSetDevice(0));
          EXPECT_EQ(aclrtResetDeviceForce(0) | ACL_ERROR_RT_CONTEXT_NULL,
                    ACL_ERROR_RT_CONTEXT_NULL);
        }
      });
  EXPECT_EQ(surprises.load(), 0);
  ASSERT_ACL(aclrtSetDevice(0));
}

}  // namespace
