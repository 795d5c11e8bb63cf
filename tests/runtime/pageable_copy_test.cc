// Copies of pageable memory whose stream is aborted, destroyed or stuck: the call must say so, and
// nobody may touch the program's memory once it has returned.
#include <signal.h>
#include <sys/mman.h>

#include <cstring>
#include <optional>

#include "tests/runtime/support.h"
#include "tests/support/in_time.h"
#include "tests/support/sleeper.h"

namespace {

using runtime_test::Gate;
using runtime_test::LaunchCode;

constexpr size_t kBytes = size_t{4} << 20;

class PageableCopyTest : public runtime_test::RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_ACL(aclrtGetCurrentContext(&context_));
    device_ = Allocate(kBytes);
    ASSERT_ACL(aclrtMemset(device_, kBytes, 0x5A, kBytes));
    host_.assign(kBytes, 0x11);
  }
  void TearDown() override {
    if (copier_.joinable()) copier_.join();
    RuntimeTest::TearDown();
  }
  // Device to host on stream_, on a thread of its own.
  void StartCopy(void* host) {
    code_ = kPending;
    in_copy_.emplace();
    copier_ = std::thread([this, host] {
      aclrtSetCurrentContext(context_);
      in_copy_->Begins();
      const int code =
          aclrtMemcpyAsync(host, kBytes, device_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream_);
      text_ = aclGetRecentErrMsg();
      code_ = code;
    });
  }
  void StartCopyAndLetItQueue() {
    StartCopy(host_.data());
    EXPECT_TRUE(in_copy_->Sleeps());
    EXPECT_EQ(code_.load(), kPending);
  }
  int Finish() {
    copier_.join();
    return code_.load();
  }
  // Returns once the stream with the event is aborted or destroyed, which must not end the call.
  void ExpectTheCallToStay(aclrtEvent event) {
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_ERROR_RT_STREAM_ABORT);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(code_.load(), kPending) << "the call has left while the copy still writes";
    EXPECT_ACL(aclrtDestroyEvent(event));
  }
  bool HostIsUntouched() const { return host_ == std::vector<uint8_t>(kBytes, 0x11); }

  static constexpr int kPending = -1;
  aclrtContext context_ = nullptr;
  void* device_ = nullptr;
  std::vector<uint8_t> host_;
  std::thread copier_;
  std::optional<aclimb::testing::Sleeper> in_copy_;
  std::atomic<int> code_{kPending};
  std::string text_;
};

TEST_F(PageableCopyTest, AbortedBeforeItsTurn) {
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  StartCopyAndLetItQueue();
  ASSERT_ACL(aclrtStreamAbort(stream_));
  EXPECT_EQ(Finish(), ACL_ERROR_RT_STREAM_ABORT);
  EXPECT_NE(text_.find("aborted"), std::string::npos) << text_;
  EXPECT_NE(text_.find("0x"), std::string::npos) << text_;
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(HostIsUntouched());
  ASSERT_ACL(
      aclrtMemcpyAsync(host_.data(), kBytes, device_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream_));
  EXPECT_EQ(host_, std::vector<uint8_t>(kBytes, 0x5A)) << "the stream is usable again";
}

TEST_F(PageableCopyTest, StreamDestroyedByForceBeforeItsTurn) {
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  StartCopyAndLetItQueue();
  ASSERT_ACL(aclrtDestroyStreamForce(stream_));
  EXPECT_EQ(Finish(), ACL_ERROR_RT_STREAM_ABORT);
  gate.Open();
  EXPECT_TRUE(HostIsUntouched());
}

TEST_F(PageableCopyTest, DeviceResetByForceBeforeItsTurn) {
  Gate gate;
  gate.Close(stream_);
  gate.WaitUntilReached();
  StartCopyAndLetItQueue();
  ASSERT_ACL(aclrtResetDeviceForce(0));
  EXPECT_EQ(Finish(), ACL_ERROR_RT_STREAM_ABORT);
  gate.Open();
  EXPECT_TRUE(HostIsUntouched());
  ASSERT_ACL(aclrtSetDevice(0));
}

TEST_F(PageableCopyTest, ContextStoppedOnAFailure) {
  ASSERT_ACL(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE));
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  StartCopy(host_.data());
  EXPECT_EQ(Finish(), ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_TRUE(HostIsUntouched());
}

TEST_F(PageableCopyTest, EarlierErrorStaysWithTheStream) {
  ASSERT_EQ(LaunchCode(stream_, ACL_ERROR_RT_AICORE_EXCEPTION), 0);
  StartCopy(host_.data());
  EXPECT_EQ(Finish(), ACL_SUCCESS) << text_;
  EXPECT_EQ(host_, std::vector<uint8_t>(kBytes, 0x5A));
  EXPECT_REFUSED(ACL_ERROR_RT_AICORE_EXCEPTION, "test task", aclrtSynchronizeStream, stream_);
}

