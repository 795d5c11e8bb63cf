#include "aclimb/ops/random/philox.h"

#include <gtest/gtest.h>

#include <vector>

#include "aclimb/ops/random/truths.h"

namespace aclimb::random {
namespace {

// The vectors that the authors of Philox publish with it.
TEST(Philox, KnownAnswers) {
  const auto check = [](const PhiloxBlock& counter, uint32_t key0, uint32_t key1,
                        const std::vector<uint32_t>& expected) {
    const PhiloxBlock got = PhiloxOf(counter, key0, key1);
    EXPECT_EQ(std::vector<uint32_t>(got.word, got.word + 4), expected);
    const Source source = {uint64_t{key1} << 32 | key0,
                           uint64_t{counter.word[3]} << 32 | counter.word[2]};
    const uint64_t block = uint64_t{counter.word[1]} << 32 | counter.word[0];
    uint64_t numbers[2 * (1 + kSpareBlocks)];
    Numbers(source, static_cast<int64_t>(block), 1, numbers);
    EXPECT_EQ(numbers[0], uint64_t{expected[1]} << 32 | expected[0]);
    EXPECT_EQ(numbers[1], uint64_t{expected[3]} << 32 | expected[2]);
  };
  check({{0, 0, 0, 0}}, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr uint32_t kOnes = 0xFFFFFFFF;
  check({{kOnes, kOnes, kOnes, kOnes}}, kOnes, kOnes,
        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  check({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

}  // namespace
}  // namespace aclimb::random
