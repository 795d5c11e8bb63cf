// The kernel alone, on every instruction set of this processor, against truth.h.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "aclimb/core/half.h"
#include "aclimb/elementwise/problem.h"
#include "aclimb/ops/elu_backward/formulas.h"
#include "aclimb/ops/elu_backward/truth.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::elu_backward {
namespace {

using aclimb::testing::Near;
using aclimb::testing::Random;

TensorView Vector(void* data, DType dtype, int64_t count) {
  TensorView view;
  view.data = data;
  view.dtype = dtype;
  view.rank = 1;
  view.shape[0] = count;
  view.stride[0] = 1;
  return view;
}

template <typename T>
constexpr DType kDType = DType::kFloat32;
template <>
constexpr DType kDType<Float16> = DType::kFloat16;
template <>
constexpr DType kDType<BFloat16> = DType::kBFloat16;

constexpr Attributes kScaled = {.alpha = 1.5f, .scale = 2.0f, .input_scale = 0.5f};
// As ELU itself, without the multiplications by scales.
constexpr Attributes kPlain = {.alpha = 1.5f, .scale = 1, .input_scale = 1};

void Solve(const TensorView& grad, const TensorView& value, const TensorView& out,
           bool is_result = false, const Attributes& attributes = kScaled) {
  const TensorView inputs[] = {grad, value};
  elementwise::Problem problem(FormulaOf(attributes, is_result), inputs, out, grad.dtype);
  problem.SetAttributes(attributes);
  elementwise::Solve(problem, {.input = {grad.data, value.data}, .output = out.data});
}

template <typename T>
std::vector<T> Compute(const std::vector<T>& grad, const std::vector<T>& value, bool is_result,
                       const Attributes& attributes = kScaled) {
  std::vector<T> out(grad.size());
  std::memset(static_cast<void*>(out.data()), 0xC3, out.size() * sizeof(T));
  const auto count = static_cast<int64_t>(grad.size());
  Solve(Vector(const_cast<T*>(grad.data()), kDType<T>, count),
        Vector(const_cast<T*>(value.data()), kDType<T>, count),
        Vector(out.data(), kDType<T>, count), is_result, attributes);
  return out;
}

template <typename T>
void ExpectTruth(double relative, double absolute) {
  Random random(1);
  std::vector<T> grad, value;
  for (int i = 0; i < 70001; ++i) {
    grad.push_back(FromFloat<T>(static_cast<float>(random.Real(-4, 4))));
    value.push_back(FromFloat<T>(static_cast<float>(random.Real(-30, 3))));
  }
  for (const Attributes& a : {kScaled, kPlain}) {
    for (bool is_result : {false, true}) {
      const std::vector<T> out = Compute(grad, value, is_result, a);
      std::vector<double> got, expected;
      for (size_t i = 0; i < out.size(); ++i) {
        got.push_back(ToFloat(out[i]));
        expected.push_back(
            Truth(ToFloat(grad[i]), ToFloat(value[i]), a.alpha, a.scale, a.input_scale, is_result));
      }
      EXPECT_TRUE(Near(got, expected, {relative, absolute}));
    }
  }
}

TEST(EluBackwardKernel, EveryTargetMeetsTheTruth) {
  const int targets = EachTarget([] {
    ExpectTruth<float>(1e-6, 1e-6);
    ExpectTruth<Float16>(5e-4, 1e-7);
    ExpectTruth<BFloat16>(4e-3, 1e-7);
  });
  EXPECT_GE(targets, 1);
}

// Lanes above 88, whose exp is nobody's business, take the other branch; so does NaN. Below -104 it
// is zero.
template <typename T>
void ExpectEndsOfPlain() {
  const float infinity = HUGE_VALF;
  const float ends[] = {infinity, -infinity, std::nanf(""), 88.5f, 89,     1e4f, 60000, -88,
                        -103,     -104,      -105,          -1e4f, -60000, 0,    -0.0f, 1};
  std::vector<T> grad, value;
  for (int i = 0; i < 3 * 64 + 5; ++i) {
    grad.push_back(FromFloat<T>(static_cast<float>(i % 5 - 2)));
    value.push_back(FromFloat<T>(ends[i % 16]));
  }
  const std::vector<T> out = Compute(grad, value, false, kPlain);
  for (size_t i = 0; i < out.size(); ++i) {
    const double expected = Truth(ToFloat(grad[i]), ToFloat(value[i]), kPlain.alpha, 1, 1, false);
    EXPECT_NEAR(ToFloat(out[i]), expected, 4e-3 * std::fabs(expected) + 1e-7) << ends[i % 16];
  }
}

TEST(EluBackwardKernel, PlainAtTheEnds) {
  EachTarget([] {
    ExpectEndsOfPlain<float>();
    ExpectEndsOfPlain<Float16>();
    ExpectEndsOfPlain<BFloat16>();
  });
}

// A [planes, rows, columns] view whose memory runs along rows.
TensorView Transposed(void* data, DType dtype, int64_t planes, int64_t rows, int64_t columns) {
  TensorView view;
  view.data = data;
  view.dtype = dtype;
  view.rank = 3;
  view.shape[0] = planes;
  view.shape[1] = rows;
  view.shape[2] = columns;
  view.stride[0] = rows * columns;
  view.stride[1] = 1;
  view.stride[2] = rows;
  return view;
}

// Sizes below, at and above the edges of a tile and of a band; each combination of transposed
// operands.
template <typename T>
void ExpectTilesMatchTruth(double relative) {
  Random random(3);
  for (const auto& [rows, columns] :
       {std::pair<int64_t, int64_t>{3, 70}, {64, 64}, {67, 130}, {5, 4}, {128, 256}, {130, 2200}}) {
    const int64_t planes = 2;
    const auto count = static_cast<size_t>(planes * rows * columns);
    std::vector<T> grad(count), value(count);
    for (size_t i = 0; i < count; ++i) {
      grad[i] = FromFloat<T>(static_cast<float>(random.Real(-4, 4)));
      value[i] = FromFloat<T>(static_cast<float>(random.Real(-4, 3)));
    }
    for (int mask = 0; mask < 8; ++mask) {
      std::vector<T> out(count);
      std::memset(static_cast<void*>(out.data()), 0xC3, count * sizeof(T));
      void* data[3] = {grad.data(), value.data(), out.data()};
      TensorView view[3];
      for (int n = 0; n < 3; ++n) {
        view[n] = Transposed(data[n], kDType<T>, planes, rows, columns);
        if ((mask >> n & 1) != 0) continue;
        view[n].stride[1] = columns;
        view[n].stride[2] = 1;
      }
      Solve(view[0], view[1], view[2]);
      std::vector<double> got, expected;
      for (int64_t i = 0; i < planes * rows * columns; ++i) {
        const int64_t index[3] = {i / (rows * columns), i / columns % rows, i % columns};
        const auto at = [&](int n) {
          int64_t offset = 0;
          for (int d = 0; d < 3; ++d) offset += index[d] * view[n].stride[d];
          return static_cast<double>(ToFloat(static_cast<T*>(data[n])[offset]));
        };
        got.push_back(at(2));
        expected.push_back(Truth(at(0), at(1), 1.5f, 2.0f, 0.5f, false));
      }
      ASSERT_TRUE(Near(got, expected, {relative, 1e-6})) << rows << 'x' << columns << ' ' << mask;
    }
  }
}

TEST(EluBackwardKernel, TransposedViewsOnEveryTarget) {
  EachTarget([] {
    ExpectTilesMatchTruth<float>(1e-6);
    ExpectTilesMatchTruth<Float16>(5e-4);
    ExpectTilesMatchTruth<BFloat16>(4e-3);
  });
}

// The dimension that an input runs along is not next to the inner one, and two others are outside.
TEST(EluBackwardKernel, TransposedViewsOfManyDimensions) {
  const int64_t extent[] = {2, 140, 4, 5};
  const int64_t count = 2 * 140 * 4 * 5;
  Random random(5);
  std::vector<float> grad(count), value(count), out(count, NAN);
  for (float& g : grad) g = static_cast<float>(random.Real(-4, 4));
  for (float& v : value) v = static_cast<float>(random.Real(-4, 3));
  TensorView view[3];
  float* const data[3] = {grad.data(), value.data(), out.data()};
  for (int n = 0; n < 3; ++n) {
    view[n].data = data[n];
    view[n].dtype = DType::kFloat32;
    view[n].rank = 4;
    // The gradient's second dimension is the inner one in memory.
    const int64_t packed[] = {2800, 20, 5, 1}, turned[] = {2800, 1, 140, 560};
    for (int d = 0; d < 4; ++d) {
      view[n].shape[d] = extent[d];
      view[n].stride[d] = n == 0 ? turned[d] : packed[d];
    }
  }
  Solve(view[0], view[1], view[2]);
  std::vector<double> got, expected;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index[] = {i / 2800, i / 20 % 140, i / 5 % 4, i % 5};
    int64_t at = 0;
    for (int d = 0; d < 4; ++d) at += index[d] * view[0].stride[d];
    got.push_back(out[static_cast<size_t>(i)]);
    expected.push_back(Truth(grad[static_cast<size_t>(at)], value[static_cast<size_t>(i)], 1.5f,
                             2.0f, 0.5f, false));
  }
  EXPECT_TRUE(Near(got, expected, {1e-6, 1e-6}));
}

