// Every fold over views of any strides, with the kernels of every instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/copy/test_view.h"
#include "aclimb/reduction/problem.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::reduction {
namespace {

using aclimb::testing::AnyOrder;
using aclimb::testing::Random;
using aclimb::testing::TestView;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<int64_t> Left(const std::vector<int64_t>& shape, uint32_t reduced) {
  std::vector<int64_t> left;
  for (size_t d = 0; d < shape.size(); ++d) {
    if ((reduced >> d & 1) == 0) left.push_back(shape[d]);
  }
  return left;
}

void Reduce(const Request& request, const TensorView& input, const TensorView& first,
            const TensorView& second) {
  const Problem problem(request, input, {first, second});
  std::vector<int64_t> scratch(static_cast<size_t>(problem.ScratchBytes() / 8), -1);
  Solve(problem, {input.data, {first.data, second.data}, scratch.data()});
}

// The elements of each result, in row-major order.
std::vector<std::vector<double>> GroupsOf(const TestView& view, uint32_t reduced) {
  const TensorView& of = view.view();
  const std::vector<int64_t> shape(of.shape, of.shape + of.rank);
  int64_t results = 1;
  for (const int64_t extent : Left(shape, reduced)) results *= extent;
  std::vector<std::vector<double>> groups(static_cast<size_t>(results));
  for (int64_t i = 0; i < view.count(); ++i) {
    int64_t rest = i, at = 0, step = 1;
    for (int d = of.rank - 1; d >= 0; --d) {
      if ((reduced >> d & 1) == 0) {
        at += rest % of.shape[d] * step;
        step *= of.shape[d];
      }
      rest /= of.shape[d];
    }
    groups[static_cast<size_t>(at)].push_back(view.Read(i));
  }
  return groups;
}

struct Expected {
  double value;
  double allowed;
};

Expected ExpectedOf(Fold fold, const std::vector<double>& elements, double exponent = 3) {
  double value = fold == Fold::kProduct || fold == Fold::kAll ? 1 : 0, size = 0;
  if (fold == Fold::kMax || fold == Fold::kMaxAbsolute) value = -kInfinity;
  if (fold == Fold::kMin || fold == Fold::kMinAbsolute) value = kInfinity;
  for (const double x : elements) {
    size += std::fabs(x);
    switch (fold) {
      case Fold::kProduct:
        value *= x;
        break;
      case Fold::kMax:
        value = std::isnan(value) || value > x ? value : x;
        break;
      case Fold::kMin:
        value = std::isnan(value) || value < x ? value : x;
        break;
      case Fold::kAny:
        value = value != 0 || x != 0 ? 1 : 0;
        break;
      case Fold::kAll:
        value = value != 0 && x != 0 ? 1 : 0;
        break;
      case Fold::kAbsoluteSum:
        value += std::fabs(x);
        break;
      case Fold::kSquares:
        value += x * x;
        break;
      case Fold::kPowers:
        value += std::pow(std::fabs(x), exponent);
        break;
      case Fold::kNonzeros:
        value += x != 0 ? 1 : 0;
        break;
      case Fold::kMaxAbsolute:
        value = std::isnan(value) || value > std::fabs(x) ? value : std::fabs(x);
        break;
      case Fold::kMinAbsolute:
        value = std::isnan(value) || value < std::fabs(x) ? value : std::fabs(x);
        break;
      case Fold::kSumOfNumbers:
        value += std::isnan(x) ? 0 : x;
        break;
      default:
        value += x;
    }
  }
  return {value, 4e-7 * size + 1e-9 * std::fabs(value)};
}

struct Case {
  std::vector<int64_t> shape;
  uint32_t reduced;
};
const Case kCases[] = {
    {{7}, 1},      {{1000}, 1},    {{3, 700}, 2},     {{700, 3}, 1},      {{40, 600}, 1},
    {{600, 5}, 2}, {{70, 33}, 2},  {{5, 6, 7, 8}, 5}, {{5, 6, 7, 8}, 10}, {{2, 3, 129}, 2},
    {{4, 4}, 3},   {{9, 11}, 0},   {{}, 0},           {{1, 50, 1, 3}, 2}, {{520, 70}, 1},
    {{16, 47}, 2}, {{6, 2051}, 2}, {{7, 1029}, 2},    {{1, 8209}, 2}};

TEST(Reduction, EveryFoldOfAnyView) {
  const int targets = EachTarget([&] {
    Random random(1);
    for (int f = 0; f < kFoldCount; ++f) {
      const auto fold = static_cast<Fold>(f);
      if (fold == Fold::kMoments || fold == Fold::kExponentials) continue;
      for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64,
                                DType::kInt32, DType::kBool, DType::kInt8}) {
        if (!IsFloating(dtype) && fold > Fold::kAll) continue;
        for (const Case& each : kCases) {
          const bool dense = random.Chance(0.6);
          TestView input(dtype, each.shape,
                         dense ? std::vector<int>() : AnyOrder(random, each.shape.size()),
                         dense ? 0 : random.Integer(0, 1));
          input.FillWhole(random, fold == Fold::kProduct ? 1 : 9);
          if (IsFloating(dtype) && input.count() > 4 && random.Chance(0.3)) {
            input.Write(random.Integer(0, input.count() - 1), std::nan(""));
          }
          const DType stored = IsFloating(dtype) ? DType::kFloat64 : DType::kInt64;
          const TestView output(stored, Left(each.shape, each.reduced), {}, random.Integer(0, 1));
          // Of one that takes roots, one that takes products, and two that take logarithms.
          const double exponents[] = {0.5, 3, 2.3, -1.5};
          const double exponent = exponents[random.Integer(0, 3)];
          Reduce({.fold = fold, .reduced = each.reduced, .number = exponent}, input.view(),
                 output.view(), {});
          const auto groups = GroupsOf(input, each.reduced);
          for (size_t i = 0; i < groups.size(); ++i) {
            const Expected expected = ExpectedOf(fold, groups[i], exponent);
            const double got = output.Read(static_cast<int64_t>(i));
            const bool both_nan = std::isnan(got) && std::isnan(expected.value);
            ASSERT_TRUE(both_nan || got == expected.value ||
                        std::fabs(got - expected.value) <= expected.allowed)
                << "fold " << f << ", " << NameOf(dtype) << ", result " << i << " of "
                << groups.size() << ": " << got << ", expected " << expected.value;
          }
          ASSERT_TRUE(output.SurroundingsIntact());
        }
      }
    }
  });
  EXPECT_GT(targets, 0);
}

