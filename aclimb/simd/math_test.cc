// The functions of math-inl.h on every instruction set, against the library's in double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/simd/math_test.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {

#define ACLIMB_MATH_RUN(Name)                                        \
  void Name##Run(const float* from, float* to, int64_t count) {      \
    const hn::ScalableTag<float> d;                                  \
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));           \
    for (int64_t i = 0; i + lanes <= count; i += lanes) {            \
      hn::StoreU(Name<float>(d, hn::LoadU(d, from + i)), d, to + i); \
    }                                                                \
  }
// These are as precise for all types.
template <class T, class D>
hn::Vec<D> AnyLog2(D d, hn::Vec<D> x) {
  return Log2(d, x);
}
template <class T, class D>
hn::Vec<D> AnyLog10(D d, hn::Vec<D> x) {
  return Log10(d, x);
}
ACLIMB_MATH_RUN(AnyLog2)
ACLIMB_MATH_RUN(AnyLog10)
ACLIMB_MATH_RUN(Log)
ACLIMB_MATH_RUN(Expm1)
ACLIMB_MATH_RUN(Log1p)
ACLIMB_MATH_RUN(Sigmoid)
ACLIMB_MATH_RUN(Tanh)
ACLIMB_MATH_RUN(Erf)
ACLIMB_MATH_RUN(NormalShare)
// As precise as half types need.
void HalfNormalShareRun(const float* from, float* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i + lanes <= count; i += lanes) {
    hn::StoreU(NormalShare<Float16>(d, hn::LoadU(d, from + i)), d, to + i);
  }
}
ACLIMB_MATH_RUN(Sin)
ACLIMB_MATH_RUN(Cos)
ACLIMB_MATH_RUN(Rsqrt)

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/core/half.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/compare.h"

