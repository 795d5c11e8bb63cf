// What the operator's own test cannot choose: streaming stores, addresses, instruction sets and
// bits, of the kernel alone.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "aclimb/copy/test_view.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/cross_entropy_loss_grad/cpu.h"
#include "aclimb/ops/cross_entropy_loss_grad/truth.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/elements.h"

namespace aclimb::cross_entropy_loss_grad {
namespace {

using aclimb::testing::Random;
using aclimb::testing::TestView;

// Where a tensor lies in memory.
struct Place {
  int64_t moved = 0;
  std::vector<int> order = {0, 1};
  int64_t padding = 0;  // elements behind each row
  int64_t gap = 0;      // elements behind each element

  TestView Make(DType dtype, int64_t rows, int64_t columns) const {
    TestView view(dtype, {rows, columns + padding}, order, gap);
    view.Narrow(1, columns);
    view.Move(moved);
    return view;
  }
};

struct Layout {
  Place in = {};
  Place out = {};
  bool in_place = false;
  int64_t stream_above = -1;
  int64_t weight_gap = 0;
};

template <typename T>
void Fill(TestView& view, const std::vector<T>& values) {
  for (int64_t i = 0; i < view.count(); ++i) {
    view.Write(i, static_cast<double>(values[static_cast<size_t>(i)]));
  }
}

// x_grad in row-major order. Fails when anything outside the view was written.
std::vector<double> Computed(const Problem& p, DType dtype, const Layout& layout = {}) {
  const bool none = p.reduction == "none";
  TestView in = layout.in.Make(dtype, p.rows, p.columns);
  const TestView separate = layout.out.Make(dtype, p.rows, p.columns);
  const TestView& out = layout.in_place ? in : separate;
  TestView grad(dtype, none ? std::vector<int64_t>{p.rows} : std::vector<int64_t>{});
  TestView target(DType::kInt64, {p.rows});
  TestView weight(DType::kFloat32, {p.columns}, {}, layout.weight_gap);
  Fill(in, p.log_prob);
  Fill(grad, p.grad_loss);
  Fill(target, p.target);
  if (!p.weight.empty()) Fill(weight, p.weight);
  RunOnCpu({.grad_loss = grad.view(),
            .log_prob = in.view(),
            .target = target.view(),
            .weight = p.weight.empty() ? TensorView() : weight.view(),
            .x_grad = out.view(),
            .reduction = none                   ? Reduction::kNone
                         : p.reduction == "sum" ? Reduction::kSum
                                                : Reduction::kMean,
            .label_smoothing = p.label_smoothing,
            .stream_above = layout.stream_above});
  EXPECT_TRUE(out.SurroundingsIntact());
  std::vector<double> got;
  for (int64_t i = 0; i < out.count(); ++i) got.push_back(out.Read(i));
  return got;
}

// Whether the numbers are the same and have the same signs.
bool Same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// A mean of numbers that are those of the dtype.
Problem MakeProblem(int64_t rows, int64_t columns, DType dtype, bool weighted, double smoothing,
                    Random& random) {
  const auto reals = [&](int64_t count, double low, double high, DType as) {
    std::vector<double> values = random.Reals(count, low, high);
    for (double& value : values) value = truth::Rounded(value, as);
    return values;
  };
  Problem p = {.rows = rows, .columns = columns, .label_smoothing = smoothing};
  p.log_prob = reals(rows * columns, -12, 0, dtype);
  p.grad_loss = reals(1, -2, 2, dtype);
  if (weighted) p.weight = reals(columns, 0, 3, DType::kFloat32);
  for (int64_t n = 0; n < rows; ++n) {
    p.target.push_back(random.Chance(0.1) ? -100 : random.Integer(0, columns - 1));
  }
  return p;
}

void ExpectTruth(const std::vector<double>& got, const Problem& p, DType dtype) {
  const std::vector<double> expected = Truth(p);
  const truth::Difference difference =
      truth::DifferenceOf(got, expected, Allowed(p, expected, dtype));
  ASSERT_EQ(difference.beyond, 0u) << p.rows << " x " << p.columns << " " << NameOf(dtype)
                                   << ", first " << difference.first_beyond;
}

template <typename F>
void EachTypeOnEachTarget(F&& body) {
  const int targets = EachTarget([&] {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) body(dtype);
  });
  EXPECT_GE(targets, 1);
}

// Neither where tensors lie nor which loop computes them: rows of any width beside those of vectors
// and blocks, few and many of them.
TEST(CrossEntropyKernel, LayoutsAndStreamingChangeNoBit) {
  const Place moved = {.moved = 5}, padded = {.padding = 3}, sparse = {.gap = 2};
  const Place upright = {.order = {1, 0}};
  const std::pair<const char*, Layout> kLayouts[] = {
      {"moved", {.in = {.moved = 1}, .out = moved}},
      {"streamed", {.out = {.moved = 3}, .stream_above = 0}},
      {"in place", {.in = moved, .in_place = true}},
      {"in place, streamed", {.in = moved, .in_place = true, .stream_above = 0}},
      {"strided weights", {.weight_gap = 1}},
      {"upright input", {.in = upright}},
      {"upright output", {.out = upright}},
      {"padded", {.in = padded, .out = padded}},
      {"sparse to upright", {.in = sparse, .out = upright}},
      {"sparse in place", {.in = sparse, .in_place = true}}};
  EachTypeOnEachTarget([&](DType dtype) {
    Random random(1);
    for (const int64_t columns :
         {1, 2, 3, 7, 8, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 1000, 4099}) {
      const int64_t rows = columns < 64 ? 131 : columns < 2000 ? 13 : 3;
      for (const double smoothing : {0.0, 0.1}) {
        const Problem p = MakeProblem(rows, columns, dtype, smoothing != 0, smoothing, random);
        const std::vector<double> plain = Computed(p, dtype);
        ExpectTruth(plain, p, dtype);
        for (const auto& [what, layout] : kLayouts) {
          ASSERT_TRUE(Same(Computed(p, dtype, layout), plain))
              << what << ": " << rows << " x " << columns << " " << NameOf(dtype);
        }
        if (::testing::Test::HasFailure()) return;
      }
    }
  });
}

// A careless rounding to bfloat16 carries the payload into the sign, and rows that are left out are
// told by all bits set.
TEST(CrossEntropyKernel, WeightsThatAreNotNumbersOfAnyPayload) {
  for (const uint32_t bits : {0x7FFFFFFFu, 0xFFFFFFFFu}) {
    EachTypeOnEachTarget([&](DType dtype) {
      for (const int64_t columns : {5, 80}) {
        const auto count = static_cast<size_t>(columns);
        Problem p{.rows = 2, .columns = columns, .reduction = "sum", .grad_loss = {1}};
        p.target = {0, 1};
        p.log_prob.assign(2 * count, -1.0);
        p.weight.assign(count, 1.0);
        p.weight[0] = static_cast<double>(FloatOfBits(bits));
        const std::vector<double> got = Computed(p, dtype);
        for (size_t i = 0; i < 2 * count; ++i) ASSERT_EQ(std::isnan(got[i]), i < count) << i;
        // Spread over the classes, it reaches every element.
        p.label_smoothing = 0.1;
        for (const double value : Computed(p, dtype)) ASSERT_TRUE(std::isnan(value));
      }
    });
  }
}

// Many rows for the parallel sum, long rows that pieces cut, and strided tiles.
TEST(CrossEntropyKernel, ThreadsDoNotChangeTheBits) {
  Random random(5);
  constexpr DType kDType = DType::kFloat32;
  for (const auto& [rows, columns] :
       {std::pair<int64_t, int64_t>{80001, 2}, {151, 1000}, {2, 80001}}) {
    Problem p = MakeProblem(rows, columns, kDType, /*weighted=*/true, 0, random);
    // The last row weighs something.
    p.target.back() = 0;
    p.weight[0] = 3;
    SetTeamSize(1);
    const std::vector<double> one = Computed(p, kDType, {.out = {.moved = 1}});
    ExpectTruth(one, p, kDType);
    for (const int team : {2, 5}) {
      SetTeamSize(team);
      EXPECT_TRUE(Same(Computed(p, kDType, {.out = {.moved = 1}}), one)) << "dense";
      EXPECT_TRUE(Same(Computed(p, kDType, {.out = {.moved = 7}, .stream_above = 0}), one))
          << "streamed";
      EXPECT_TRUE(Same(Computed(p, kDType, {.in = {.padding = 1}}), one)) << "tiled";
    }
  }
  SetTeamSize(0);
}

}  // namespace
}  // namespace aclimb::cross_entropy_loss_grad
