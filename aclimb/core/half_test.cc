#include "aclimb/core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace aclimb {
namespace {

// An independent reading of binary16 by the formula.
double Truth(uint16_t bits) {
  const double sign = (bits & 0x8000) ? -1.0 : 1.0;
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  if (exponent == 31) return mantissa ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, EveryFloat16PatternReadsExactlyAndSurvivesARoundTrip) {
  for (uint32_t i = 0; i <= 0xFFFF; ++i) {
    const Float16 half{static_cast<uint16_t>(i)};
    const float value = ToFloat(half);
    if (std::isnan(Truth(half.bits))) {
      ASSERT_TRUE(std::isnan(value)) << i;
      ASSERT_TRUE(std::isnan(ToFloat(ToFloat16(value)))) << i;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), Truth(half.bits)) << i;
    ASSERT_EQ(ToFloat16(value).bits, half.bits) << i;
  }
}

TEST(Half, Float16TiesGoToEvenBetweenAllNeighbours) {
  for (uint32_t i = 0; i < 0x7BFF; ++i) {
    const double low = Truth(static_cast<uint16_t>(i));
    const double high = Truth(static_cast<uint16_t>(i + 1));
    const float middle = static_cast<float>((low + high) / 2);
    const uint16_t even = (i & 1) ? static_cast<uint16_t>(i + 1) : static_cast<uint16_t>(i);
    ASSERT_EQ(ToFloat16(middle).bits, even) << i;
    ASSERT_EQ(ToFloat16(std::nextafterf(middle, 1e9f)).bits, i + 1) << i;
    ASSERT_EQ(ToFloat16(std::nextafterf(middle, -1e9f)).bits, i) << i;
  }
}

TEST(Half, Float16OverflowIsInfinity) {
  EXPECT_EQ(ToFloat16(65519.0f).bits, 0x7BFF);
  EXPECT_EQ(ToFloat16(65520.0f).bits, 0x7C00);
  EXPECT_EQ(ToFloat16(-1e30f).bits, 0xFC00);
}

TEST(Half, EveryBFloat16PatternAndItsTies) {
  for (uint32_t i = 0; i <= 0xFFFF; ++i) {
    const BFloat16 value{static_cast<uint16_t>(i)};
    const float wide = ToFloat(value);
    if (std::isnan(wide)) {
      ASSERT_TRUE(std::isnan(ToFloat(ToBFloat16(wide)))) << i;
      continue;
    }
    ASSERT_EQ(ToBFloat16(wide).bits, value.bits) << i;
    if (std::isinf(wide)) continue;
    const float tie = FloatOfBits((i << 16) | 0x8000u);
    ASSERT_EQ(ToBFloat16(tie).bits, static_cast<uint16_t>(i + (i & 1))) << i;
    ASSERT_EQ(ToBFloat16(FloatOfBits((i << 16) | 0x8001u)).bits, static_cast<uint16_t>(i + 1)) << i;
    ASSERT_EQ(ToBFloat16(FloatOfBits((i << 16) | 0x7FFFu)).bits, value.bits) << i;
  }
}

TEST(Half, BFloat16SignallingNaNStaysNaN) {
  EXPECT_TRUE(std::isnan(ToFloat(ToBFloat16(FloatOfBits(0x7F800001u)))));
}

}  // namespace
}  // namespace aclimb