namespace aclimb {
namespace {

HWY_EXPORT(LogRun);
HWY_EXPORT(AnyLog2Run);
HWY_EXPORT(AnyLog10Run);
HWY_EXPORT(Expm1Run);
HWY_EXPORT(Log1pRun);
HWY_EXPORT(SigmoidRun);
HWY_EXPORT(TanhRun);
HWY_EXPORT(ErfRun);
HWY_EXPORT(NormalShareRun);
HWY_EXPORT(HalfNormalShareRun);
HWY_EXPORT(SinRun);
HWY_EXPORT(CosRun);
HWY_EXPORT(RsqrtRun);

using Function = void (*)(const float*, float*, int64_t);

double SigmoidTruth(double x) { return 1 / (1 + std::exp(-x)); }
double NormalTruth(double x) { return std::erfc(-x * M_SQRT1_2) / 2; }
double RsqrtTruth(double x) { return 1 / std::sqrt(x); }

struct Row {
  const char* name;
  Function function;
  double (*truth)(double);
  double units;            // in the last place of float32
  double units_above = 0;  // where the truth is above a half; 0: as many
};

// For the instruction set in use.
std::vector<Row> Rows() {
  return {{"Log", HWY_DYNAMIC_DISPATCH(LogRun), [](double x) { return std::log(x); }, 1.5},
          {"Log2", HWY_DYNAMIC_DISPATCH(AnyLog2Run), [](double x) { return std::log2(x); }, 3},
          {"Log10", HWY_DYNAMIC_DISPATCH(AnyLog10Run), [](double x) { return std::log10(x); }, 3},
          {"Expm1", HWY_DYNAMIC_DISPATCH(Expm1Run), [](double x) { return std::expm1(x); }, 5},
          {"Log1p", HWY_DYNAMIC_DISPATCH(Log1pRun), [](double x) { return std::log1p(x); }, 3},
          {"Sigmoid", HWY_DYNAMIC_DISPATCH(SigmoidRun), SigmoidTruth, 3},
          {"Tanh", HWY_DYNAMIC_DISPATCH(TanhRun), [](double x) { return std::tanh(x); }, 3.5},
          {"Erf", HWY_DYNAMIC_DISPATCH(ErfRun), [](double x) { return std::erf(x); }, 2.5},
          {"NormalShare", HWY_DYNAMIC_DISPATCH(NormalShareRun), NormalTruth, 128, 2},
          {"NormalShare of halves", HWY_DYNAMIC_DISPATCH(HalfNormalShareRun), NormalTruth, 1024},
          {"Sin", HWY_DYNAMIC_DISPATCH(SinRun), [](double x) { return std::sin(x); }, 2.5},
          {"Cos", HWY_DYNAMIC_DISPATCH(CosRun), [](double x) { return std::cos(x); }, 2.5},
          {"Rsqrt", HWY_DYNAMIC_DISPATCH(RsqrtRun), RsqrtTruth, 1.5}};
}

// Every exponent and sign, and where the functions bend more closely.
std::vector<float> Arguments() {
  testing::Random random(1);
  std::vector<float> all;
  for (uint32_t high = 0; high < 1u << 9; ++high) {
    for (int k = 0; k < 100; ++k) {
      all.push_back(FloatOfBits(high << 23 | static_cast<uint32_t>(random.Next() >> 41)));
    }
  }
  for (int k = 0; k < 200000; ++k) all.push_back(static_cast<float>(random.Real(-6, 6)));
  for (int k = 0; k < 50000; ++k) all.push_back(static_cast<float>(random.Real(-9000, 9000)));
  // At 0x1.f81696p-5 tanh is least precise.
  for (const float special :
       {0.0f, -0.0f, 1.0f, -1.0f, 0x1.f81696p-5f, HUGE_VALF, -HUGE_VALF, std::nanf("")}) {
    all.push_back(special);
  }
  all.resize((all.size() + 15) / 16 * 16, 0.5f);
  return all;
}

// The distance of `got` from the truth in units in the last place of the truth.
double UnitsOff(float got, double truth) {
  const auto near = static_cast<float>(truth);
  if (std::isnan(near) || std::isnan(got)) return std::isnan(near) && std::isnan(got) ? 0 : 1e9;
  if (std::isinf(near) || std::isinf(got)) return near == got ? 0 : 1e9;
  const float size = std::max(std::fabs(near), std::numeric_limits<float>::min());
  const double unit = std::ldexp(1.0, std::ilogb(size) - 23);
  return std::fabs(static_cast<double>(got) - truth) / unit;
}

TEST(MathInl, EveryFunctionIsAsPreciseAsItSaysOnEveryTarget) {
  const std::vector<float> from = Arguments();
  EachTarget([&from] {
    for (const Row& row : Rows()) {
      std::vector<float> to(from.size(), -7.0f);
      row.function(from.data(), to.data(), static_cast<int64_t>(to.size()));
      double largest = 0;
      float where = 0;
      for (size_t i = 0; i < to.size(); ++i) {
        double off = UnitsOff(to[i], row.truth(static_cast<double>(from[i])));
        // Below the normal numbers a sigmoid is zero.
        if (row.truth == SigmoidTruth && from[i] < -87 && to[i] < 0x1p-125f) off = 0;
        if (row.truth == NormalTruth && from[i] < -5.75f && to[i] == 0) off = 0;
        if (row.units_above != 0 && row.truth(static_cast<double>(from[i])) > 0.5) {
          off *= row.units / row.units_above;
        }
        if (off > largest) {
          largest = off;
          where = from[i];
        }
      }
      EXPECT_LE(largest, row.units) << row.name << " of " << where;
    }
  });
}

TEST(MathInl, ZerosKeepTheirSign) {
  EachTarget([] {
    for (const Row& row : Rows()) {
      if (row.truth(0) != 0) continue;
      std::vector<float> zeros(16, -0.0f), to(16, 1.0f);
      row.function(zeros.data(), to.data(), 16);
      for (const float zero : to) {
        EXPECT_EQ(zero, 0.0f) << row.name;
        EXPECT_TRUE(std::signbit(zero)) << row.name;
      }
    }
  });
}

TEST(MathInl, ALaneDoesNotDependOnItsNeighbours) {
  testing::Random random(2);
  EachTarget([&random] {
    for (const Row& row : Rows()) {
      std::vector<float> quiet, loud;
      for (int i = 0; i < 1000; ++i) {
        const auto x = static_cast<float>(random.Real(-90, 90));
        quiet.push_back(x);
        quiet.insert(quiet.end(), 15, 0.0f);
        loud.push_back(x);
        loud.insert(loud.end(), 15, 1e9f);
      }
      std::vector<float> alone(quiet.size()), beside(quiet.size());
      row.function(quiet.data(), alone.data(), static_cast<int64_t>(alone.size()));
      row.function(loud.data(), beside.data(), static_cast<int64_t>(beside.size()));
      for (size_t i = 0; i < alone.size(); i += 16) {
        ASSERT_EQ(BitsOf(alone[i]) & 0x7FFFFFFF, BitsOf(beside[i]) & 0x7FFFFFFF)
            << row.name << " of " << quiet[i];
      }
    }
  });
}

}  // namespace
}  // namespace aclimb
#endif
