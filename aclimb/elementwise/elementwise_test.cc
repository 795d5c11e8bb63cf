// What the family shares, on every instruction set, with formulas of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "aclimb/contract/promotion.h"
#include "aclimb/copy/test_view.h"
#include "aclimb/core/divide.h"
#include "aclimb/elementwise/problem.h"
#include "aclimb/elementwise/test_formulas.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::elementwise::testing {
namespace {

using aclimb::testing::AnyOrder;
using aclimb::testing::AsElement;
using aclimb::testing::kStorageDTypes;
using aclimb::testing::Random;
using aclimb::testing::TestView;

using Views = std::vector<const TestView*>;

constexpr double kFactor = 2;

void Compute(TestFormula formula, DType promoted, const std::vector<TensorView>& inputs,
             const TensorView& output) {
  Addresses addresses;
  for (size_t n = 0; n < inputs.size(); ++n) addresses.input[n] = inputs[n].data;
  addresses.output = output.data;
  Problem problem(TestFormulaOf(formula), inputs, output, promoted);
  problem.SetAttributes(Attributes{kFactor});
  Solve(problem, addresses);
}

void Compute(TestFormula formula, DType promoted, const Views& inputs, const TestView& output) {
  std::vector<TensorView> views;
  for (const TestView* input : inputs) views.push_back(input->view());
  Compute(formula, promoted, views, output.view());
}

DType Promoted(DType a, DType b) { return contract::PromoteTensors(a, b).value(); }

bool IsOneOf(DType dtype, std::initializer_list<DType> all) {
  return std::find(all.begin(), all.end(), dtype) != all.end();
}

// The element of an input that meets element `i` of the output, when it is broadcast.
double Met(const TestView& input, const TestView& output, int64_t i) {
  const TensorView& all = output.view();
  const TensorView& view = input.view();
  int64_t at = 0, step = 1;
  for (int d = all.rank - 1; d >= 0; --d) {
    const int own = d - (all.rank - view.rank);
    const int64_t index = i % all.shape[d];
    i /= all.shape[d];
    if (own < 0) continue;
    at += (view.shape[own] == 1 ? 0 : index) * step;
    step *= view.shape[own];
  }
  return input.Read(at);
}

// Those that meet all elements.
std::vector<double> AllMet(const TestView& input, const TestView& output) {
  const TensorView& a = input.view();
  const TensorView& b = output.view();
  if (std::equal(a.shape, a.shape + a.rank, b.shape, b.shape + b.rank)) return input.Values();
  std::vector<double> met;
  for (int64_t i = 0; i < output.count(); ++i) met.push_back(Met(input, output, i));
  return met;
}

// factor * x + y of small whole numbers: exact in every dtype but for what wraps.
double ScaledSumTruth(DType promoted, DType output, double x, double y) {
  const DType compute = promoted == DType::kBool ? DType::kFloat32 : promoted;
  const double sum = kFactor * AsElement(compute, x) + AsElement(compute, y);
  return AsElement(output, AsElement(compute, sum));
}

void ExpectScaledSum(const TestView& x, const TestView& y, const TestView& out) {
  const DType promoted = Promoted(x.view().dtype, y.view().dtype);
  Compute(kScaledSum, promoted, {&x, &y}, out);
  const std::vector<double> got = out.Values(), of_x = AllMet(x, out), of_y = AllMet(y, out);
  for (size_t i = 0; i < got.size(); ++i) {
    const double expected = ScaledSumTruth(promoted, out.view().dtype, of_x[i], of_y[i]);
    if (got[i] == expected) continue;
    ASSERT_EQ(got[i], expected) << NameOf(x.view().dtype) << " and " << NameOf(y.view().dtype)
                                << " to " << NameOf(out.view().dtype) << " at " << i << " of "
                                << out.count();
  }
  ASSERT_TRUE(out.SurroundingsIntact());
}

// A mask whose bytes are any, half of them 0.
TestView AnyMask(Random& random, const std::vector<int64_t>& shape, std::vector<int> order = {}) {
  TestView mask(DType::kBool, shape, std::move(order));
  for (int64_t i = 0; i < mask.count(); ++i) {
    *mask.At(i) = static_cast<char>(random.Chance(0.5) ? 0 : random.Integer(1, 255));
  }
  return mask;
}

void ExpectChosen(const TestView& mask, const TestView& x, const TestView& y, const TestView& out) {
  const DType promoted = Promoted(x.view().dtype, y.view().dtype), dtype = out.view().dtype;
  Compute(kChoose, promoted, {&mask, &x, &y}, out);
  const std::vector<double> got = out.Values(), chooses = mask.Values();
  const std::vector<double> of_x = x.Values(), of_y = y.Values();
  for (size_t i = 0; i < got.size(); ++i) {
    const double chosen = AsElement(promoted, chooses[i] != 0 ? of_x[i] : of_y[i]);
    ASSERT_EQ(got[i], AsElement(dtype, chosen))
        << NameOf(promoted) << " to " << NameOf(dtype) << " at " << i << " of " << out.count();
  }
  ASSERT_TRUE(out.SurroundingsIntact());
}

TEST(Elementwise, EveryDTypeOfInputsAndOutput) {
  EachTarget([] {
    Random random(1);
    for (const DType a : kStorageDTypes) {
      for (const DType b : kStorageDTypes) {
        for (const DType c : kStorageDTypes) {
          TestView x(a, {77}), y(b, {77});
          x.FillWhole(random);
          y.FillWhole(random);
          ExpectScaledSum(x, y, TestView(c, {77}));
        }
      }
    }
  });
}

TEST(Elementwise, EveryLengthInEachComputedDType) {
  EachTarget([] {
    Random random(2);
    for (const DType dtype : kStorageDTypes) {
      for (int64_t count = 1; count < 140; ++count) {
        TestView x(dtype, {count}), y(dtype, {count});
        x.FillWhole(random);
        y.FillWhole(random);
        ExpectScaledSum(x, y, TestView(dtype, {count}));
        ExpectChosen(AnyMask(random, {count}), x, y, TestView(dtype, {count}));
      }
    }
  });
}

struct Shapes {
  std::vector<int64_t> x, y, out;
};

TEST(Elementwise, Broadcasting) {
  const Shapes all[] = {{{}, {}, {}},
                        {{1}, {300}, {300}},
                        {{300}, {}, {300}},
                        {{5000, 1}, {3}, {5000, 3}},
                        {{700, 3}, {3}, {700, 3}},
                        {{40, 1}, {1, 130}, {40, 130}},
                        {{40, 130}, {130}, {40, 130}},
                        {{40, 130}, {40, 1}, {40, 130}},
                        {{2, 3, 1, 5}, {4, 1}, {2, 3, 4, 5}},
                        {{2, 1, 2, 1, 2, 1, 2, 3}, {2, 1, 2, 1, 3}, {2, 1, 2, 2, 2, 2, 2, 3}},
                        {{1, 1}, {1, 1, 1}, {2, 70, 6}},
                        {{9000}, {9000}, {3, 9000}}};
  EachTarget([&all] {
    Random random(3);
    for (const Shapes& shapes : all) {
      for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kInt64, DType::kInt8}) {
        TestView x(dtype, shapes.x), y(DType::kInt8, shapes.y);
        x.FillWhole(random);
        y.FillWhole(random);
        ExpectScaledSum(x, y, TestView(dtype, shapes.out));
        ExpectScaledSum(y, x, TestView(DType::kFloat64, shapes.out));
      }
    }
  });
}

