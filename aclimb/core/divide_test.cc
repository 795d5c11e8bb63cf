#include "aclimb/core/divide.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace aclimb {
namespace {

TEST(Divide, RoundsItsWay) {
  for (int64_t b : {1, 2, 3, 7}) {
    for (int64_t a = -2 * b - 1; a <= 2 * b + 1; ++a) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(FloorDivide(a, b), static_cast<int64_t>(std::floor(quotient))) << a << " / " << b;
      EXPECT_EQ(CeilDivide(a, b), static_cast<int64_t>(std::ceil(quotient))) << a << " / " << b;
    }
  }
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(FloorDivide(kLeast, 1), kLeast);
  EXPECT_EQ(CeilDivide(kLeast, 1), kLeast);
  EXPECT_EQ(FloorDivide(kLeast, kMost), -2);
  EXPECT_EQ(CeilDivide(kLeast, kMost), -1);
  EXPECT_EQ(FloorDivide(-1, kMost), -1);
  EXPECT_EQ(CeilDivide(kMost, kMost), 1);
  EXPECT_EQ(RoundUp(17, 16), 32);
  EXPECT_EQ(RoundUp(uint64_t{33}, 16u), 48u);
  EXPECT_EQ(RoundUp(0, 16), 0);
  EXPECT_EQ(CeilDivide(8, int64_t{1} << 40), 1);
}

}  // namespace
}  // namespace aclimb
