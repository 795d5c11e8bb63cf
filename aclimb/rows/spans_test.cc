#include "aclimb/rows/spans.h"

#include <gtest/gtest.h>
#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>

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
    ASSERT_NEAR(got[i], expected[i], 3e-6 + 1e-6 * std::fabs(expected[i])) << "element " << i;
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
      spans.scale[kind](x.data(), a.data(), nullptr, n, out.data(), false);
      ExpectEach(out, Expected(x, y, [](double p, double) { return p * 3.5; }));
      spans.exp_scale[kind](x.data(), a.data(), b.data(), n, out.data(), false);
      ExpectEach(out, Expected(x, y, [](double p, double) { return std::exp(p - 3.5) * -0.75; }));
      spans.subtract[kind](x.data(), a.data(), b.data(), n, out.data(), false);
      ExpectEach(out, Expected(x, y, [](double p, double) { return p - 3.5 + 0.75; }));
      spans.softmax_gradient[kind](x.data(), y.data(), a.data(), n, out.data(), false);
      ExpectEach(out, Expected(x, y, [](double p, double q) { return (p - 3.5) * q; }));
      spans.log_softmax_gradient[kind](x.data(), y.data(), a.data(), n, out.data(), false);
      ExpectEach(out, Expected(x, y, [](double p, double q) { return p - std::exp(q) * 3.5; }));
    }
  });
}

TEST(Spans, SumsOfNorms) {
  OnEveryTarget([](const Spans& spans, int64_t n, const auto& x, const auto& y) {
    const double slack = 4e-6 * static_cast<double>(n) + 1e-12;
    const auto off = [](double p, double) { return p - 0.5; };
    const auto square = [](double p, double) { return (p - 0.5) * (p - 0.5); };
    double deviations[2] = {3, 4};
    spans.deviations(x.data(), n, 0.5f, deviations);
    EXPECT_NEAR(deviations[0], 3 + SumOf(Expected(x, y, off)), slack);
    EXPECT_NEAR(deviations[1], 4 + SumOf(Expected(x, y, square)), slack);
    const std::vector<float> w(x.size() + 1, 1.5f);
    for (const bool weighted : {false, true}) {
      const double weight = weighted ? 1.5 : 1;
      const auto g = [&](double, double q) { return q * weight; };
      const auto product = [&](double p, double q) { return q * weight * (p - 0.5) * 2; };
      for (const bool each : {false, true}) {
        double sums[2] = {1, 2};
        std::vector<float> biases = Poisoned(n), weights = Poisoned(n);
        std::fill_n(biases.begin(), n, 1.0f);
        std::fill_n(weights.begin(), n, 2.0f);
        spans.gradient_sums(y.data(), x.data(), weighted ? w.data() : nullptr, n, 0.5f, 2, sums,
                            each ? biases.data() : nullptr, each ? weights.data() : nullptr);
        EXPECT_NEAR(sums[0], 1 + SumOf(Expected(x, y, g)), slack);
        EXPECT_NEAR(sums[1], 2 + SumOf(Expected(x, y, product)), 4 * slack);
        ExpectEach(biases, Expected(x, y, [&](double, double q) { return each ? 1 + q : 1; }));
        ExpectEach(weights, Expected(x, y, [&](double p, double q) {
                     return each ? 2 + q * (p - 0.5) * 2 : 2;
                   }));
      }
    }

    std::vector<float> sums = Poisoned(n), products = Poisoned(n);
    const std::vector<float> mean(x.size() + 1, 0.5f);
    std::fill_n(sums.begin(), n, 1.0f);
    std::fill_n(products.begin(), n, 2.0f);
    spans.deviations_each(x.data(), mean.data(), n, sums.data(), products.data());
    ExpectEach(sums, Expected(x, y, [&](double p, double q) { return 1 + off(p, q); }));
    ExpectEach(products, Expected(x, y, [&](double p, double q) { return 2 + square(p, q); }));
    std::fill_n(sums.begin(), n, 1.0f);
    std::fill_n(products.begin(), n, 2.0f);
    spans.products_each(y.data(), x.data(), mean.data(), n, sums.data(), products.data());
    ExpectEach(sums, Expected(x, y, [](double, double q) { return 1 + q; }));
    ExpectEach(products, Expected(x, y, [](double p, double q) { return 2 + q * (p - 0.5); }));
    spans.weight_sums_each(y.data(), x.data(), n, 0.5f, 3, sums.data(), products.data());
    ExpectEach(sums, Expected(x, y, [](double, double q) { return 1 + 2 * q; }));
    ExpectEach(products, Expected(x, y, [](double p, double q) { return 2 + 4 * q * (p - 0.5); }));
    spans.weight_sums_each(y.data(), x.data(), n, 0.5f, 1, nullptr, products.data());
    ExpectEach(products, Expected(x, y, [](double p, double q) { return 2 + 5 * q * (p - 0.5); }));
  });
}