// Also those below, at and above the edges of tiles; each combination of transposed operands.
TEST(Elementwise, TransposedViewsOfEveryWidth) {
  EachTarget([] {
    Random random(4);
    for (const DType dtype :
         {DType::kInt8, DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
      for (const auto& [rows, columns] :
           {std::pair<int64_t, int64_t>{3, 70}, {67, 130}, {5, 4}, {128, 256}, {130, 270}}) {
        for (unsigned mask = 0; mask < 8; ++mask) {
          const auto order = [&](unsigned bit) {
            return (mask >> bit & 1) != 0 ? std::vector<int>{0, 2, 1} : std::vector<int>{0, 1, 2};
          };
          const std::vector<int64_t> shape = {2, rows, columns};
          // One of them is converted, too.
          TestView x(dtype, shape, order(0)), y(DType::kInt8, shape, order(1));
          x.FillWhole(random);
          y.FillWhole(random);
          ExpectScaledSum(x, y, TestView(dtype, shape, order(2)));
          ExpectScaledSum(x, x, TestView(dtype, shape, order(2)));
          TestView z(dtype, shape);
          z.FillWhole(random);
          ExpectChosen(AnyMask(random, shape, order(1)), x, z, TestView(dtype, shape, order(2)));
        }
      }
    }
  });
}

TEST(Elementwise, ThreeInputsOneOfThemRepeatedInTiles) {
  EachTarget([] {
    Random random(5);
    const std::vector<int64_t> shape = {150, 140};
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      for (const std::vector<int64_t>& last :
           {std::vector<int64_t>{150, 140}, {140}, {150, 1}, {}}) {
        TestView x(dtype, shape, {1, 0}), y(dtype, shape, {1, 0});
        TestView z(dtype, last, last.size() == 2 ? std::vector<int>{1, 0} : std::vector<int>{});
        x.FillWhole(random, 8);
        y.FillWhole(random, 8);
        z.FillWhole(random, 8);
        const TestView out(dtype, shape);
        Compute(kWeighted, dtype, {&x, &y, &z}, out);
        for (int64_t i = 0; i < out.count(); ++i) {
          ASSERT_EQ(out.Read(i), x.Read(i) + y.Read(i) * Met(z, out, i)) << i;
        }
        ASSERT_TRUE(out.SurroundingsIntact());
      }
    }
  });
}

