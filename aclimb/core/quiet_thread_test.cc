#include "aclimb/core/quiet_thread.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <thread>

namespace aclimb {
namespace {

cpu_set_t CoresOf(pid_t thread) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  EXPECT_EQ(sched_getaffinity(thread, sizeof(cores), &cores), 0);
  return cores;
}

// A program's thread that is bound to one core may be the one that starts the team.
TEST(QuietThread, MayUseTheCoresOfTheProcess) {
  const cpu_set_t of_process = CoresOf(getpid());
  if (CPU_COUNT(&of_process) < 2) GTEST_SKIP() << "one core";
  cpu_set_t of_thread;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &of_process)) CPU_SET(core, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    QuietThread thread([&] { of_thread = CoresOf(0); });
    thread.Join();
    EXPECT_EQ(CPU_COUNT(&one), 1);
  }).join();
  EXPECT_TRUE(CPU_EQUAL(&of_thread, &of_process));
}

}  // namespace
}  // namespace aclimb
