// exp on every instruction set, against the library's in double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/simd/exp_test.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include "aclimb/simd/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {

template <typename T>
void ExpAll(const float* from, float* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i + lanes <= count; i += lanes) {
    hn::StoreU(Exp<T>(d, hn::LoadU(d, from + i)), d, to + i);
  }
}
void ExpFloat(const float* from, float* to, int64_t count) { ExpAll<float>(from, to, count); }
void ExpHalf(const float* from, float* to, int64_t count) { ExpAll<Float16>(from, to, count); }

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

HWY_EXPORT(ExpFloat);
HWY_EXPORT(ExpHalf);

using Function = void (*)(const float*, float*, int64_t);

std::vector<float> Apply(Function function, std::vector<float> from) {
  from.resize((from.size() + 15) / 16 * 16, 0.0f);
  std::vector<float> to(from.size(), -7.0f);
  function(from.data(), to.data(), static_cast<int64_t>(from.size()));
  return to;
}

// Largest error in units of `unit` times the result, over a sweep of normal results.
double LargestError(Function function, double unit) {
  std::vector<float> from;
  for (double x = -87; x < 88; x += 0.000731) from.push_back(static_cast<float>(x));
  for (double x = 1e-30; x < 1; x *= 1.01) {
    from.push_back(static_cast<float>(x));
    from.push_back(static_cast<float>(-x));
  }
  const std::vector<float> to = Apply(function, from);
  double largest = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const double expected = std::exp(static_cast<double>(from[i]));
    largest = std::max(largest, std::fabs(to[i] - expected) / (expected * unit));
  }
  return largest;
}

TEST(ExpInl, EveryTargetIsAsPreciseAsItSays) {
  EachTarget([] {
    // A unit in the last place of float32 is between 2^-24 and 2^-23 of the value.
    EXPECT_LT(LargestError(HWY_DYNAMIC_DISPATCH(ExpFloat), 0x1p-23), 1.6);
    EXPECT_LT(LargestError(HWY_DYNAMIC_DISPATCH(ExpHalf), 1.0), 1.3e-5);
  });
}

// Or a result would depend on where a tensor is cut into vectors.
TEST(ExpInl, ALaneDoesNotDependOnItsNeighbours) {
  EachTarget([] {
    for (Function function : {HWY_DYNAMIC_DISPATCH(ExpFloat), HWY_DYNAMIC_DISPATCH(ExpHalf)}) {
      // Where the nearest power of two is a matter of rounding.
      std::vector<float> quiet, loud;
      for (int n = -120; n < 120; ++n) {
        auto x = static_cast<float>((n + 0.5) * std::log(2.0));
        for (int k = 0; k < 4; ++k) x = std::nextafter(x, -HUGE_VALF);
        for (int k = 0; k < 9; ++k, x = std::nextafter(x, HUGE_VALF)) {
          quiet.push_back(x);
          quiet.insert(quiet.end(), 15, 0.0f);
          loud.push_back(x);
          loud.insert(loud.end(), 15, 100.0f);
        }
      }
      const std::vector<float> alone = Apply(function, quiet), beside = Apply(function, loud);
      for (size_t i = 0; i < alone.size(); i += 16) ASSERT_EQ(alone[i], beside[i]) << quiet[i];
    }
  });
}

TEST(ExpInl, SpecialValuesOnEveryTarget) {
  static constexpr float kInf = std::numeric_limits<float>::infinity();
  EachTarget([] {
    for (Function function : {HWY_DYNAMIC_DISPATCH(ExpFloat), HWY_DYNAMIC_DISPATCH(ExpHalf)}) {
      const std::vector<float> got =
          Apply(function, {0.0f, -0.0f, kInf, -kInf, std::nanf(""), 1000.0f, -1000.0f, 89.0f});
      EXPECT_EQ(got[0], 1.0f);
      EXPECT_EQ(got[1], 1.0f);
      EXPECT_EQ(got[2], kInf);
      EXPECT_EQ(got[3], 0.0f);
      EXPECT_TRUE(std::isnan(got[4]));
      EXPECT_EQ(got[5], kInf);
      EXPECT_EQ(got[6], 0.0f);
      EXPECT_EQ(got[7], kInf);
    }
    // Gradual underflow.
    const std::vector<float> small = Apply(HWY_DYNAMIC_DISPATCH(ExpFloat), {-100.0f, -103.0f});
    EXPECT_NEAR(small[0], std::exp(-100.0), 2e-45);
    EXPECT_NEAR(small[1], std::exp(-103.0), 2e-45);
  });
}

}  // namespace
}  // namespace aclimb
#endif