TEST(Spans, MapsOfNorms) {
  OnEveryTarget([](const Spans& spans, int64_t n, const auto& x, const auto& y) {
    const std::vector<float> m(x.size() + 1, 0.5f), a(x.size() + 1, 2.0f), b(x.size() + 1, -1.5f),
        c(x.size() + 1, 0.25f);
    std::vector<float> out = Poisoned(n);
    // Around the caches, an output begins a cache line.
    const auto line = hwy::AllocateAligned<float>(static_cast<size_t>(n) + 1);
    const auto streamed = [&](const auto& map) {
      std::fill_n(line.get(), n + 1, 77.0f);
      map(line.get());
      EXPECT_TRUE(std::equal(out.begin(), out.begin() + n, line.get()));
      EXPECT_EQ(line[static_cast<size_t>(n)], 77.0f);
    };
    for (const int kind : {kFlat, kEach}) {
      spans.normalize[kind](x.data(), m.data(), a.data(), b.data(), n, out.data(), false);
      ExpectEach(out, Expected(x, y, [](double p, double) { return (p - 0.5) * 2 - 1.5; }));
      streamed([&](float* to) {
        spans.normalize[kind](x.data(), m.data(), a.data(), b.data(), n, to, true);
      });
      spans.gradient[kind](y.data(), x.data(), m.data(), a.data(), b.data(), c.data(), n,
                           out.data(), false);
      streamed([&](float* to) {
        spans.gradient[kind](y.data(), x.data(), m.data(), a.data(), b.data(), c.data(), n, to,
                             true);
      });
      ExpectEach(out,
                 Expected(x, y, [](double p, double q) { return q * 2 - (p - 0.5) * 1.5 + 0.25; }));
    }
    spans.add(x.data(), y.data(), n, out.data());
    ExpectEach(out, Expected(x, y, [](double p, double q) { return p + q; }));
    for (const bool weighted : {false, true}) {
      const double w = weighted ? 2 : 1;
      for (const bool biased : {false, true}) {
        spans.normalize_row(x.data(), n, 0.5f, 3, weighted ? a.data() : nullptr,
                            biased ? b.data() : nullptr, out.data(), false);
        streamed([&](float* to) {
          spans.normalize_row(x.data(), n, 0.5f, 3, weighted ? a.data() : nullptr,
                              biased ? b.data() : nullptr, to, true);
        });
        ExpectEach(out, Expected(x, y, [&](double p, double) {
                     return (p - 0.5) * 3 * w + (biased ? -1.5 : 0);
                   }));
      }
      spans.gradient_row(y.data(), x.data(), weighted ? a.data() : nullptr, n, 0.5f, 3, 0.125f,
                         0.75f, out.data(), false);
      streamed([&](float* to) {
        spans.gradient_row(y.data(), x.data(), weighted ? a.data() : nullptr, n, 0.5f, 3, 0.125f,
                           0.75f, to, true);
      });
      ExpectEach(out, Expected(x, y, [&](double p, double q) {
                   return (q * w - 0.125 - (p - 0.5) * 3 * 0.75) * 3;
                 }));
    }
  });
}

