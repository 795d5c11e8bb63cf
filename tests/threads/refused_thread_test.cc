// A process that may start no thread: calls that need one are refused with a code and a text that
// says so, nothing is lost, and the same calls succeed once threads can be had.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "aclimb/core/codes.h"
#include "aclimb/core/cores.h"
#include "tests/support/device.h"
#include "tests/threads/operator_calls.h"

namespace aclimb::testing {
namespace {

// The superuser's threads are not counted.
bool BecomeOrdinary() {
  constexpr uid_t kNobody = 65534;
  return geteuid() != 0 || setresuid(kNobody, kNobody, kNobody) == 0;
}

class NoThreads {
 public:
  NoThreads() {
    getrlimit(RLIMIT_NPROC, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(RLIMIT_NPROC, &none);
  }
  ~NoThreads() { setrlimit(RLIMIT_NPROC, &before_); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  rlimit before_ = {};
};

void ExpectRefusal(const std::string& text, const std::string& whose) {
  for (const std::string& part :
       {"the system refused " + whose,
        std::string(": pthread_create failed (Resource temporarily unavailable) while"),
        std::string(" RLIMIT_NPROC is 0 processes and threads of the user"),
        std::string("; expected one more thread to be possible."),
        std::string("fix: raise RLIMIT_NPROC (ulimit -u)")}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin " << text;
  }
  EXPECT_EQ(text.find("memory is exhausted"), std::string::npos) << text;
}

// In a process that has not used the library.
void CallEverything() {
  ASSERT_EQ(aclInit(nullptr), 0);
  ASSERT_EQ(aclrtSetDevice(0), 0);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  EluCall elu;
  ConvolutionCall convolution(64, 28);
  ConvolutionCall other_convolution(64, 26);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  {
    const NoThreads none;
    EXPECT_EQ(convolution.Plan(&size, &executor), 0) << "one thread will do";
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);

    elu.Prepare();
    EXPECT_EQ(elu.Call(stream), kAclnnRuntime);
    const std::string text = aclGetRecentErrMsg();
    ExpectRefusal(text, "the thread that runs the device's work");
    EXPECT_NE(text.find("207005 ACL_ERROR_RT_RESOURCE_ALLOC_FAIL"), std::string::npos) << text;
    EXPECT_TRUE(elu.output().Untouched());

    EXPECT_EQ(aclrtMemsetAsync(elu.output().data(), 64, 1, 64, stream),
              ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    ExpectRefusal(aclGetRecentErrMsg(), "the thread that runs the device's work");
    EXPECT_EQ(aclrtLaunchHostFunc(
                  stream, [](void*) {}, nullptr),
              ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    ExpectRefusal(aclGetRecentErrMsg(), "the thread that runs callbacks");
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << aclGetRecentErrMsg();
  }
  // The system is not asked for a team again at once.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(elu.Call(stream), 0) << aclGetRecentErrMsg();
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << aclGetRecentErrMsg();
  EXPECT_EQ(elu.output().Values(), std::vector<double>(16, 2));
  convolution.Vary(1 << 20);
  convolution.Prepare();
  EXPECT_EQ(convolution.Call(stream), 0) << aclGetRecentErrMsg();
  EXPECT_EQ(aclrtLaunchHostFunc(
                stream, [](void*) {}, nullptr),
            0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << aclGetRecentErrMsg();
  // It has had a team by now, and is planned for it.
  if (CoreCount() == 1) return;
  const NoThreads none;
  EXPECT_EQ(other_convolution.Plan(&size, &executor), kAclnnRuntime);
  const std::string text = aclGetRecentErrMsg();
  ExpectRefusal(text, "the thread on which phase 1 plans the call");
  EXPECT_NE(text.find("rule: convolution_backward/thread"), std::string::npos) << text;
}

TEST(RefusedThread, IsSaidAndLosesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    if (!BecomeOrdinary()) _exit(77);
    CallEverything();
    std::fflush(stdout);
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this process cannot become an ordinary user's";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace aclimb::testing
