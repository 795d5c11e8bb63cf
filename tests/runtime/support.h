#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclimb/bridge/bridge.h"

// The call succeeds; the text of a failure is shown.
#define ASSERT_ACL(call)                                      \
  do {                                                        \
    const int acl_code = (call);                              \
    ASSERT_EQ(acl_code, ACL_SUCCESS) << aclGetRecentErrMsg(); \
  } while (false)
#define EXPECT_ACL(call)                                      \
  do {                                                        \
    const int acl_code = (call);                              \
    EXPECT_EQ(acl_code, ACL_SUCCESS) << aclGetRecentErrMsg(); \
  } while (false)

// The call is refused with this code; it becomes the last error, and the one new message names the
// function and `fragment`.
#define EXPECT_REFUSED(expected, fragment, function, ...)                            \
  do {                                                                               \
    aclGetRecentErrMsg();                                                            \
    EXPECT_EQ(function(__VA_ARGS__), expected) << #function "(" #__VA_ARGS__ ")";    \
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), expected);                  \
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), expected);                     \
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);                  \
    runtime_test::CheckMessage(aclGetRecentErrMsg(), #function, fragment, expected); \
    EXPECT_STREQ(aclGetRecentErrMsg(), "") << "one mistake gives one message";       \
  } while (false)

namespace runtime_test {

inline void CheckMessage(const std::string& text, const std::string& function,
                         const std::string& fragment, int code) {
  EXPECT_EQ(text.rfind(function + ": ", 0), 0u) << text;
  EXPECT_NE(text.find(fragment), std::string::npos) << "no \"" << fragment << "\" in:\n" << text;
  EXPECT_NE(text.find("expected "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  fix: "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  rule: runtime/"), std::string::npos) << text;
  EXPECT_NE(text.find("code: " + std::to_string(code)), std::string::npos) << text;
  EXPECT_EQ(text.find("code: "), text.rfind("code: ")) << "more than one message:\n" << text;
}

// Holds a stream: work queued behind it does not start before Open. The stream may get there after
// the gate is gone.
class Gate {
 public:
  ~Gate() { Open(); }
  void Open() { state_->Set(&State::open); }
  void WaitUntilReached() { state_->WaitFor(&State::reached); }
  void Close(aclrtStream stream) {
    auto* owned = new std::shared_ptr<State>(state_);
    ASSERT_EQ(aclrtLaunchHostFunc(
                  stream,
                  [](void* data) {
                    const std::unique_ptr<std::shared_ptr<State>> state(
                        static_cast<std::shared_ptr<State>*>(data));
                    (*state)->Set(&State::reached);
                    (*state)->WaitFor(&State::open);
                  },
                  owned),
              ACL_SUCCESS);
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    bool reached = false;
    void Set(bool State::*flag) {
      std::lock_guard<std::mutex> lock(mutex);
      this->*flag = true;
      changed.notify_all();
    }
    void WaitFor(bool State::*flag) {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return this->*flag; });
    }
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Queues a task that returns `code`.
inline int LaunchCode(aclrtStream stream, int code, uint64_t cost = 1 << 20) {
  AclimbTask task = {};
  task.name = "test task";
  task.run = [](void* payload) { return *static_cast<int*>(payload); };
  task.release = [](void* payload) { delete static_cast<int*>(payload); };
  task.payload = new int(code);
  task.cost_bytes = cost;
  return aclimb_launch(stream, &task, nullptr);
}

// Device 0 set for the test, and released after it.
class RuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_ACL(aclrtSetDevice(0));
    ASSERT_ACL(aclrtCreateStream(&stream_));
    ASSERT_ACL(aclrtCreateStream(&other_));
    aclGetRecentErrMsg();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
  void TearDown() override { EXPECT_ACL(aclrtResetDeviceForce(0)); }

  void* Allocate(size_t bytes) {
    void* address = nullptr;
    EXPECT_ACL(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return address;
  }
  static std::vector<uint8_t> Read(const void* device, size_t bytes) {
    std::vector<uint8_t> host(bytes, 0xEE);
    EXPECT_ACL(aclrtMemcpy(host.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    return host;
  }
  static void Write(void* device, const std::vector<uint8_t>& host) {
    EXPECT_ACL(
        aclrtMemcpy(device, host.size(), host.data(), host.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  }

  aclrtStream stream_ = nullptr;
  aclrtStream other_ = nullptr;
};

}  // namespace runtime_test