// Longer than the last-level cache, at every alignment of the first element.
TEST(EluBackwardKernel, OutputsBeyondTheCacheAreStreamedWhole) {
  const int64_t count = LastLevelCacheBytes() / 2 + 1001;
  std::vector<BFloat16> memory(static_cast<size_t>(3 * count) + 64, BFloat16{0x3F00});
  for (int64_t shift : {0, 1, 31}) {
    BFloat16* const out = memory.data() + 2 * count + 20 + shift;
    std::fill(memory.begin() + 2 * count, memory.end(), BFloat16{0xC3C3});
    Solve(Vector(memory.data() + shift, DType::kBFloat16, count),
          Vector(memory.data() + count, DType::kBFloat16, count),
          Vector(out, DType::kBFloat16, count));
    EXPECT_EQ(out[-1].bits, 0xC3C3);
    EXPECT_EQ(out[count].bits, 0xC3C3);
    // 0.5 is positive: 0.5 * 2 = 1 everywhere.
    EXPECT_EQ(std::count_if(out, out + count, [](BFloat16 v) { return v.bits != 0x3F80; }), 0);
  }
}

TEST(EluBackwardKernel, TransposedOutputsBeyondTheCacheAreStreamedWhole) {
  const int64_t rows = 1003;
  const int64_t columns = LastLevelCacheBytes() / 2 / rows + 65;
  const auto count = static_cast<size_t>(rows * columns);
  const auto value_at = [](int64_t r, int64_t c) {
    return FromFloat<BFloat16>(static_cast<float>((3 * r + 5 * c) % 7 - 3));
  };
  std::vector<BFloat16> grad(count, BFloat16{0x3F00}), value(count), turned(count);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      value[static_cast<size_t>(r * columns + c)] = value_at(r, c);
      turned[static_cast<size_t>(c * rows + r)] = value_at(r, c);
    }
  }
  std::vector<BFloat16> expected(count), got(count + 1, BFloat16{0xC3C3});
  const auto view = [&](std::vector<BFloat16>& data, int64_t row_stride, int64_t column_stride) {
    TensorView matrix = Transposed(data.data(), DType::kBFloat16, 1, rows, columns);
    matrix.stride[1] = row_stride;
    matrix.stride[2] = column_stride;
    return matrix;
  };
  const TensorView plain = view(grad, columns, 1);
  Solve(plain, view(value, columns, 1), view(expected, columns, 1));
  Solve(plain, view(turned, 1, rows), view(got, columns, 1));
  EXPECT_EQ(got.back().bits, 0xC3C3);
  EXPECT_EQ(std::memcmp(got.data(), expected.data(), count * sizeof(BFloat16)), 0);
}

