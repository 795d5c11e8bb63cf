#include "aclimb/core/fork.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "aclimb/core/sanitized.h"
#include "tests/support/in_time.h"

// Threads of the parent count as leaked in a child.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() {
  return "report_thread_leaks=0";
}

namespace aclimb {
namespace {

using std::chrono::milliseconds;

// Whether `holds` is true in a child.
template <typename F>
bool InChild(F&& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 7 : 8);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

bool IsFree(std::mutex& mutex) {
  const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  return lock.owns_lock();
}

std::mutex first, second;
ForkLock first_lock(first);
ForkLock second_lock(second);

struct Noted {
  int refusals = 0;  // that the part still makes
  int asked = 0;
  int late = 0;
  int unlocked = 0;
  int given_up = 0;
  int renewed_locked = 0;
  int renewed_unlocked = 0;
  int resumed = 0;
} noted;

// Refuses for a while, and notes what it is asked for.
class Reluctant final : public ForkPart {
 public:
  bool TryLock(bool late) override {
    ++noted.asked;
    if (late) ++noted.late;
    return noted.refusals == 0 || --noted.refusals == 0;
  }
  void Unlock() override { ++noted.unlocked; }
  void GiveUp() override { ++noted.given_up; }
  void Renew(bool locked) override { ++(locked ? noted.renewed_locked : noted.renewed_unlocked); }
  void Resume() override { ++noted.resumed; }
} reluctant;

// The order of the tests matters: this one is of a process that has not used the library.
TEST(Fork, CostsNothingBeforeTheFirstUse) {
  ForkParts::Watch();
  EXPECT_TRUE(InChild([] { return ForkCount() == 0 && noted.renewed_locked == 0; }));
  EXPECT_EQ(noted.asked, 0);
  ForkParts::NoteUse();
}

TEST(Fork, RenewsAndResumesTheChildAlone) {
  noted = {};
  EXPECT_TRUE(InChild([] {
    return ForkCount() == 1 && noted.renewed_locked == 1 && noted.resumed == 1 &&
           noted.unlocked == 0 && !CaughtByFork() && InChild([] { return ForkCount() == 2; });
  }));
  EXPECT_EQ(ForkCount(), 0);
  EXPECT_EQ(noted.renewed_locked, 0);
  EXPECT_EQ(noted.unlocked, 1);
}

TEST(Fork, AsksAgainWhereAPartRefuses) {
  noted = {.refusals = 5};
  EXPECT_TRUE(InChild([] { return IsFree(first) && IsFree(second); }));
  EXPECT_EQ(noted.refusals, 0);
  EXPECT_EQ(noted.given_up, 0);
  EXPECT_TRUE(IsFree(first));
}

// A fork gives up after a while.
constexpr milliseconds kSoon(1500);

TEST(Fork, WaitsForALock) {
  EXPECT_TRUE(testing::HoldsInTime(kSoon, [] {
    std::atomic<bool> has{false};
    std::atomic<bool> ends{false};
    std::thread holder([&] {
      const std::lock_guard<std::mutex> lock(first);
      has = true;
      std::this_thread::sleep_for(milliseconds(50));
      ends = true;
    });
    while (!has) std::this_thread::yield();
    const bool waited = InChild([&] { return ends && IsFree(first) && IsFree(second); });
    holder.join();
    return waited;
  }));
}

// Threads take the locks in both orders, as two parts that know nothing of each other may.
TEST(Fork, NeedsNoOrderOfTheLocks) {
  if (kThreadSanitized) GTEST_SKIP() << "the sanitizer tells of locks without an order";
  std::atomic<bool> stop{false};
  std::mutex one_pair;
  const auto use = [&](std::mutex& outer, std::mutex& inner) {
    for (; !stop; std::this_thread::sleep_for(std::chrono::microseconds(20))) {
      const std::lock_guard<std::mutex> pair(one_pair);
      const std::lock_guard<std::mutex> lock(outer);
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      const std::lock_guard<std::mutex> both(inner);
    }
  };
  std::thread one([&] { use(first, second); });
  std::thread other([&] { use(second, first); });
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(InChild([] { return IsFree(first) && IsFree(second) && !CaughtByFork(); }));
  }
  stop = true;
  one.join();
  other.join();
}

TEST(Fork, WaitsForAHold) {
  EXPECT_TRUE(testing::HoldsInTime(kSoon, [] {
    std::atomic<bool> has{false};
    std::atomic<bool> ends{false};
    std::thread holder([&] {
      const ForkHold hold;
      has = true;
      std::this_thread::sleep_for(milliseconds(50));
      const ForkHold inside;  // of a thread that has one already, which a fork waits for
      ends = true;
    });
    while (!has) std::this_thread::yield();
    const bool waited = InChild([&] {
      const ForkHold hold;
      return ends.load() && !CaughtByFork();
    });
    holder.join();
    return waited;
  }));
}

// The last one: it takes as long as a fork waits at most.
TEST(Fork, GivesUpWhereAThreadHangs) {
  noted = {};
  std::atomic<bool> has{false};
  std::atomic<bool> ends{false};
  std::thread holder([&] {
    const std::lock_guard<std::mutex> lock(first);
    has = true;
    while (!ends) std::this_thread::sleep_for(milliseconds(1));
  });
  while (!has) std::this_thread::yield();
  EXPECT_TRUE(InChild([] {
    return CaughtByFork() && IsFree(first) && IsFree(second) && noted.renewed_unlocked == 1 &&
           UnusableAfterFork(361001).code() == 361001;
  }));
  EXPECT_EQ(noted.given_up, 1);
  EXPECT_FALSE(CaughtByFork());
  ends = true;
  holder.join();
  EXPECT_TRUE(IsFree(first));
  EXPECT_TRUE(InChild([] { return !CaughtByFork() && IsFree(first); }));
}

}  // namespace
}  // namespace aclimb