void FindBest(Fold fold, uint32_t reduced, const TestView& input, const TestView& values,
              const TestView& places) {
  Reduce({.fold = fold,
          .reduced = reduced,
          .outputs = {Output{}, Output{.second = true}},
          .output_count = 2,
          .finds = true},
         input.view(), values.view(), places.view());
}

TEST(Reduction, FindsTheFirstOfTheBest) {
  EachTarget([] {
    Random random(2);
    for (int again = 0; again < 60; ++again) {
      const Fold fold = random.Chance(0.5) ? Fold::kMax : Fold::kMin;
      const int64_t most = again % 10 == 0 ? 9000 : 90;
      const std::vector<int64_t> shape = {random.Integer(1, 90), random.Integer(1, most)};
      const uint32_t reduced = most > 90 || random.Chance(0.5) ? 2 : 1;
      const DType dtypes[] = {DType::kFloat16, DType::kFloat32, DType::kInt64};
      const DType dtype = dtypes[random.Integer(0, 2)];
      TestView input(dtype, shape, AnyOrder(random, 2), random.Integer(0, 1));
      input.FillWhole(random, 5);
      // Few of the best, so that they are looked for far from the first element.
      const double few[] = {7, -7, std::nan(""), -kInfinity};
      for (int i = 0; i < 20; ++i) {
        const int64_t kind = random.Integer(0, dtype == DType::kInt64 ? 1 : 3);
        input.Write(random.Integer(0, input.count() - 1), few[kind]);
      }
      const TestView values(dtype, Left(shape, reduced)),
          places(DType::kInt32, Left(shape, reduced));
      FindBest(fold, reduced, input, values, places);
      const auto groups = GroupsOf(input, reduced);
      for (size_t i = 0; i < groups.size(); ++i) {
        const double best = ExpectedOf(fold, groups[i]).value;
        size_t first = 0;
        while (groups[i][first] != best && !(std::isnan(best) && std::isnan(groups[i][first]))) {
          ++first;
        }
        EXPECT_EQ(places.Read(static_cast<int64_t>(i)), static_cast<double>(first));
        EXPECT_TRUE(values.Read(static_cast<int64_t>(i)) == best || std::isnan(best));
      }
    }
  });
}

