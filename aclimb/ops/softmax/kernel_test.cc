// The kernel on every instruction set, with rows that no drawn call has: longer than a chunk, and
// too many lines for a tile that stays in one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/core/half.h"
#include "aclimb/ops/softmax/cpu.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::softmax {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Shape {
  int64_t outer, length, inner;
};
constexpr Shape kShapes[] = {{3, 5, 1},    {2, 8192, 1}, {2, 8193, 1},  {1, 30000, 1}, {2, 7, 16},
                             {1, 100, 70}, {2, 129, 40}, {1, 300, 700}, {1, 9000, 17}};

std::vector<float> Numbers(int64_t count, uint32_t seed) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    // As every dtype has them.
    numbers.push_back(static_cast<float>(static_cast<int>(seed >> 24) - 128) / 32);
  }
  return numbers;
}

// The kernel's answer for float32 numbers that are stored in `dtype`.
std::vector<float> Answer(const Problem& given, const std::vector<float>& self,
                          const std::vector<float>& output, DType dtype) {
  const auto stored = [dtype](const std::vector<float>& values) {
    std::vector<char> bytes(values.size() * SizeOf(dtype));
    for (size_t i = 0; i < values.size(); ++i) {
      const uint16_t half =
          dtype == DType::kFloat16 ? ToFloat16(values[i]).bits : ToBFloat16(values[i]).bits;
      if (dtype == DType::kFloat32) {
        std::memcpy(&bytes[i * 4], &values[i], 4);
      } else {
        std::memcpy(&bytes[i * 2], &half, 2);
      }
    }
    return bytes;
  };
  const std::vector<char> x = stored(self), y = stored(output);
  std::vector<float> out(self.size(), -7.0f);
  Problem problem = given;
  problem.self = x.data();
  problem.output = y.data();
  problem.out = out.data();
  problem.in_dtype = dtype;
  EXPECT_TRUE(Solve(problem));
  // Rows that are cut into parts give the same bits.
  SetTeamSize(64);
  std::vector<Part> parts(static_cast<size_t>(PartCount(problem.layout, dtype)));
  SetTeamSize(0);
  const std::vector<float> whole = out;
  const auto expect_same = [&](const char* how) {
    std::fill(out.begin(), out.end(), -7.0f);
    EXPECT_TRUE(Solve(problem)) << how;
    EXPECT_EQ(std::memcmp(out.data(), whole.data(), out.size() * sizeof(float)), 0) << how;
  };
  // So do rows that keep their exponentials.
  if (const int64_t bytes = ExponentialBytes(problem); bytes > 0) {
    std::vector<float> kept(static_cast<size_t>(bytes) / sizeof(float));
    problem.exponentials = {.data = kept.data(), .count = 1, .bytes = bytes};
    expect_same("kept exponentials");
  }
  if (parts.empty()) return out;
  problem.parts = parts.data();
  expect_same("parts");
  return out;
}

std::vector<double> Expected(const Problem& problem, const std::vector<float>& x,
                             const std::vector<float>& y) {
  const rows::Layout& shape = problem.layout;
  std::vector<double> result(x.size());
  for (int64_t row = 0; row < shape.outer * shape.inner; ++row) {
    const int64_t from = row / shape.inner * shape.length * shape.inner + row % shape.inner;
    const auto at = [&](int64_t k) { return static_cast<size_t>(from + k * shape.inner); };
    double max = -HUGE_VAL, sum = 0;
    for (int64_t k = 0; k < shape.length; ++k) max = std::max(max, double(x[at(k)]));
    for (int64_t k = 0; k < shape.length; ++k) {
      const double g = x[at(k)];
      sum += !problem.gradient ? std::exp(g - max) : problem.logarithm ? g : g * double(y[at(k)]);
    }
    for (int64_t k = 0; k < shape.length; ++k) {
      const double v = x[at(k)], w = problem.gradient ? y[at(k)] : 0;
      if (problem.gradient) {
        result[at(k)] = problem.logarithm ? v - std::exp(w) * sum : (v - sum) * w;
      } else {
        result[at(k)] = problem.logarithm ? v - max - std::log(sum) : std::exp(v - max) / sum;
      }
    }
  }
  return result;
}

TEST(SoftmaxKernel, EveryShapeDTypeAndInstructionSet) {
  for (const Shape& shape : kShapes) {
    for (const int kind : {0, 1, 2, 3}) {
      Problem problem;
      problem.logarithm = kind % 2 != 0;
      problem.gradient = kind >= 2;
      problem.layout = {.outer = shape.outer, .length = shape.length, .inner = shape.inner};
      const int64_t count = shape.outer * shape.length * shape.inner;
      const std::vector<float> x = Numbers(count, 1), y = Numbers(count, 2);
      const std::vector<double> expected = Expected(problem, x, y);
      EachTarget([&] {
        for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
          SCOPED_TRACE(testing::Message()
                       << shape.outer << "x" << shape.length << "x" << shape.inner << " kind "
                       << kind << " dtype " << static_cast<int>(dtype));
          const std::vector<float> got = Answer(problem, x, y, dtype);
          for (size_t i = 0; i < got.size(); ++i) {
            // A gradient's terms are in proportion to the sum of a row.
            const double slack = problem.gradient ? 5e-5 * static_cast<double>(shape.length) : 2e-6;
            ASSERT_NEAR(got[i], expected[i], slack + 3e-6 * std::fabs(expected[i])) << i;
          }
        }
      });
    }
  }
}

