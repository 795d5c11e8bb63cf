#include "aclimb/simd/team.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "aclimb/core/fork.h"
#include "aclimb/core/sanitized.h"

namespace aclimb {
namespace {

// Members that came to one run of a team of `members`, whose caller stays until all that may come
// have.
std::set<int> MembersOf(int members) {
  struct Seen {
    std::atomic<int> count{0};
    std::atomic<bool> here[8] = {};
    int members;
  } seen;
  seen.members = members;
  Team::Get().Run(
      members, Team::Length::kLong,
      [](void* data, int member) {
        Seen& all = *static_cast<Seen*>(data);
        EXPECT_FALSE(all.here[member].exchange(true)) << "two threads of one number";
        ++all.count;
        while (member == 0 && all.count < all.members) std::this_thread::yield();
      },
      &seen);
  std::set<int> came;
  for (int i = 0; i < 8; ++i) {
    if (seen.here[i]) came.insert(i);
  }
  return came;
}

TEST(Team, EveryMemberComesOnce) {
  EXPECT_EQ(MembersOf(1), std::set<int>({0}));
  // Any threads of the team may be the others.
  for (int members : {4, 2, 3}) {
    const std::set<int> came = MembersOf(members);
    EXPECT_EQ(came.size(), static_cast<size_t>(members));
    EXPECT_EQ(came.count(0), 1u);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(MembersOf(4).size(), 4u) << "asleep meanwhile";
}

// A thread that leaves a core is elsewhere at once, and may use the core again.
TEST(Team, AThreadLeavesACoreAndKeepsItsCores) {
  std::thread([] {
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one core";
    int left = 0;
    for (int i = 0; i < 20; ++i) {
      const int core = sched_getcpu();
      LeaveCore(core);
      if (sched_getcpu() != core) ++left;
      ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
      ASSERT_TRUE(CPU_EQUAL(&before, &after));
    }
    // The system may move a thread back between two lines.
    EXPECT_GT(left, 10);
  }).join();
}

// A caller that has nothing left to do returns, whoever has not come: here all members are with
// another caller, who keeps them until this one has returned.
TEST(Team, NobodyIsWaitedFor) {
  struct Kept {
    std::atomic<int> inside{0};
    std::atomic<bool> released{false};
  } kept;
  std::thread other([&] {
    Team::Get().Run(
        3, Team::Length::kLong,
        [](void* data, int) {
          Kept& all = *static_cast<Kept*>(data);
          ++all.inside;
          while (!all.released) std::this_thread::yield();
        },
        &kept);
  });
  while (kept.inside < 3) std::this_thread::yield();
  for (Team::Length length : {Team::Length::kShort, Team::Length::kLong}) {
    std::atomic<int> members{0};
    Team::Get().Run(
        3, length, [](void* data, int) { ++*static_cast<std::atomic<int>*>(data); }, &members);
    EXPECT_EQ(members, 1);
  }
  kept.released = true;
  other.join();
}

TEST(Team, WhoeverCameHasLeftAtTheEnd) {
  for (int i = 0; i < 20000; ++i) {
    std::atomic<int> inside{0};
    Team::Get().Run(
        3, i % 2 == 0 ? Team::Length::kShort : Team::Length::kLong,
        [](void* data, int) {
          auto& count = *static_cast<std::atomic<int>*>(data);
          ++count;
          --count;
        },
        &inside);
    ASSERT_EQ(inside, 0) << "who came has left";
  }
}

// Each of these loops takes longer than waking a thread does, and the next one follows at once.
TEST(Team, ShortLoopsThatFollowEachOtherWakeTheTeam) {
  (void)MembersOf(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::atomic<int> helped{0};
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (helped == 0 && std::chrono::steady_clock::now() < patience) {
    Team::Get().Run(
        2, Team::Length::kShort,
        [](void* data, int member) {
          if (member != 0) ++*static_cast<std::atomic<int>*>(data);
          const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
          while (member == 0 && std::chrono::steady_clock::now() < end) {
          }
        },
        &helped);
  }
  EXPECT_GT(helped, 0);
}

TEST(Team, ManyCallersAtOnceAndLoopsInLoops) {
  std::atomic<int> runs{0};
  const auto call = [&] {
    for (int i = 0; i < 500; ++i) {
      Team::Get().Run(
          3, Team::Length::kLong,
          [](void* data, int member) {
            if (member != 0) return;
            Team::Get().Run(
                3, Team::Length::kLong,
                [](void* inner, int inner_member) {
                  if (inner_member == 0) ++*static_cast<std::atomic<int>*>(inner);
                },
                data);
          },
          &runs);
    }
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) callers.emplace_back(call);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(runs, 2000);
}

// Forked in the middle of a loop, when the team is taken.
TEST(Team, AChildOfForkHasATeamOfItsOwn) {
  if (kThreadSanitized) GTEST_SKIP() << "the sanitizer allows no thread after a fork";
  ForkParts::Watch();
  ForkParts::NoteUse();
  EXPECT_EQ(MembersOf(3).size(), 3u);
  pid_t child = -1;
  Team::Get().Run(
      3, Team::Length::kLong,
      [](void* data, int member) {
        if (member != 0) return;
        const pid_t forked = fork();
        if (forked == 0) {
          alarm(20);
          _exit(MembersOf(3).size() == 3 ? 0 : 1);
        }
        *static_cast<pid_t*>(data) = forked;
      },
      &child);
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(MembersOf(3).size(), 3u);
}

}  // namespace
}  // namespace aclimb