// What takes or gives bfloat16 does as what takes or gives float32, rounded once.
TEST(Spans, OfBFloat16) {
  OnEveryTarget([](const Spans& spans, int64_t n, const auto& numbers, const auto& others) {
    std::vector<BFloat16> x, y;
    for (const float number : numbers) x.push_back(ToBFloat16(number));
    for (const float other : others) y.push_back(ToBFloat16(other));
    if (n > 40) x[37].bits = 0x7FFF;  // a NaN, which the sums below are without
    std::vector<float> wide = Poisoned(n), wide_y = Poisoned(n), weight = Poisoned(n);
    std::transform(y.begin(), y.end(), wide_y.begin(), [](BFloat16 each) { return ToFloat(each); });
    const double sum = spans.sum_and_widen(x.data(), n, wide.data());
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(BitsOf(wide[i]), BitsOf(ToFloat(x[i])));
    EXPECT_EQ(wide.back(), -7.0f);
    EXPECT_EQ(std::isnan(sum), n > 40);
    if (n <= 40) {
      EXPECT_EQ(sum, spans.sum(wide.data(), n));
      EXPECT_NEAR(spans.dot_bf16(x.data(), y.data(), n), spans.dot(wide.data(), wide_y.data(), n),
                  1e-5);
    }
    EXPECT_NEAR(spans.dot_bf16(y.data(), y.data(), n), spans.dot(wide_y.data(), wide_y.data(), n),
                1e-6 * static_cast<double>(n));

    std::vector<float> expected = Poisoned(n);
    const auto got = hwy::AllocateAligned<BFloat16>(static_cast<size_t>(n) + 1);
    const auto expect = [&](const auto& map) {
      for (const bool stream : {false, true}) {
        std::fill_n(got.get(), n + 1, BFloat16{0xBEEF});
        map(got.get(), stream);
        for (size_t i = 0; i < x.size(); ++i) {
          const float value = expected[i];
          ASSERT_TRUE(got[i].bits == ToBFloat16(value).bits ||
                      (std::isnan(value) && std::isnan(ToFloat(got[i]))))
              << i;
        }
        EXPECT_EQ(got[static_cast<size_t>(n)].bits, 0xBEEF);
      }
    };
    const float a = 0.3f;
    spans.softmax_gradient[kFlat](wide.data(), wide_y.data(), &a, n, expected.data(), false);
    expect([&](BFloat16* to, bool stream) {
      spans.softmax_gradient_bf16(x.data(), y.data(), &a, n, to, stream);
    });
    for (const bool weighted : {false, true}) {
      for (const bool biased : {false, true}) {
        const float* const w = weighted ? weight.data() : nullptr;
        const float* const b = biased ? wide_y.data() : nullptr;
        spans.normalize_row(wide.data(), n, 0.5f, 3, w, b, expected.data(), false);
        expect([&](BFloat16* to, bool stream) {
          spans.normalize_row_bf16(wide.data(), n, 0.5f, 3, w, b, to, stream);
        });
      }
    }
  });
}

TEST(Spans, StreamCopiesLines) {
  EachTarget([] {
    for (const int64_t lines : {0, 1, 3, 40}) {
      alignas(64) char to[41 * 64];
      std::vector<char> from(static_cast<size_t>(lines * 64 + 1));
      for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7);
      std::fill(std::begin(to), std::end(to), char{-7});
      // The source may begin anywhere.
      SpansInUse().stream(from.data() + 1, lines * 64, to);
      hwy::FlushStream();
      EXPECT_TRUE(std::equal(from.begin() + 1, from.end(), to)) << lines;
      EXPECT_EQ(to[lines * 64], char{-7});
    }
  });
}

}  // namespace
}  // namespace aclimb::rows