TEST(EluBackwardKernel, ThreadsDoNotChangeTheBits) {
  Random random(2);
  for (const size_t count : {100003, 300007}) {
    std::vector<float> grad, value;
    for (size_t i = 0; i < count; ++i) {
      grad.push_back(static_cast<float>(random.Real(-4, 4)));
      value.push_back(static_cast<float>(random.Real(-4, 4)));
    }
    SetTeamSize(1);
    const std::vector<float> one = Compute(grad, value, false);
    const auto expect_equal = [&](const char* how) {
      const std::vector<float> many = Compute(grad, value, false);
      EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0) << how;
    };
    for (int team : {2, 5}) {
      SetTeamSize(team);
      expect_equal("by a team");
    }
    const HelpersScope scope(Helpers::kAwake);
    expect_equal("by threads that are awake");
  }
  SetTeamSize(0);
}

// Whatever their strides, views that run through memory together are one run.
TEST(EluBackwardKernel, EquallyPermutedViewsAreShared) {
  const auto view = [](int64_t rows, int64_t columns, bool transposed) {
    TensorView matrix;
    matrix.dtype = DType::kFloat32;
    matrix.rank = 2;
    matrix.shape[0] = rows;
    matrix.shape[1] = columns;
    matrix.stride[0] = transposed ? 1 : columns;
    matrix.stride[1] = transposed ? rows : 1;
    return matrix;
  };
  const auto shared = [](const TensorView& inputs, const TensorView& output) {
    const TensorView both[] = {inputs, inputs};
    return elementwise::Problem(FormulaOf(kPlain, false), both, output, inputs.dtype).is_shared;
  };
  EXPECT_TRUE(shared(view(300, 300, false), view(300, 300, false)));
  EXPECT_TRUE(shared(view(300, 300, true), view(300, 300, true)));
  EXPECT_FALSE(shared(view(300, 300, true), view(300, 300, false)));
  EXPECT_FALSE(shared(view(100, 300, false), view(100, 300, false))) << "too short";
  EXPECT_FALSE(shared(view(600, 600, false), view(600, 600, false))) << "for a team";
  TensorView wide = view(300, 300, false);
  wide.dtype = DType::kFloat64;
  EXPECT_FALSE(shared(view(300, 300, false), wide));
}

}  // namespace
}  // namespace aclimb::elu_backward
