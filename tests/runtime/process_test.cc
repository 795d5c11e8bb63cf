// How a process ends, and what the environment changes: each case is a process of its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

// A sanitizer's runtime answers faults itself and takes time and address space.
constexpr bool kSanitized = ACLIMB_SANITIZED != 0;

struct Ended {
  int status = -1;  // exit status, or 128 + signal
  std::string out;
  std::string err;
  double seconds = 0;
};

Ended RunProgram(const std::string& mode, const std::vector<std::string>& environment = {}) {
  int out[2], err[2];
  EXPECT_EQ(pipe(out), 0);
  EXPECT_EQ(pipe(err), 0);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const int fd : {out[0], out[1], err[0], err[1]}) close(fd);
    for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
    execl(ACLIMB_PROCESS_PROGRAM, ACLIMB_PROCESS_PROGRAM, mode.c_str(), nullptr);
    _exit(96);
  }
  close(out[1]);
  close(err[1]);
  Ended ended;
  struct Pipe {
    int fd;
    std::string* text;
  } pipes[] = {{out[0], &ended.out}, {err[0], &ended.err}};
  for (int open = 2; open > 0;) {
    pollfd polls[2] = {{pipes[0].fd, POLLIN, 0}, {pipes[1].fd, POLLIN, 0}};
    poll(polls, 2, 60000);
    for (Pipe& one : pipes) {
      const pollfd& event = polls[&one - pipes];
      if (one.fd < 0 || (event.revents & (POLLIN | POLLHUP)) == 0) continue;
      char buffer[4096];
      const ssize_t bytes = read(one.fd, buffer, sizeof(buffer));
      if (bytes > 0) {
        one.text->append(buffer, static_cast<size_t>(bytes));
      } else {
        close(one.fd);
        one.fd = -1;
        --open;
      }
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ended;
}

void ExpectQuiet(const Ended& ended) {
  EXPECT_EQ(ended.status, 7) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "");
  EXPECT_LT(ended.seconds, 30);
}

TEST(Exit, WithoutCleaningUp) { ExpectQuiet(RunProgram("leave")); }
TEST(Exit, WhileAKernelRuns) { ExpectQuiet(RunProgram("running")); }
TEST(Exit, WhileACallbackHangs) { ExpectQuiet(RunProgram("callback")); }
TEST(Exit, UseInStaticDestructors) { ExpectQuiet(RunProgram("late")); }
TEST(Exit, FromACallback) { ExpectQuiet(RunProgram("exit-callback")); }
TEST(Exit, FromATask) { ExpectQuiet(RunProgram("exit-task")); }
TEST(Exit, AfterDlopenAndDlclose) { ExpectQuiet(RunProgram("dlopen")); }

