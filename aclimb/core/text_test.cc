#include "aclimb/core/text.h"

#include <gtest/gtest.h>

namespace aclimb {
namespace {

TEST(JsonText, EscapesWhatATextOfJsonCannotHold) {
  EXPECT_EQ(JsonText("a\"b\\c\n"), R"("a\"b\\c\u000a")");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  for (const char* good : {"plain", "\u00e9", "\u20ac", "\ud7ff", "\ue000", "\U0001f600"}) {
    EXPECT_EQ(JsonText(good), '"' + std::string(good) + '"');
  }
  const std::string no = R"(\ufffd)";
  EXPECT_EQ(JsonText("a\xff-"), "\"a" + no + "-\"");
  // Cut off, a longer form than needed, half a character of UTF-16, behind the last character.
  EXPECT_EQ(JsonText("\xe2\x82"), '"' + no + no + '"');
  EXPECT_EQ(JsonText("\xc0\x80"), '"' + no + no + '"');
  EXPECT_EQ(JsonText("\xed\xa0\x80"), '"' + no + no + no + '"');
  EXPECT_EQ(JsonText("\xf4\x90\x80\x80"), '"' + no + no + no + no + '"');
}

}  // namespace
}  // namespace aclimb