// The stream gets going again long after the call has returned.
TEST_F(PageableCopyTest, StuckBehindAbortedWorkThatTimesOut) {
  aclrtEvent event;
  ASSERT_ACL(aclrtCreateEvent(&event));
  std::optional<Gate> gate;
  // The abort has to come before the time is up.
  ASSERT_TRUE(aclimb::testing::HoldsInTime(std::chrono::milliseconds(900), [&] {
    if (gate) {
      gate->Open();
      EXPECT_ACL(aclrtSynchronizeStream(other_));
      aclrtSynchronizeStream(stream_);
      aclGetRecentErrMsg();
      host_.assign(kBytes, 0x11);
    }
    gate.emplace();
    gate->Close(other_);
    gate->WaitUntilReached();
    EXPECT_ACL(aclrtRecordEvent(event, other_));
    EXPECT_ACL(aclrtStreamWaitEventWithTimeout(stream_, event, 1));
    StartCopy(host_.data());
    const bool queued = in_copy_->Sleeps();
    EXPECT_ACL(aclrtStreamAbort(other_));
    return Finish() == ACL_ERROR_RT_STREAM_ABORT && queued;
  })) << text_;
  aclrtStreamStatus status;
  int code = ACL_ERROR_RT_STREAM_ABORT;
  while (code == ACL_ERROR_RT_STREAM_ABORT) code = aclrtStreamQuery(stream_, &status);
  EXPECT_EQ(code, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_TRUE(HostIsUntouched());
  gate->Open();
  ASSERT_ACL(aclrtDestroyEvent(event));
}

// A target whose second half cannot be written yet: the copy stops there until the page is opened.
class Barrier {
 public:
  Barrier() {
    memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory_, MAP_FAILED);
    half_ = static_cast<char*>(memory_) + kBytes / 2;
    EXPECT_EQ(mprotect(half_, kBytes / 2, PROT_READ), 0);
    active_ = this;
    struct sigaction action = {};
    action.sa_sigaction = Fault;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    EXPECT_EQ(sigaction(SIGSEGV, &action, &old_), 0);
  }
  ~Barrier() {
    sigaction(SIGSEGV, &old_, nullptr);
    active_ = nullptr;
    munmap(memory_, kBytes);
  }
  void* memory() const { return memory_; }
  void WaitUntilReached() const {
    while (!reached_.load()) std::this_thread::yield();
  }
  void Open() { open_ = true; }

 private:
  static void Fault(int, siginfo_t* info, void*) {
    Barrier* barrier = active_.load();
    const char* at = static_cast<const char*>(info->si_addr);
    if (barrier == nullptr || at < barrier->half_ || at >= barrier->half_ + kBytes / 2) {
      signal(SIGSEGV, SIG_DFL);
      return;
    }
    barrier->reached_ = true;
    while (!barrier->open_.load()) {
    }
    mprotect(barrier->half_, kBytes / 2, PROT_READ | PROT_WRITE);
  }

  static std::atomic<Barrier*> active_;
  void* memory_ = nullptr;
  char* half_ = nullptr;
  struct sigaction old_ = {};
  std::atomic<bool> reached_{false};
  std::atomic<bool> open_{false};
};
std::atomic<Barrier*> Barrier::active_{nullptr};

TEST_F(PageableCopyTest, AbortedMidwayReturnsOnlyWhenNobodyWrites) {
  Barrier barrier;
  StartCopy(barrier.memory());
  barrier.WaitUntilReached();
  aclrtEvent behind;
  ASSERT_ACL(aclrtCreateEvent(&behind));
  ASSERT_ACL(aclrtRecordEvent(behind, stream_));
  std::thread aborter([this] {
    aclrtSetCurrentContext(context_);
    EXPECT_ACL(aclrtStreamAbort(stream_));
  });
  ExpectTheCallToStay(behind);
  barrier.Open();
  EXPECT_EQ(Finish(), ACL_ERROR_RT_STREAM_ABORT);
  aborter.join();
}

TEST_F(PageableCopyTest, DestroyedByForceMidwayReturnsOnlyWhenNobodyWrites) {
  Barrier barrier;
  StartCopy(barrier.memory());
  barrier.WaitUntilReached();
  aclrtEvent behind;
  ASSERT_ACL(aclrtCreateEvent(&behind));
  ASSERT_ACL(aclrtRecordEvent(behind, stream_));
  std::thread destroyer([this] {
    aclrtSetCurrentContext(context_);
    EXPECT_ACL(aclrtDestroyStreamForce(stream_));
  });
  ExpectTheCallToStay(behind);
  barrier.Open();
  EXPECT_EQ(Finish(), ACL_ERROR_RT_STREAM_ABORT);
  destroyer.join();
}

}  // namespace