TEST(Reduction, TheValueIsTheElementThatIsFound) {
  EachTarget([] {
    Random random(8);
    for (const uint32_t reduced : {1, 2}) {
      for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat64}) {
        TestView input(dtype, {67, 70});
        for (int64_t i = 0; i < input.count(); ++i) input.Write(i, random.Chance(0.5) ? 0.0 : -0.0);
        const TestView values(DType::kFloat64, Left({67, 70}, reduced));
        const TestView places(DType::kInt64, Left({67, 70}, reduced));
        FindBest(Fold::kMax, reduced, input, values, places);
        const auto groups = GroupsOf(input, reduced);
        for (size_t i = 0; i < groups.size(); ++i) {
          EXPECT_EQ(places.Read(int64_t(i)), 0);
          EXPECT_EQ(std::signbit(values.Read(int64_t(i))), std::signbit(groups[i][0]));
        }
      }
    }
  });
}

// Variance and mean, and the logarithm of sums of exponentials, by their definitions.
void ToVariance(const Finishing& of, int64_t count, Slot* first, Slot* second) {
  const auto n = static_cast<double>(of.reduced);
  for (int64_t i = 0; i < count; ++i) {
    const double mean = first[i].real / n;
    first[i].real = second[i].real / n - mean * mean;
    second[i].real = mean + of.shift[i];
  }
}
void ToLogarithm(const Finishing& of, int64_t count, Slot* first, Slot*) {
  for (int64_t i = 0; i < count; ++i) first[i].real = std::log(first[i].real) + of.shift[i];
}

TEST(Reduction, FoldsWithAShift) {
  EachTarget([] {
    Random random(3);
    for (const Case& each : kCases) {
      TestView input(DType::kFloat32, each.shape,
                     random.Chance(0.6) ? std::vector<int>() : AnyOrder(random, each.shape.size()));
      const int64_t row = each.shape.empty() ? 1 : each.shape.back();
      for (int64_t i = 0; i < input.count(); ++i) {
        input.Write(i, static_cast<double>(1000 + 90 * (i / row % 4) + random.Integer(-9, 9)));
      }
      const std::vector<int64_t> left = Left(each.shape, each.reduced);
      const TestView variance(DType::kFloat64, left), mean(DType::kFloat64, left);
      const TestView logarithm(DType::kFloat64, left);
      Reduce({.fold = Fold::kMoments,
              .reduced = each.reduced,
              .outputs = {Output{}, Output{.second = true}},
              .output_count = 2,
              .finish = &ToVariance},
             input.view(), variance.view(), mean.view());
      Reduce({.fold = Fold::kExponentials, .reduced = each.reduced, .finish = &ToLogarithm},
             input.view(), logarithm.view(), {});
      const auto groups = GroupsOf(input, each.reduced);
      for (size_t i = 0; i < groups.size(); ++i) {
        double sum = 0, squares = 0, exponentials = 0;
        const auto n = static_cast<double>(groups[i].size());
        for (const double x : groups[i]) sum += x;
        for (const double x : groups[i]) {
          squares += (x - sum / n) * (x - sum / n);
          exponentials += std::exp(x - 1000);
        }
        EXPECT_NEAR(variance.Read(int64_t(i)), squares / n, 1e-9 * squares);
        EXPECT_NEAR(mean.Read(int64_t(i)), sum / n, 1e-9);
        EXPECT_NEAR(logarithm.Read(int64_t(i)), 1000 + std::log(exponentials), 1e-6);
      }
    }
  });
}

// The parts of this product and of this sum pass the largest double, and all of it does not.
TEST(Reduction, NeighboursOfDoublesAreNotFoldedApart) {
  EachTarget([] {
    for (const int64_t rows : {1, 5}) {
      for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
        TestView input(dtype, {rows, 2048});
        for (int64_t i = 0; i < input.count(); ++i) input.Write(i, i % 2048 < 1024 ? 8 : 0.125);
        const TestView products(DType::kFloat64, {rows});
        Reduce({.fold = Fold::kProduct, .reduced = 2}, input.view(), products.view(), {});
        for (int64_t r = 0; r < rows; ++r) EXPECT_EQ(products.Read(r), 1);
      }
      TestView input(DType::kFloat64, {rows, 2048});
      for (int64_t i = 0; i < input.count(); ++i)
        input.Write(i, i % 2048 < 1024 ? 0x1p1014 : -0x1p1014);
      const TestView sums(DType::kFloat64, {rows});
      Reduce({.reduced = 2}, input.view(), sums.view(), {});
      for (int64_t r = 0; r < rows; ++r) EXPECT_EQ(sums.Read(r), 0);
    }
  });
}