// Any shape, order of dimensions, gaps, repeats and dtypes, by teams of one to three, which agree.
TEST(Elementwise, RandomProblems) {
  Random random(6);
  const int64_t extents[] = {1, 1, 2, 3, 4, 5, 17, 66};
  for (int round = 0; round < 400; ++round) {
    const auto rank = static_cast<size_t>(random.Integer(0, 4));
    std::vector<int64_t> shape;
    while (shape.size() < rank) shape.push_back(extents[random.Integer(0, 7)]);
    const auto input = [&] {
      std::vector<int64_t> own = shape;
      for (int64_t& extent : own) extent = random.Chance(0.2) ? 1 : extent;
      if (random.Chance(0.2) && !own.empty()) own.erase(own.begin());
      const auto repeated = random.Chance(0.2) ? static_cast<unsigned>(random.Integer(0, 15)) : 0u;
      TestView view(kStorageDTypes[random.Integer(0, 9)], own, AnyOrder(random, own.size()),
                    random.Integer(0, 1), repeated);
      view.FillWhole(random);
      return view;
    };
    const TestView x = input(), y = input();
    const DType dtype = kStorageDTypes[random.Integer(0, 9)];
    const std::vector<int> order = AnyOrder(random, rank);
    const int64_t gap = random.Integer(0, 1);
    std::vector<char> first;
    for (const int team : {1, 2, 3}) {
      SetTeamSize(team);
      const TestView out(dtype, shape, order, gap);
      ExpectScaledSum(x, y, out);
      if (HasFatalFailure()) FAIL() << "in round " << round;
      if (first.empty()) first = out.memory();
      ASSERT_EQ(first, out.memory()) << "in round " << round;
    }
  }
  SetTeamSize(0);
}

TEST(Elementwise, LongProblemsDoNotDependOnTheTeam) {
  Random random(7);
  const std::vector<int64_t> shape = {600, 1001};
  for (const std::vector<int>& order : {std::vector<int>{0, 1}, {1, 0}}) {
    for (const DType out_dtype : {DType::kFloat32, DType::kFloat64}) {
      TestView x(DType::kFloat32, shape, order);
      for (int64_t i = 0; i < x.count(); ++i) x.Write(i, random.Real(-9, 9));
      std::vector<char> first;
      for (const int team : {1, 2, 3, 5}) {
        SetTeamSize(team);
        const TestView out(out_dtype, shape);
        Compute(kThird, DType::kFloat32, {&x}, out);
        if (first.empty()) first = out.memory();
        ASSERT_EQ(first, out.memory()) << team;
      }
    }
  }
  SetTeamSize(0);
}

TensorView Matrix(void* data, DType dtype, int64_t rows, int64_t columns, bool transposed) {
  TensorView view;
  view.data = data;
  view.dtype = dtype;
  view.rank = 2;
  view.shape[0] = rows;
  view.shape[1] = columns;
  view.stride[0] = transposed ? 1 : columns;
  view.stride[1] = transposed ? rows : 1;
  return view;
}

