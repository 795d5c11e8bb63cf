#include "aclimb/rows/spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "aclimb/simd/each_target.h"

namespace aclimb::rows {
namespace {

constexpr int64_t kLengths[] = {0, 1, 3, 4, 7, 8, 16, 31, 64, 257, 1000, 5000};

// Numbers of [-2, 2) that no formula favours.
std::vector<float> Numbers(int64_t count, uint32_t seed) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(static_cast<float>(seed >> 8) / static_cast<float>(1 << 22) - 2);
  }
  return numbers;
}

// Runs body(spans, n, x, y) on every instruction set.
template <typename Body>
void OnEveryTarget(const Body& body) {
  const int targets = EachTarget([&] {
    for (const int64_t n : kLengths) {
      SCOPED_TRACE(n);
      body(SpansInUse(), n, Numbers(n, 1), Numbers(n, 2));
    }
  });
  EXPECT_GT(targets, 0);
}

void ExpectEach(const std::vector<float>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size() + 1);
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], 2e-6 + 1e-6 * std::fabs(expected[i])) << "element " << i;
  }
  EXPECT_EQ(got.back(), -7.0f) << "written past the end";
}

// expected(x, y, i) of each element.
template <typename F>
std::vector<double> Expected(const std::vector<float>& x, const std::vector<float>& y, F f) {
  std::vector<double> all;
  for (size_t i = 0; i < x.size(); ++i) all.push_back(f(double(x[i]), double(y[i])));
  return all;
}

std::vector<float> Poisoned(int64_t n) {
  return std::vector<float>(static_cast<size_t>(n) + 1, -7.0f);
}

double SumOf(const std::vector<double>& terms) {
  double sum = 0;
  for (const double term : terms) sum += term;
  return sum;
}

TEST(Spans, SumsOfARow) {
  OnEveryTarget([](const Spans& spans, int64_t n, const auto& x, const auto& y) {
    const double slack = 1e-6 * static_cast<double>(n) + 1e-12;
    EXPECT_NEAR(spans.sum(x.data(), n), SumOf(Expected(x, y, [](double a, double) { return a; })),
                slack);
    EXPECT_NEAR(spans.dot(x.data(), y.data(), n),
                SumOf(Expected(x, y, [](double a, double b) { return a * b; })), 4 * slack);
    if (n == 0) return;
    const float max = *std::max_element(x.begin(), x.end());
    EXPECT_EQ(spans.max(x.data(), n), max);
    const auto exps = Expected(x, y, [max](double a, double) { return std::exp(a - max); });
    EXPECT_NEAR(spans.exp_sum(x.data(), n, max, nullptr), SumOf(exps), slack);
    std::vector<float> out = Poisoned(n);
    EXPECT_NEAR(spans.exp_sum(x.data(), n, max, out.data()), SumOf(exps), slack);
    ExpectEach(out, exps);
  });
}

// In float32, one after the other, ten million times 0.1 make 1.09 million.
TEST(Spans, LongSumsOfEqualTermsStayExact) {
  const std::vector<float> x(10'000'000, 0.1f), one(x.size(), 1.0f);
  const auto n = static_cast<int64_t>(x.size());
  const double exact = double(0.1f) * 1e7;
  EachTarget([&] {
    EXPECT_NEAR(SpansInUse().sum(x.data(), n), exact, 2e-6 * exact);
    EXPECT_NEAR(SpansInUse().dot(x.data(), one.data(), n), exact, 2e-6 * exact);
    EXPECT_NEAR(SpansInUse().exp_sum(x.data(), n, 0.1f, nullptr), 1e7, 20);
  });
}

TEST(Spans, SumsOfNeighbours) {
  OnEveryTarget([](const Spans& spans, int64_t n, const auto& x, const auto& y) {
    std::vector<float> sums = Poisoned(n);
    std::copy(y.begin(), y.end(), sums.begin());
    spans.sum_each(x.data(), n, sums.data());
    ExpectEach(sums, Expected(x, y, [](double a, double b) { return a + b; }));
    spans.dot_each(x.data(), y.data(), n, sums.data());
    ExpectEach(sums, Expected(x, y, [](double a, double b) { return a + b + a * b; }));

    std::vector<float> max = Poisoned(n);
    std::copy(y.begin(), y.end(), max.begin());
    spans.max_each(x.data(), n, max.data());
    ExpectEach(max, Expected(x, y, [](double a, double b) { return std::max(a, b); }));

    std::vector<float> out = Poisoned(n);
    std::fill_n(sums.begin(), n, 1.0f);
    spans.exp_sum_each(x.data(), max.data(), n, out.data(), sums.data());
    const auto exps = [](double a, double b) { return std::exp(a - std::max(a, b)); };
    ExpectEach(out, Expected(x, y, exps));
    ExpectEach(sums, Expected(x, y, [&](double a, double b) { return 1 + exps(a, b); }));

    std::vector<double> totals(static_cast<size_t>(n) + 1, 2.0);
    const std::vector<float> before = sums;
    spans.add_to_totals(sums.data(), n, totals.data());
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      EXPECT_EQ(totals[i], 2.0 + double(before[i]));
      EXPECT_EQ(sums[i], 0.0f);
    }
    EXPECT_EQ(totals.back(), 2.0);
  });
}

TEST(Spans, MapsWithOneParameterOrOneForEachElement) {
  OnEveryTarget([](const Spans& spans, int64_t n, const auto& x, const auto& y) {
    const std::vector<float> a(x.size() + 1, 3.5f), b(x.size() + 1, -0.75f);
    for (const int kind : {kFlat, kEach}) {
      std::vector<float> out = Poisoned(n);
      spans.scale[kind](x.data(), a.data(), nullptr, n, out.data());
      ExpectEach(out, Expected(x, y, [](double p, double) { return p * 3.5; }));
      spans.exp_scale[kind](x.data(), a.data(), b.data(), n, out.data());
      ExpectEach(out, Expected(x, y, [](double p, double) { return std::exp(p - 3.5) * -0.75; }));
      spans.subtract[kind](x.data(), a.data(), b.data(), n, out.data());
      ExpectEach(out, Expected(x, y, [](double p, double) { return p - 3.5 + 0.75; }));
      spans.softmax_gradient[kind](x.data(), y.data(), a.data(), n, out.data());
      ExpectEach(out, Expected(x, y, [](double p, double q) { return (p - 3.5) * q; }));
      spans.log_softmax_gradient[kind](x.data(), y.data(), a.data(), n, out.data());
      ExpectEach(out, Expected(x, y, [](double p, double q) { return p - std::exp(q) * 3.5; }));
    }
  });
}

}  // namespace
}  // namespace aclimb::rows