TEST(SoftmaxKernel, TheTeamDoesNotMoveABit) {
  for (const Shape& shape : {Shape{300, 700, 1}, Shape{1, 300, 3000}}) {
    Problem problem;
    problem.layout = {.outer = shape.outer, .length = shape.length, .inner = shape.inner};
    const std::vector<float> x = Numbers(shape.outer * shape.length * shape.inner, 3);
    SetTeamSize(1);
    const std::vector<float> one = Answer(problem, x, x, DType::kFloat32);
    SetTeamSize(3);
    const std::vector<float> three = Answer(problem, x, x, DType::kFloat32);
    SetTeamSize(0);
    EXPECT_EQ(std::memcmp(one.data(), three.data(), one.size() * sizeof(float)), 0);
  }
}

// Gradients that are bfloat16 all through are those that are rounded in the end.
TEST(SoftmaxKernel, GradientsOfBFloat16) {
  for (const Shape& shape : kShapes) {
    if (shape.inner != 1) continue;
    const int64_t count = shape.outer * shape.length;
    std::vector<BFloat16> x, y;
    for (const float each : Numbers(count, 1)) x.push_back(ToBFloat16(each));
    for (const float each : Numbers(count, 2)) y.push_back(ToBFloat16(each));
    std::vector<float> wide(x.size());
    Problem problem;
    problem.gradient = true;
    problem.layout = {.outer = shape.outer, .length = shape.length};
    problem.self = x.data();
    problem.output = y.data();
    problem.in_dtype = DType::kBFloat16;
    EachTarget([&] {
      problem.out = wide.data();
      problem.out_dtype = DType::kFloat32;
      ASSERT_TRUE(Solve(problem));
      // In place.
      std::vector<BFloat16> out = x;
      problem.self = problem.out = out.data();
      problem.out_dtype = DType::kBFloat16;
      ASSERT_TRUE(Solve(problem));
      problem.self = x.data();
      for (size_t i = 0; i < wide.size(); ++i) {
        ASSERT_NEAR(ToFloat(out[i]), wide[i], std::fabs(wide[i]) / 256 + 1e-6) << i;
      }
    });
  }
}

// A mask hides elements with -inf: also all of a chunk, and all of a row.
TEST(SoftmaxKernel, MaskedElements) {
  for (const int64_t length : {100, 20000}) {
    for (const int64_t inner : {1, 16}) {
      Problem problem;
      problem.layout = {.outer = 1, .length = length, .inner = inner};
      std::vector<float> x(static_cast<size_t>(length * inner), -kInf);
      // Row 0 keeps its last two elements, the others none.
      x[static_cast<size_t>((length - 1) * inner)] = 2;
      x[static_cast<size_t>((length - 2) * inner)] = 2;
      for (const bool logarithm : {false, true}) {
        problem.logarithm = logarithm;
        const std::vector<float> got = Answer(problem, x, x, DType::kFloat32);
        EXPECT_EQ(got[0], logarithm ? -kInf : 0.0f);
        EXPECT_NEAR(got[static_cast<size_t>((length - 1) * inner)], logarithm ? std::log(0.5) : 0.5,
                    1e-6);
        if (inner > 1) {
          EXPECT_TRUE(std::isnan(got[1])) << "softmax of -inf alone";
        }
      }
    }
  }
}

// A NaN is found among -inf that a long row skips.
TEST(SoftmaxKernel, NaNMakesTheRowNaN) {
  for (const int64_t length : {100, 20000}) {
    Problem problem;
    problem.layout = {.outer = 1, .length = length, .inner = 1};
    std::vector<float> x(static_cast<size_t>(length), -kInf);
    x[3] = std::nanf("");
    x.back() = 1;
    for (const bool logarithm : {false, true}) {
      problem.logarithm = logarithm;
      for (const float value : Answer(problem, x, x, DType::kFloat32)) {
        ASSERT_TRUE(std::isnan(value));
      }
    }
  }
}

// Large numbers of both signs are shifted before they are raised.
TEST(SoftmaxKernel, LargeNumbersDoNotOverflow) {
  Problem problem;
  problem.layout = {.outer = 1, .length = 3, .inner = 1};
  const std::vector<float> got = Answer(problem, {3e38f, -3e38f, 3e38f}, {}, DType::kFloat32);
  EXPECT_EQ(got[0], 0.5f);
  EXPECT_EQ(got[1], 0.0f);
  EXPECT_EQ(got[2], 0.5f);
}

}  // namespace
}  // namespace aclimb::softmax
