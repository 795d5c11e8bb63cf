#include "aclimb/simd/openmp_team.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <thread>

#include "aclimb/core/sanitized.h"
#include "aclimb/simd/parallel.h"

extern "C" {
void GOMP_parallel(void (*body)(void*), void* data, unsigned num_threads, unsigned flags);
int omp_get_dynamic();
int omp_get_max_threads();
int omp_get_num_threads();
void omp_set_dynamic(int on);
void omp_set_max_active_levels(int levels);
void omp_set_num_threads(int threads);
}

namespace aclimb {
namespace {

// Threads that the next region of this thread has.
int RegionSize() {
  std::atomic<int> members{0};
  GOMP_parallel([](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &members, 0, 0);
  return members;
}

// The size of a team of `wanted`, found and used on a thread of its own.
int TeamOf(int wanted) {
  int size = 0;
  std::thread([&] {
    const int threads = OpenMpThreads(wanted);
    const OpenMpScope scope(threads);
    size = RegionSize();
    EXPECT_EQ(size, threads);
  }).join();
  return size;
}

TEST(OpenMpTeam, RegionsHaveTheSizeThatWasFound) {
  if (kThreadSanitized) GTEST_SKIP() << "that build has one OpenMP thread";
  for (int wanted : {1, 2, 5, 3}) EXPECT_EQ(TeamOf(wanted), wanted);
}

TEST(OpenMpTeam, WhatTheThreadHasSetDoesNotCountAndComesBack) {
  if (kThreadSanitized) GTEST_SKIP() << "that build has one OpenMP thread";
  std::thread([] {
    omp_set_dynamic(1);
    omp_set_max_active_levels(0);
    omp_set_num_threads(7);
    {
      const OpenMpScope scope(OpenMpThreads(3));
      EXPECT_EQ(RegionSize(), 3);
    }
    EXPECT_EQ(omp_get_dynamic(), 1);
    EXPECT_EQ(omp_get_max_threads(), 7);
  }).join();
}

// This program again, with a variable that OpenMP's runtime reads when it is loaded.
std::string SizeWith(const std::string& setting, const std::string& test = "PrintsASize") {
  char path[4096] = {};
  if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0) return "no path";
  const std::string command = setting + " '" + path +
                              "' --gtest_also_run_disabled_tests "
                              "--gtest_filter=OpenMpTeam.DISABLED_" +
                              test + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "no pipe";
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  if (pclose(pipe) != 0) return text;
  const size_t at = text.find("size ");
  return at == std::string::npos ? text : text.substr(at + 5, text.find('\n', at) - at - 5);
}

TEST(OpenMpTeam, DISABLED_PrintsASize) { std::printf("size %d\n", TeamOf(3)); }

// The names of this process's threads.
std::multiset<std::string> ThreadNames() {
  std::multiset<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(entry.path() / "comm");
    std::string name;
    if (std::getline(comm, name)) names.insert(name);
  }
  return names;
}

// As many as there are for short waits: a thread and its team of two.
void PrintSizeOfShortWaits(std::chrono::milliseconds patience) {
  ShortenOpenMpWaits();
  ShortenOpenMpWaits();
  const auto end = std::chrono::steady_clock::now() + patience;
  size_t size = 0;
  while ((size = ThreadNames().count("aclimb-openmp")) < 2) {
    if (std::chrono::steady_clock::now() > end) break;
    usleep(10'000);
  }
  std::printf("size %d\n", static_cast<int>(size));
}

TEST(OpenMpTeam, DISABLED_AwaitsShortWaits) { PrintSizeOfShortWaits(std::chrono::seconds(60)); }
TEST(OpenMpTeam, DISABLED_LooksForShortWaits) { PrintSizeOfShortWaits(std::chrono::seconds(2)); }

TEST(OpenMpTeam, WaitsAreShortUnlessTheProgramChose) {
  if (kThreadSanitized) GTEST_SKIP() << "that build has one OpenMP thread";
  EXPECT_EQ(SizeWith("", "AwaitsShortWaits"), "2");
  EXPECT_EQ(SizeWith("OMP_WAIT_POLICY=active", "LooksForShortWaits"), "0");
  EXPECT_EQ(SizeWith("GOMP_SPINCOUNT=1000", "LooksForShortWaits"), "0");
  EXPECT_EQ(SizeWith("OMP_THREAD_LIMIT=1", "LooksForShortWaits"), "0");
}

TEST(OpenMpTeam, VariablesLimitTheTeamAndNeverBreakIt) {
  if (kThreadSanitized) GTEST_SKIP() << "that build has one OpenMP thread";
  EXPECT_EQ(SizeWith("OMP_DYNAMIC=true"), "3");
  EXPECT_EQ(SizeWith("OMP_MAX_ACTIVE_LEVELS=0"), "3");
  EXPECT_EQ(SizeWith("OMP_NUM_THREADS=1"), "3");
  EXPECT_EQ(SizeWith("OMP_WAIT_POLICY=passive"), "3");
  EXPECT_EQ(SizeWith("OMP_STACKSIZE=4M"), "3");
  EXPECT_EQ(SizeWith("OMP_THREAD_LIMIT=1"), "1");
  EXPECT_EQ(SizeWith("OMP_THREAD_LIMIT=2"), "2");
  // Stacks too small for kernels, and too large for any machine.
  EXPECT_EQ(SizeWith("OMP_STACKSIZE=16k"), "1");
  EXPECT_EQ(SizeWith("OMP_STACKSIZE=20"), "1");
  EXPECT_EQ(SizeWith("OMP_STACKSIZE='900000 G'"), "1");
  EXPECT_EQ(SizeWith("ulimit -s 64;"), "1");
}

// The processes of root have no limit of threads; this one gives its rights up.
TEST(OpenMpTeam, WithoutThreadsTheTeamIsSmallerAndTheProcessLives) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    if (getuid() == 0 && setuid(64321) != 0) _exit(3);
    const rlimit none = {1, 1};
    if (setrlimit(RLIMIT_NPROC, &none) != 0) _exit(4);
    // Sizes that this process has had are known to be possible; none was as large.
    if (OpenMpThreads(9) == 9) _exit(5);
    try {
      const OpenMpScope scope(9);
      _exit(6);
    } catch (const std::system_error& error) {
      _exit(error.code().value() == EAGAIN ? 0 : 7);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace aclimb
