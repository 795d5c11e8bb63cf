// Every instruction set adds the sums of blocks in double, and rounds once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/simd/totals_test.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include "aclimb/simd/totals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {

void Add(const float* sums, int64_t count, bool first, double* totals) {
  AddToTotals(sums, count, first, totals);
}
void Round(const double* totals, int64_t count, double divisor, float* sums) {
  RoundTotals(totals, count, divisor, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/simd/each_target.h"

namespace aclimb {
namespace {

HWY_EXPORT(Add);
HWY_EXPORT(Round);

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Totals, AddInDoubleAndRoundOnce) {
  EachTarget([] {
    for (int64_t count : {1, 2, 7, 64, 133}) {
      const size_t size = static_cast<size_t>(count);
      // One more of each shows writes past the end.
      std::vector<double> totals(size + 1, 77);
      std::vector<float> sums(size + 1, 1);
      HWY_DYNAMIC_DISPATCH(Add)(sums.data(), count, true, totals.data());
      // In float32 every one of these would be lost.
      for (float& sum : sums) sum = 0x1p-25f;
      for (int i = 0; i < 6; ++i) {
        HWY_DYNAMIC_DISPATCH(Add)(sums.data(), count, false, totals.data());
      }
      HWY_DYNAMIC_DISPATCH(Round)(totals.data(), count, 2, sums.data());
      for (size_t i = 0; i < size; ++i) {
        EXPECT_EQ(totals[i], 1 + 6 * 0x1p-25);
        EXPECT_EQ(sums[i], 0.5f + 0x1p-24f + 0x1p-24f);
      }
      EXPECT_EQ(totals[size], 77);
      EXPECT_EQ(sums[size], 0x1p-25f);
    }
  });
}

TEST(Totals, ZerosKeepTheirSignAndInfinitiesTheirKind) {
  EachTarget([] {
    const std::vector<float> first = {-0.0f, kInf, -kInf, kInf, 1, std::nanf("")};
    std::vector<double> totals(first.size());
    HWY_DYNAMIC_DISPATCH(Add)(first.data(), 6, true, totals.data());
    std::vector<float> sums = {-0.0f, kInf, 1, -kInf, -kInf, 1};
    HWY_DYNAMIC_DISPATCH(Round)(totals.data(), 6, 1, sums.data());
    EXPECT_EQ(sums[0], 0.0f);
    EXPECT_TRUE(std::signbit(sums[0]));
    EXPECT_EQ(sums[1], kInf);
    EXPECT_EQ(sums[2], -kInf);
    EXPECT_TRUE(std::isnan(sums[3]));
    EXPECT_EQ(sums[4], -kInf);
    EXPECT_TRUE(std::isnan(sums[5]));
  });
}

}  // namespace
}  // namespace aclimb
#endif
