// Which plug-ins are loaded, and what is said of the others.
#include "aclimb/backend/loader.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <set>
#include <string>

#include "aclimb/core/codes.h"

namespace aclimb {
namespace {

TEST(Loader, MissingPlugInIsRefusedWithItsPath) {
  const Result<const AclimbBackend*> loaded = LoadBackend("nonexistent");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), kRtFeatureNotSupport);
  EXPECT_NE(loaded.status().refusal().what.find("/aclimb/libaclimb_nonexistent.so"),
            std::string::npos);
}

class IncompletePlugIn : public testing::Test {
 protected:
  // Why a plug-in with null entries at these places is refused; empty when it is not.
  static std::string Refusal(const std::string& places) {
    setenv("ACLIMB_TEST_NULL_ENTRIES", places.c_str(), 1);
    const Result<const AclimbBackend*> loaded = LoadBackend("incomplete");
    unsetenv("ACLIMB_TEST_NULL_ENTRIES");
    if (loaded.ok()) return "";
    EXPECT_EQ(loaded.status().code(), kInternalError);
    EXPECT_EQ(loaded.status().refusal().rule, "backend/loader/entry");
    return loaded.status().refusal().what;
  }
  static size_t PlaceOf(size_t offset) {
    return (offset - offsetof(AclimbBackend, configure)) / sizeof(void*);
  }
  static void ExpectNamed(size_t place, const char* name) {
    const std::string refusal = Refusal(std::to_string(place));
    EXPECT_NE(refusal.find(std::string(" ") + name + " null"), std::string::npos) << refusal;
  }
};

TEST_F(IncompletePlugIn, IsRefusedByTheNameOfTheEntry) {
  EXPECT_EQ(Refusal(""), "");
  std::set<std::string> refusals;
  const size_t count = PlaceOf(sizeof(AclimbBackend));
  for (size_t place = 0; place < count; ++place) refusals.insert(Refusal(std::to_string(place)));
  EXPECT_EQ(refusals.size(), count);
  EXPECT_FALSE(refusals.contains(""));
  ExpectNamed(0, "configure");
  ExpectNamed(PlaceOf(offsetof(AclimbBackend, queue_suspend)), "queue_suspend");
  ExpectNamed(count - 1, "explain");
}

TEST_F(IncompletePlugIn, MayLeaveOutAllOfTheKernels) {
  const size_t make = PlaceOf(offsetof(AclimbBackend, kernel_make));
  const std::string first = std::to_string(make), second = std::to_string(make + 1);
  EXPECT_EQ(Refusal(first + "," + second + "," + std::to_string(make + 2)), "");
  EXPECT_NE(Refusal(first + "," + second), "");
  ExpectNamed(make + 2, "kernel_release");
}

}  // namespace
}  // namespace aclimb
