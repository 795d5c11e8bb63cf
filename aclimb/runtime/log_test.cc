#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "acl/acl_base.h"
#include "aclimb/bridge/bridge.h"

namespace aclimb {
namespace {

class LogTest : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("ACLIMB_LOG");
    unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
    aclimb_settings_reload();
  }
  // What one line of each kind leaves on stderr.
  static std::string Written(const char* topics, const char* level) {
    setenv("ACLIMB_LOG", topics, 1);
    setenv("ASCEND_GLOBAL_LOG_LEVEL", level, 1);
    aclimb_settings_reload();
    testing::internal::CaptureStderr();
    aclimb_log_plan("a plan");
    aclimb_log(ACL_DEBUG, "debugging");
    aclimb_log(ACL_INFO, "information");
    aclimb_log(ACL_ERROR, "an error");
    aclAppLog(ACL_ERROR, "f", "f.cc", 1, "the program's line");
    std::string text = testing::internal::GetCapturedStderr();
    std::string kinds;
    for (const char* line :
         {"a plan", "debugging", "information", "an error", "the program's line"}) {
      if (text.find(line) != std::string::npos) kinds += std::string(line) + "|";
    }
    return kinds;
  }
};

TEST_F(LogTest, ATopicSwitchesOnItsOwnLinesAlone) {
  EXPECT_EQ(Written("plan", "3"), "a plan|");
  EXPECT_EQ(Written("plan", "0"), "a plan|");
  EXPECT_EQ(Written("plan,stderr", "3"), "a plan|an error|the program's line|");
  EXPECT_EQ(Written("plan,stderr", "4"), "a plan|");
}

TEST_F(LogTest, WithoutTheTopicTheLevelDecides) {
  EXPECT_EQ(Written("stderr", "3"), "an error|the program's line|");
  EXPECT_EQ(Written("stderr", "1"), "information|an error|the program's line|");
  EXPECT_EQ(Written("stderr", "0"), "debugging|information|an error|the program's line|");
  EXPECT_EQ(Written("", "0"), "");
}

}  // namespace
}  // namespace aclimb