// Longer than the last-level cache, from any byte of a cache line; by rows and by tiles.
TEST(Elementwise, OutputsBeyondTheCacheAreWritten) {
  constexpr int64_t kMost = int64_t{256} << 20;
  if (LastLevelCacheBytes() > kMost) GTEST_SKIP() << "seven operands of that size";
  const int64_t rows = 1003, columns = LastLevelCacheBytes() / 2 / rows + 65;
  const auto count = static_cast<size_t>(rows * columns);
  constexpr char kPoison = 0x3C;
  constexpr size_t kLine = 64;
  std::vector<BFloat16> x(count), turned(count), y(count, ToBFloat16(0.5f)), expected(count);
  std::vector<BFloat16> chosen(count);
  std::vector<uint8_t> mask(count);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const auto at = static_cast<size_t>(r * columns + c);
      const auto value = static_cast<float>((3 * r + 5 * c) % 7 - 3);
      x[at] = turned[static_cast<size_t>(c * rows + r)] = ToBFloat16(value);
      expected[at] = ToBFloat16(static_cast<float>(kFactor) * value + 0.5f);
      mask[at] = static_cast<uint8_t>((r + c) % 3);
      chosen[at] = mask[at] != 0 ? x[at] : y[at];
    }
  }
  const auto matrix = [&](std::vector<BFloat16>& data, bool transposed) {
    return Matrix(data.data(), DType::kBFloat16, rows, columns, transposed);
  };
  const size_t bytes = count * sizeof(BFloat16);
  std::vector<char> memory(3 * kLine + bytes);
  char* const line = memory.data() +
                     RoundUp(reinterpret_cast<uintptr_t>(memory.data()) + 1, kLine) -
                     reinterpret_cast<uintptr_t>(memory.data());
  for (const auto& [transposed, shift] :
       {std::pair{false, 0}, {false, 2}, {false, 62}, {false, 1}, {true, 2}}) {
    char* const out = line + shift;
    const TensorView to = Matrix(out, DType::kBFloat16, rows, columns, false);
    const TensorView of_x = matrix(transposed ? turned : x, transposed), of_y = matrix(y, false);
    const TensorView of_mask = Matrix(mask.data(), DType::kBool, rows, columns, false);
    for (const bool chooses : {false, true}) {
      std::fill(memory.begin(), memory.end(), kPoison);
      if (chooses) {
        Compute(kChoose, DType::kBFloat16, {of_mask, of_x, of_y}, to);
      } else {
        Compute(kScaledSum, DType::kBFloat16, {of_x, of_y}, to);
      }
      EXPECT_EQ(std::memcmp(out, (chooses ? chosen : expected).data(), bytes), 0)
          << transposed << ' ' << shift << ' ' << chooses;
      EXPECT_EQ(out[-1], kPoison);
      EXPECT_EQ(out[bytes], kPoison);
    }
  }
}

// Whatever their strides, views that run through memory together are one run.
TEST(Elementwise, EquallyPermutedViewsAreShared) {
  const auto problem_of = [](int64_t size, bool in, bool out, DType dtype = DType::kFloat32) {
    const TensorView input = Matrix(nullptr, DType::kFloat32, size, size, in);
    const TensorView both[] = {input, input};
    return Problem(TestFormulaOf(kScaledSum), both, Matrix(nullptr, dtype, size, size, out),
                   DType::kFloat32);
  };
  const double of_row = problem_of(kShortRow, false, false).cycles / kShortRow;
  const auto size_of = [&](double cycles) {
    return static_cast<int64_t>(std::sqrt(cycles * kShortRow / of_row));
  };
  const int64_t size = size_of((kSharedCycles + kTeamCycles) / 2);
  EXPECT_TRUE(problem_of(size, false, false).is_shared);
  EXPECT_TRUE(problem_of(size, true, true).is_shared);
  EXPECT_FALSE(problem_of(size, true, false).is_shared);
  EXPECT_FALSE(problem_of(size, false, false, DType::kFloat64).is_shared);
  EXPECT_FALSE(problem_of(size_of(0.9 * kSharedCycles), false, false).is_shared);
  EXPECT_FALSE(problem_of(size_of(1.1 * kTeamCycles), false, false).is_shared) << "for a team";
}

TEST(Elementwise, InPlaceOnEitherInput) {
  EachTarget([] {
    Random random(8);
    for (const DType dtype : kStorageDTypes) {
      for (const std::vector<int>& order : {std::vector<int>{0, 1}, {1, 0}}) {
        for (const int64_t gap : {0, 1}) {
          for (const bool on_first : {true, false}) {
            const std::vector<int64_t> shape = {70, 90};
            TestView x(dtype, shape, order, gap), y(dtype, shape);
            x.FillWhole(random);
            y.FillWhole(random);
            std::vector<double> expected;
            for (int64_t i = 0; i < x.count(); ++i) {
              const double a = x.Read(i), b = y.Read(i);
              expected.push_back(on_first ? ScaledSumTruth(dtype, dtype, a, b)
                                          : ScaledSumTruth(dtype, dtype, b, a));
            }
            Compute(kScaledSum, dtype, on_first ? Views{&x, &y} : Views{&y, &x}, x);
            for (int64_t i = 0; i < x.count(); ++i) {
              ASSERT_EQ(x.Read(i), expected[static_cast<size_t>(i)]) << NameOf(dtype) << ' ' << i;
            }
            ASSERT_TRUE(x.SurroundingsIntact());
          }
        }
      }
    }
  });
}

