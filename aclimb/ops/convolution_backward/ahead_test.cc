// Where prefetches go cannot be seen; how far they go can.
#include "aclimb/ops/convolution_backward/ahead.h"

#include <gtest/gtest.h>

#include <vector>

namespace aclimb::convolution_backward {
namespace {

TEST(ConvolutionAhead, LinesOfStretches) {
  const std::vector<char> memory(1000);
  Ahead::Stretches one;
  EXPECT_EQ(one.Lines(), 0);
  one = {memory.data(), 1, 1, 0, 1, 0};
  EXPECT_EQ(one.Lines(), 1);
  one.bytes = 64;
  EXPECT_EQ(one.Lines(), 2);  // of any alignment
  one.channels = 3;
  one.images = 2;
  EXPECT_EQ(one.Lines(), 12);
}

// Each stretch is walked from its first to its last byte, and calls beyond the last do nothing.
TEST(ConvolutionAhead, AsksForAllOfThem) {
  const std::vector<char> memory(4096);
  Ahead ahead;
  EXPECT_TRUE(ahead.IsDone());
  ahead.Begin(10);
  ahead.Ask();
  EXPECT_TRUE(ahead.IsDone());
  for (const int64_t calls : {0, 1, 5, 100}) {
    ahead.Clear();
    ahead.Want({memory.data(), 130, 2, 200, 3, 1000});
    ahead.Want({});  // nothing
    ahead.Want({memory.data() + 3000, 64, 1, 0, 1, 0});
    ahead.Begin(calls);
    EXPECT_FALSE(ahead.IsDone());
    // 3 lines in each of six stretches, and one.
    int64_t asked = 0;
    for (; !ahead.IsDone(); ++asked) ahead.Ask();
    EXPECT_LE(asked, calls > 0 ? calls : 1);
    ahead.Ask();
    EXPECT_TRUE(ahead.IsDone());
  }
  // What is wanted beyond four is left out.
  ahead.Clear();
  for (int i = 0; i < 9; ++i) ahead.Want({memory.data(), 64, 1, 0, 1, 0});
  ahead.Begin(1000);
  int64_t asked = 0;
  for (; !ahead.IsDone(); ++asked) ahead.Ask();
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace aclimb::convolution_backward