TEST(Reduction, EqualRowsHaveEqualResults) {
  EachTarget([] {
    Random random(7);
    std::vector<float> row(6000);
    for (float& element : row) element = static_cast<float>(random.Real(-0.3, 0.7));
    for (const int64_t rows : {2, 5, 23, 600}) {
      for (const int64_t count : {900, 1025, 5000}) {
        TestView input(DType::kFloat32, {rows, count});
        for (int64_t i = 0; i < input.count(); ++i) {
          input.Write(i, static_cast<double>(row[static_cast<size_t>(i % count)]));
        }
        const TestView sums(DType::kFloat64, {rows});
        Reduce({.reduced = 2}, input.view(), sums.view(), {});
        for (int64_t r = 1; r < rows; ++r) ASSERT_EQ(sums.Read(r), sums.Read(0)) << r;
      }
    }
  });
}

// A dimension in chunks gives what the whole gives, and the same bits with any team.
TEST(Reduction, LongDimensionsInChunks) {
  constexpr int64_t kCount = 300'007;
  Random random(4);
  for (const bool columns : {false, true}) {
    const std::vector<int64_t> shape =
        columns ? std::vector<int64_t>{kCount / 3, 3} : std::vector<int64_t>{2, kCount / 2};
    const uint32_t reduced = columns ? 1 : 2;
    TestView input(DType::kFloat32, shape);
    for (int64_t i = 0; i < input.count(); ++i) input.Write(i, std::sin(double(i) * 0.7) + 0.1);
    for (const Fold fold : {Fold::kSum, Fold::kMax, Fold::kMoments, Fold::kExponentials}) {
      const bool finds = fold == Fold::kMax;
      const bool two = finds || fold == Fold::kMoments;
      Request request = {.fold = fold,
                         .reduced = reduced,
                         .outputs = {Output{}, Output{.second = true}},
                         .output_count = two ? 2 : 1,
                         .finds = finds};
      if (fold == Fold::kMoments) request.finish = &ToVariance;
      if (fold == Fold::kExponentials) request.finish = &ToLogarithm;
      std::vector<double> bits;
      for (const int threads : {1, 2, 5}) {
        SetTeamSize(threads);
        const TestView first(DType::kFloat64, Left(shape, reduced));
        const TestView second(DType::kFloat64, Left(shape, reduced));
        Reduce(request, input.view(), first.view(), two ? second.view() : TensorView());
        const auto groups = GroupsOf(input, reduced);
        for (size_t i = 0; i < groups.size(); ++i) {
          const double got = first.Read(int64_t(i));
          if (threads == 1) {
            bits.push_back(got);
          } else {
            EXPECT_EQ(got, bits[i]);
          }
          if (fold == Fold::kSum) {
            const Expected expected = ExpectedOf(fold, groups[i]);
            EXPECT_NEAR(got, expected.value, expected.allowed);
          }
          if (finds) {
            EXPECT_EQ(groups[i][size_t(second.Read(int64_t(i)))], got);
          }
          if (fold == Fold::kMoments) {
            EXPECT_NEAR(got, 0.5, 1e-3);
          }
          if (fold == Fold::kExponentials) {
            double sum = 0;
            for (const double x : groups[i]) sum += std::exp(x);
            EXPECT_NEAR(got, std::log(sum), 1e-6);
          }
        }
      }
    }
  }
  SetTeamSize(0);
}

// A hundred million equal terms, one after the other in float32, would stop growing at 2^24 of
// them.
TEST(Reduction, AHundredMillionEqualTerms) {
  constexpr int64_t kRow = 100'000, kRows = 1000;
  const std::vector<float> row(kRow, 0.1f);
  TensorView view = {.data = const_cast<float*>(row.data()),
                     .dtype = DType::kFloat32,
                     .rank = 2,
                     .shape = {kRows, kRow},
                     .stride = {0, 1}};
  float sum = 0;
  const TensorView all = {.data = &sum, .dtype = DType::kFloat32};
  Reduce({.reduced = 3}, view, all, {});
  EXPECT_NEAR(sum, 1e8 * double{0.1f}, 1e7 * 3e-7);
  // And by columns.
  std::vector<float> sums(kRow);
  const TensorView columns = {
      .data = sums.data(), .dtype = DType::kFloat32, .rank = 1, .shape = {kRow}, .stride = {1}};
  Reduce({.reduced = 1}, view, columns, {});
  for (const float each : sums) ASSERT_NEAR(each, 1e3 * double{0.1f}, 1e2 * 3e-7);
}

}  // namespace
}  // namespace aclimb::reduction