TEST(Cancellation, OfAThreadThatWaits) { ExpectQuiet(RunProgram("cancelled")); }
TEST(Cancellation, PutOffUntilACallEnds) { ExpectQuiet(RunProgram("cancelled-calls")); }
TEST(Cancellation, PutOffWhileTheLogIsWritten) {
  const Ended ended = RunProgram("cancelled-calls", {"ACLIMB_LOG=stderr"});
  EXPECT_EQ(ended.status, 7) << ended.err;
  EXPECT_NE(ended.err.find("aclrtFree"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("a line"), std::string::npos) << ended.err;
}
TEST(Cancellation, PutOffWhileAToolWrites) {
  const std::string trace = testing::TempDir() + "cancelled_" + std::to_string(getpid()) + ".json";
  for (const char* const mode : {"cancelled", "cancelled-calls"}) {
    ExpectQuiet(RunProgram(mode, {"ACLIMB_TRACE=" + trace}));
    EXPECT_EQ(unlink(trace.c_str()), 0);
  }
}

TEST(HostAccess, IsExplainedAndFatal) {
  const Ended ended = RunProgram("dereference");
  if (kSanitized) {
    EXPECT_NE(ended.status, 0);
  } else {
    EXPECT_EQ(ended.status, 128 + SIGSEGV);
  }
  EXPECT_NE(ended.err.find("aclimb: the host accessed device address 0x"), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("offset 600 from the allocation at 0x"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("of 1000 bytes"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("aclrtMemcpy"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.out, "");
}

TEST(HostAccess, FreedMemoryIsNamedSo) {
  const Ended ended = RunProgram("freed");
  EXPECT_NE(ended.status, 0);
  EXPECT_NE(ended.err.find("no live allocation"), std::string::npos) << ended.err;
}

TEST(HostAccess, OwnHandlerIsCalled) {
  const Ended ended = RunProgram("own-handler");
  EXPECT_EQ(ended.status, 5) << ended.err;
  EXPECT_NE(ended.err.find("aclimb: the host accessed"), std::string::npos);
  EXPECT_NE(ended.err.find("own handler\n"), std::string::npos);
}

TEST(HostAccess, OtherFaultsAreLeftAlone) {
  const Ended ended = RunProgram("null");
  if (!kSanitized) {
    EXPECT_EQ(ended.status, 128 + SIGSEGV);
    EXPECT_EQ(ended.err, "");
  }
  EXPECT_EQ(ended.err.find("aclimb: "), std::string::npos);
}

TEST(HostAccess, CanBeAllowed) { ExpectQuiet(RunProgram("host-access", {"ACLIMB_HOST_ACCESS=1"})); }

TEST(Environment, RefusedAddressSpaceFallsBack) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs more address space than the limit";
  const Ended ended = RunProgram("no-address-space", {"ACLIMB_MEMORY=64M"});
  EXPECT_EQ(ended.status, 7) << ended.err;
  EXPECT_NE(ended.err.find("the system refused the address space for device memory: mmap of "),
            std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find(" failed (Cannot allocate memory) while RLIMIT_AS is 419430400 bytes"),
            std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("fix: raise RLIMIT_AS (ulimit -v)"), std::string::npos) << ended.err;
}

TEST(Environment, RefusedMemoryNamesTheSystemsLimit) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const Ended ended = RunProgram("no-data", {"ACLIMB_MEMORY=1G"});
  EXPECT_EQ(ended.status, 7) << ended.err;
  for (const char* text :
       {"207001 aclrtMalloc: size is 268435456 but the system refused the memory of the "
        "allocation: mprotect of ",
        "207001 aclrtMallocHost: size is 268435456 but the system refused the page-locked memory: "
        "aligned_alloc of 268435456 bytes failed (Cannot allocate memory) while RLIMIT_DATA is ",
        "fix: raise RLIMIT_DATA (ulimit -d), or free memory\n  rule: runtime/memory/refused",
        "207001 aclrtMalloc: size is 2147483648 but device 0 has "}) {
    EXPECT_NE(ended.err.find(text), std::string::npos) << text << "\nin " << ended.err;
  }
}

TEST(Environment, UnknownSocIsRefusedWithTheNames) {
  const Ended ended = RunProgram("soc", {"ACLIMB_SOC=Ascend9000"});
  EXPECT_EQ(ended.status, 7) << ended.err;
  EXPECT_NE(ended.err.find("100000 aclInit: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("ACLIMB_SOC is \"Ascend9000\""), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("Ascend910B3"), std::string::npos) << ended.err;
}

TEST(Environment, StrictModeAsksForInit) {
  const Ended ended = RunProgram("strict", {"ACLIMB_STRICT=1"});
  EXPECT_EQ(ended.status, 7) << ended.err;
  EXPECT_NE(ended.err.find("100001 aclrtSetDevice: "), std::string::npos) << ended.err;
}

TEST(Environment, LaunchBlockingReturnsTheTasksError) {
  ExpectQuiet(RunProgram("blocking", {"ASCEND_LAUNCH_BLOCKING=1"}));
}

TEST(Environment, VisibleDevices) {
  const auto count = [](const std::string& list) {
    return RunProgram("devices", {"ACLIMB_DEVICES=4", "ASCEND_RT_VISIBLE_DEVICES=" + list}).err;
  };
  EXPECT_EQ(count("1,3"), "2 devices\n");
  EXPECT_EQ(count("0,1,2,3"), "4 devices\n");
  EXPECT_EQ(count("0, 1"), "1 devices\n");
  EXPECT_EQ(count("2,9,1"), "1 devices\n");
  EXPECT_EQ(count("x"), "0 devices\n");
}

TEST(Environment, LogGoesWhereItIsAskedTo) {
  EXPECT_EQ(RunProgram("log").out, "");
  const Ended errors = RunProgram("log", {"ASCEND_SLOG_PRINT_TO_STDOUT=1"});
  EXPECT_EQ(errors.out.find("an info line"), std::string::npos);
  EXPECT_NE(errors.out.find("an error line 2"), std::string::npos);
  EXPECT_EQ(errors.err, "");
  size_t run = 0;
  while (errors.out.find(std::string(run + 1, 'y')) != std::string::npos && run < 5000) ++run;
  EXPECT_LE(run, 1024u);
  EXPECT_GE(run, 900u);
  const Ended all =
      RunProgram("log", {"ASCEND_SLOG_PRINT_TO_STDOUT=1", "ASCEND_GLOBAL_LOG_LEVEL=0"});
  EXPECT_NE(all.out.find("an info line 1"), std::string::npos);
  const Ended off =
      RunProgram("log", {"ASCEND_SLOG_PRINT_TO_STDOUT=1", "ASCEND_LOG_PRINT_TO_STDOUT=0"});
  EXPECT_EQ(off.out, "") << "the newer name wins";
  const Ended module =
      RunProgram("log", {"ASCEND_LOG_PRINT_TO_STDOUT=1", "ASCEND_MODULE_LOG_LEVEL=APP=4"});
  EXPECT_EQ(module.out, "");
}

}  // namespace
