#include "aclimb/core/cores.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "aclimb/core/control_groups.h"

namespace aclimb {
namespace {

namespace fs = std::filesystem;

// A made-up file system, with what a process finds below /proc/self and where that leads.
class Tree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "aclimb_cores_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& content) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << content;
  }
  void WriteProcess(const std::string& groups, const std::string& mounts) {
    Write("/proc/self/cgroup", groups);
    Write("/proc/self/mountinfo", mounts);
  }
  // "2 of 8: ..." as a text, of a machine of `cores`.
  std::string Found(int cores = 8) const {
    const CoreLimit found = WithinQuota({cores, ""}, root_);
    return std::to_string(found.count) + " " + found.reason;
  }

  std::string root_;
};

constexpr char kVersion2[] =
    "25 1 0:22 / / rw - ext4 /dev/sda rw\n"
    "31 25 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr char kVersion1[] =
    "31 25 0:27 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "32 31 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:3 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

TEST_F(Tree, WithoutGroupsNothingLimits) {
  EXPECT_EQ(Found(), "8 ");
  WriteProcess("", "");
  EXPECT_EQ(Found(), "8 ");
  WriteProcess("0::/\n", kVersion2);
  EXPECT_EQ(Found(), "8 ");
  WriteProcess("no line of it\n::\n", "31 25\n - \n\n - cgroup2\n");
  EXPECT_EQ(Found(), "8 ");
}

TEST_F(Tree, Version2HasOneFile) {
  WriteProcess("0::/user/job\n", kVersion2);
  Write("/sys/fs/cgroup/user/job/cpu.max", "300000 100000\n");
  EXPECT_EQ(Found(), "3 CPU quota of cgroup /user/job");
  Write("/sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  EXPECT_EQ(Found(), "8 ");
}

TEST_F(Tree, AQuotaIsRoundedDownButToOne) {
  WriteProcess("0::/a\n", kVersion2);
  for (const auto& [quota, cores] :
       {std::pair{"150000", "1"}, {"199999", "1"}, {"200000", "2"}, {"1000", "1"}}) {
    Write("/sys/fs/cgroup/a/cpu.max", std::string(quota) + " 100000\n");
    EXPECT_EQ(Found(), std::string(cores) + " CPU quota of cgroup /a") << quota;
  }
  Write("/sys/fs/cgroup/a/cpu.max", "800000 100000\n");
  EXPECT_EQ(Found(), "8 ") << "as many as there are";
  EXPECT_EQ(Found(2), "2 ");
  Write("/sys/fs/cgroup/a/cpu.max", "30000 10000\n");
  EXPECT_EQ(Found(), "3 CPU quota of cgroup /a") << "another period";
}

TEST_F(Tree, TheSmallestOfAGroupAndThoseAboveCounts) {
  WriteProcess("0::/a/b/c\n", kVersion2);
  Write("/sys/fs/cgroup/a/b/c/cpu.max", "600000 100000\n");
  Write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  Write("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  EXPECT_EQ(Found(), "4 CPU quota of cgroup /a");
  Write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(Found(), "2 CPU quota of cgroup /");
  Write("/sys/fs/cgroup/b/cpu.max", "100000 100000\n");
  EXPECT_EQ(Found(), "2 CPU quota of cgroup /") << "one beside it does not count";
}

TEST_F(Tree, Version1HasTwoFilesInItsOwnHierarchy) {
  WriteProcess("5:cpuset:/x\n4:cpu,cpuacct:/docker/3f2a\n0::/y\n", kVersion1);
  const std::string folder = "/sys/fs/cgroup/cpu,cpuacct/docker/3f2a";
  Write(folder + "/cpu.cfs_quota_us", "-1\n");
  Write(folder + "/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Found(), "8 ");
  Write(folder + "/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(Found(), "2 CPU quota of cgroup /docker/3f2a");
  Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(Found(), "1 CPU quota of cgroup /");
}

// The mount shows the container's own group, and the process is told the machine's path, or its
// own.
TEST_F(Tree, AContainerSeesItsGroupAsTheRootOfTheMount) {
  const std::string mounts =
      "33 31 0:29 /docker/3f2a /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";
  WriteProcess("4:cpu:/docker/3f2a\n", mounts);
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Found(), "3 CPU quota of cgroup /docker/3f2a");
  WriteProcess("4:cpu:/docker/3f2a/inner\n", mounts);
  Write("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "200000\n");
  Write("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Found(), "2 CPU quota of cgroup /docker/3f2a/inner");
  WriteProcess("4:cpu:/docker/3f2abc\n", mounts);
  EXPECT_EQ(Found(), "3 CPU quota of cgroup /docker/3f2a") << "a name that begins alike";
  WriteProcess("4:cpu:/\n", mounts);
  EXPECT_EQ(Found(), "3 CPU quota of cgroup /docker/3f2a");
}

TEST_F(Tree, MountPointsMayHaveSpaces) {
  WriteProcess("0::/a\n", "31 25 0:27 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
  Write("/my groups/a/cpu.max", "100000 100000\n");
  EXPECT_EQ(Found(), "1 CPU quota of cgroup /a");
}

TEST_F(Tree, FilesThatMakeNoSenseLimitNothing) {
  WriteProcess("0::/a\n", kVersion2);
  for (const char* text : {"", "max\n", "100000\n", "100000 0\n", "-5 100000\n", "x y\n"}) {
    Write("/sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(Found(), "8 ") << text;
  }
}

TEST(ThreadLimit, BoundsTheTeam) {
  const auto limited = [](int cores, std::string_view limit) {
    const CoreLimit found = WithinThreadLimit({cores, "why"}, limit);
    return std::to_string(found.count) + " " + found.reason;
  };
  EXPECT_EQ(limited(8, "2"), "2 OMP_THREAD_LIMIT=2");
  EXPECT_EQ(limited(8, " 3\t"), "3 OMP_THREAD_LIMIT=3");
  EXPECT_EQ(limited(8, "8"), "8 why");
  EXPECT_EQ(limited(8, "4294967295"), "8 why");
  for (const char* none : {"", " ", "0", "-1", "two", "2,3", "99999999999999999999999"}) {
    EXPECT_EQ(limited(8, none), "8 why") << none;
  }
}

TEST(Cores, AreAtLeastOneAndNotMoreThanTheMachineHas) {
  EXPECT_GE(CoreCount(), 1);
  EXPECT_LE(CoreCount(), MachineCores());
  EXPECT_EQ(CoreCount() < MachineCores(), !UsableCores().reason.empty());
  EXPECT_EQ(TeamOf(0).count, DefaultTeam().count);
}

}  // namespace
}  // namespace aclimb