TEST(Elementwise, ComparisonsGiveABoolOfEveryDType) {
  EachTarget([] {
    Random random(9);
    for (const DType dtype : kStorageDTypes) {
      for (const DType out_dtype : {DType::kBool, DType::kFloat32, DType::kInt64}) {
        TestView x(dtype, {5, 70}), y(dtype, {70});
        x.FillWhole(random, 3);
        y.FillWhole(random, 3);
        const TestView out(out_dtype, {5, 70});
        Compute(kLess, dtype, {&x, &y}, out);
        for (int64_t i = 0; i < out.count(); ++i) {
          ASSERT_EQ(out.Read(i), x.Read(i) < Met(y, out, i) ? 1 : 0) << NameOf(dtype) << ' ' << i;
        }
        ASSERT_TRUE(out.SurroundingsIntact());
      }
    }
  });
}

TEST(Elementwise, ComparisonsAreExactAndKnowNaN) {
  const int64_t big = int64_t{1} << 60;
  TestView x(DType::kInt64, {2}), y(DType::kInt64, {2});
  std::memcpy(x.At(0), (const int64_t[]){big, big + 1}, 16);
  std::memcpy(y.At(0), (const int64_t[]){big + 1, big}, 16);
  const TestView out(DType::kBool, {2});
  Compute(kLess, DType::kInt64, {&x, &y}, out);
  EXPECT_EQ(out.Read(0), 1);
  EXPECT_EQ(out.Read(1), 0);

  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kFloat64}) {
    TestView a(dtype, {3}), b(dtype, {3});
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    const double left[] = {nan, 1, -inf}, right[] = {1, nan, inf};
    for (int64_t i = 0; i < 3; ++i) {
      a.Write(i, left[i]);
      b.Write(i, right[i]);
    }
    const TestView truth(DType::kBool, {3});
    Compute(kLess, dtype, {&a, &b}, truth);
    EXPECT_EQ(truth.Read(0), 0);
    EXPECT_EQ(truth.Read(1), 0);
    EXPECT_EQ(truth.Read(2), 1);
  }
}

TEST(Elementwise, SpecialValuesPassAndConvert) {
  EachTarget([] {
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    for (const DType dtype :
         {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
      TestView x(dtype, {50}), y(dtype, {50});
      for (int64_t i = 0; i < 50; ++i) {
        x.Write(i, i % 3 == 0 ? nan : i % 3 == 1 ? inf : -inf);
        y.Write(i, i % 2 == 0 ? 1 : inf);
      }
      const TestView same(dtype, {50}), truth(DType::kBool, {50});
      Compute(kScaledSum, dtype, {&x, &y}, same);
      Compute(kScaledSum, dtype, {&x, &y}, truth);
      for (int64_t i = 0; i < 50; ++i) {
        const double expected = kFactor * x.Read(i) + y.Read(i);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(same.Read(i))) << i;
        } else {
          ASSERT_EQ(same.Read(i), expected) << i;
        }
        ASSERT_EQ(truth.Read(i), 1) << i;
      }
    }
  });
}

// A third has no end in any of the types.
TEST(Elementwise, HalfResultsAreRoundedToTheirTypeBeforeTheyAreConverted) {
  EachTarget([] {
    for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
      TestView x(dtype, {40});
      for (int64_t i = 0; i < 40; ++i) x.Write(i, static_cast<double>(i));
      const TestView narrow(dtype, {40}), wide(DType::kFloat64, {40}),
          single(DType::kFloat32, {40});
      for (const TestView* out : {&narrow, &wide, &single}) Compute(kThird, dtype, {&x}, *out);
      for (int64_t i = 0; i < 40; ++i) {
        ASSERT_NEAR(wide.Read(i), static_cast<double>(i) / 3, static_cast<double>(i) * 3e-3);
        ASSERT_EQ(wide.Read(i), narrow.Read(i));
        ASSERT_EQ(single.Read(i), narrow.Read(i));
      }
    }
  });
}

// The formula knows no integers: it computes in float32, and 2 / 3 is not 0.
TEST(Elementwise, IntegersThatAFormulaLacksAreComputedInFloat) {
  for (const DType dtype : kStorageDTypes) {
    if (IsOneOf(dtype, {DType::kFloat16, DType::kBFloat16, DType::kFloat64})) continue;
    TestView x(dtype, {1});
    x.Write(0, 2);
    const TestView out(DType::kFloat32, {1});
    Compute(kThird, dtype, {&x}, out);
    EXPECT_EQ(out.Read(0), static_cast<double>((dtype == DType::kBool ? 1.0f : 2.0f) / 3.0f));
  }
}

}  // namespace
}  // namespace aclimb::elementwise::testing
