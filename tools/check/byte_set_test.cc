#include "tools/check/byte_set.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace aclimb::check {
namespace {

TEST(ByteSetTest, AnswersAsAListOfBytesDoes) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    constexpr uint64_t kBytes = 64;
    ByteSet set;
    std::vector<bool> truth(kBytes, false);
    for (int step = 0; step < 12; ++step) {
      const uint64_t begin = random() % kBytes;
      const uint64_t end = begin + random() % (kBytes - begin + 1);
      if (step % 3 != 0) {
        set.Add(begin, end);
        for (uint64_t i = begin; i < end; ++i) truth[i] = true;
      }
      uint64_t missing = begin;
      while (missing < end && truth[missing]) ++missing;
      bool touches = false;
      for (uint64_t i = begin; i < end; ++i) touches = touches || truth[i];
      ASSERT_EQ(set.FirstMissing(begin, end), missing);
      ASSERT_EQ(set.Contains(begin, end), missing == end);
      ASSERT_EQ(set.Touches(begin, end), touches);
    }
  }
}

}  // namespace
}  // namespace aclimb::check
