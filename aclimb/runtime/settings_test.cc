#include "aclimb/runtime/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "aclimb/core/environment.h"
#include "aclimb/core/product.h"

namespace aclimb {
namespace {

class SettingsTest : public testing::Test {
 protected:
  void SetUp() override { Clear(); }
  void TearDown() override {
    Clear();
    aclimb_settings_reload();
  }
  static void Clear() {
    for (const EnvironmentVariable& variable : kEnvironment) {
      unsetenv(std::string(variable.name).c_str());
    }
  }
  static const Settings& With(const char* name, const char* value) {
    setenv(name, value, 1);
    aclimb_settings_reload();
    return CurrentSettings();
  }
};

TEST_F(SettingsTest, Defaults) {
  aclimb_settings_reload();
  const Settings& settings = CurrentSettings();
  EXPECT_EQ(settings.problem, "");
  EXPECT_EQ(settings.shared.problem, nullptr);
  EXPECT_EQ(settings.shared.product, static_cast<int>(Product::kA2));
  EXPECT_STREQ(settings.shared.soc_name, "Ascend910B3");
  EXPECT_EQ(settings.devices, 1);
  EXPECT_EQ(settings.memory_bytes, 0u);
  EXPECT_EQ(settings.shared.threads, 0);
  EXPECT_EQ(settings.shared.launch_blocking, 0);
}

TEST_F(SettingsTest, EachVariableIsRead) {
  EXPECT_EQ(With("ACLIMB_SOC", "Ascend310P3").shared.product,
            static_cast<int>(Product::kInference310P));
  EXPECT_EQ(With("ACLIMB_DEVICES", "3").devices, 3);
  EXPECT_EQ(With("ACLIMB_MEMORY", "2g").memory_bytes, uint64_t{2} << 30);
  EXPECT_EQ(With("ACLIMB_MEMORY", "65536").memory_bytes, 65536u);
  EXPECT_EQ(With("ACLIMB_THREADS", "5").shared.threads, 5);
  EXPECT_EQ(With("ACLIMB_EXTENSIONS", "1").shared.extensions, 1);
  EXPECT_EQ(With("ACLIMB_CPU_TARGET", "avx2").problem, "");
  EXPECT_EQ(With("ASCEND_LAUNCH_BLOCKING", "1").shared.launch_blocking, 1);
  EXPECT_TRUE(With("ACLIMB_HOST_ACCESS", "1").host_access);
  EXPECT_EQ(With("ACLIMB_LOG", "plan,file=/dev/null").shared.log_plan, 1);
  EXPECT_FALSE(CurrentSettings().log_stderr);
  EXPECT_FALSE(With("ACLIMB_LOG", "plan").log_stderr) << "the topic's lines only";
  EXPECT_TRUE(With("ACLIMB_LOG", "stderr").log_stderr);
  EXPECT_EQ(CurrentSettings().problem, "");
}

TEST_F(SettingsTest, WrongValuesAreNamedNeverIgnored) {
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"ACLIMB_SOC", "Ascend9"},         {"ACLIMB_DEVICES", "0"},
      {"ACLIMB_DEVICES", "two"},         {"ACLIMB_MEMORY", "lots"},
      {"ACLIMB_MEMORY", "99999999999G"}, {"ACLIMB_MEMORY", "12"},
      {"ACLIMB_THREADS", "-1"},          {"ACLIMB_EXTENSIONS", "yes"},
      {"ACLIMB_CPU_TARGET", "mmx"},      {"ACLIMB_HOST_ACCESS", "2"},
      {"ACLIMB_STRICT", "on"},           {"ACLIMB_DEVICE", "gpu"},
      {"ACLIMB_LOG", "plans"},           {"ASCEND_LAUNCH_BLOCKING", "true"},
      {"ACLIMB_LOG", "file=/no/such/f"}, {"ACLIMB_LOG", "plan,file=/dev"},
      {"ASCEND_GLOBAL_LOG_LEVEL", "9"},  {"ASCEND_MODULE_LOG_LEVEL", "APP=9"},
  };
  for (const auto& [name, value] : wrong) {
    const std::string problem = With(name, value).problem;
    EXPECT_NE(problem.find(name), std::string::npos) << problem;
    EXPECT_NE(problem.find(std::string("\"") + value + "\""), std::string::npos) << problem;
    EXPECT_NE(problem.find("expected "), std::string::npos) << problem;
    Clear();
  }
}

TEST_F(SettingsTest, OldOnesStayReadable) {
  const AclimbSettings* before = aclimb_settings();
  const std::string name = before->soc_name;
  With("ACLIMB_SOC", "Ascend910A");
  EXPECT_EQ(before->soc_name, name);
  EXPECT_STREQ(aclimb_settings()->soc_name, "Ascend910A");
}

TEST(VisibleDevicesTest, ReadsUpToTheFirstBadToken) {
  EXPECT_EQ(VisibleDevices("", 2), (std::vector<int>{0, 1}));
  EXPECT_EQ(VisibleDevices("1", 2), (std::vector<int>{1}));
  EXPECT_EQ(VisibleDevices("0,2", 4), (std::vector<int>{0, 2}));
  EXPECT_EQ(VisibleDevices("2,0", 4), (std::vector<int>{2}));
  EXPECT_EQ(VisibleDevices("0,,1", 4), (std::vector<int>{0}));
  EXPECT_EQ(VisibleDevices("0,1x", 4), (std::vector<int>{0}));
  EXPECT_EQ(VisibleDevices("7", 4), (std::vector<int>{}));
}

TEST(EnvironmentTable, NamesAreUniqueAndFound) {
  for (const EnvironmentVariable& variable : kEnvironment) {
    EXPECT_EQ(FindEnvironmentVariable(variable.name), &variable);
    EXPECT_FALSE(variable.meaning.empty());
    EXPECT_FALSE(variable.values.empty());
  }
  EXPECT_EQ(FindEnvironmentVariable("ACLIMB_NOTHING"), nullptr);
}

}  // namespace
}  // namespace aclimb
