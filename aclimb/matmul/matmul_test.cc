#include "aclimb/matmul/matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/copy/test_view.h"
#include "aclimb/simd/factors.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::matmul {
namespace {

using testing::Random;
using testing::TestView;

bool HasAvx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

// Without AVX-512 a limit to one of its levels limits nothing: these are the tests without a limit.
class LimitOfOneDnn : public ::testing::Environment {
  void SetUp() override {
    const char* const limit = std::getenv("DNNL_MAX_CPU_ISA");
    if (limit != nullptr && std::string(limit).starts_with("AVX512") && !HasAvx512()) {
      GTEST_SKIP() << "the processor has no AVX-512 that DNNL_MAX_CPU_ISA could limit";
    }
  }
};
[[maybe_unused]] const ::testing::Environment* const kLimit =
    ::testing::AddGlobalTestEnvironment(new LimitOfOneDnn);

constexpr DType kDTypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

// Runs the plan of a call whose tensors are `a`, `b`, `out` and perhaps `self`, in poisoned
// workspace.
void Multiply(const TestView& a, const TestView& b, const TestView& out,
              const TestView* self = nullptr, double alpha = 1, double beta = 1) {
  const TestView* const tensors[] = {&a, &b, &out, self};
  Call call = {.a = {}, .b = {}, .out = {}, .self = {}, .alpha = alpha, .beta = beta};
  Term* const terms[] = {&call.a, &call.b, &call.out, &call.self};
  TensorUse uses[4];
  BoundTensor bound[4];
  for (int p = 0; p < 4; ++p) {
    uses[p].parameter = p;
    if (tensors[p] == nullptr) continue;
    TensorView view = tensors[p]->view();
    bound[p].kernel_data = view.data;
    view.data = nullptr;
    uses[p].view = view;
    *terms[p] = {.parameter = p, .view = view};
  }
  Planner planner(false);
  const Result<PlanPointer> plan = MakePlan(planner, call);
  ASSERT_TRUE(plan.ok());
  if (plan.value() == nullptr) return;
  const size_t bytes = (planner.workspace().Size() + 63) / 64 * 64 + 64;
  const std::unique_ptr<void, void (*)(void*)> workspace(std::aligned_alloc(64, bytes), &std::free);
  std::memset(workspace.get(), 0xFF, bytes);  // NaN
  plan.value()->Run(RunContext(uses, bound, static_cast<char*>(workspace.get())));
}

// An element of a view that broadcasts to `out`, by the number of the output's element.
double Broadcast(const TestView& view, const TensorView& out, int64_t i) {
  const TensorView& own = view.view();
  int64_t number = 0, step = 1;
  for (int d = 1; d <= out.rank; ++d) {
    const int64_t at = i % out.shape[out.rank - d];
    i /= out.shape[out.rank - d];
    if (d > own.rank) continue;
    if (own.shape[own.rank - d] != 1) number += at * step;
    step *= own.shape[own.rank - d];
  }
  return view.Read(number);
}

// The definition, in double, for one element of the output.
double Expected(const TestView& a, const TestView& b, const TestView& out, int64_t element,
                const TestView* self = nullptr, double alpha = 1, double beta = 1) {
  const TensorView& va = a.view();
  const TensorView& vb = b.view();
  const TensorView& vo = out.view();
  const int64_t k = va.shape[va.rank - 1];
  const int64_t row = element / vo.shape[vo.rank - 1] % vo.shape[vo.rank - 2];
  const int64_t column = element % vo.shape[vo.rank - 1];
  // Numbers of the matrices.
  const auto matrix = [&](const TensorView& view) {
    int64_t rest = element / vo.shape[vo.rank - 1] / vo.shape[vo.rank - 2], number = 0, step = 1;
    for (int d = 3; d <= vo.rank; ++d) {
      const int64_t at = rest % vo.shape[vo.rank - d];
      rest /= vo.shape[vo.rank - d];
      if (d > view.rank) continue;
      if (view.shape[view.rank - d] != 1) number += at * step;
      step *= view.shape[view.rank - d];
    }
    return number;
  };
  const int64_t of_a = (matrix(va) * va.shape[va.rank - 2] + row) * k;
  const int64_t columns = vb.shape[vb.rank - 1];
  const int64_t of_b = matrix(vb) * k * columns + column;
  double sum = 0;
  if (k > 0) {
    const auto bytes = [](const TensorView& view, int dimension) {
      return view.stride[dimension] * static_cast<int64_t>(SizeOf(view.dtype));
    };
    const int64_t step_a = bytes(va, va.rank - 1), step_b = bytes(vb, vb.rank - 2);
    const char* const from_a = a.At(of_a);
    const char* const from_b = b.At(of_b);
    for (int64_t i = 0; i < k; ++i) {
      sum += testing::ReadElement(va.dtype, from_a + i * step_a) *
             testing::ReadElement(vb.dtype, from_b + i * step_b);
    }
  }
  double value = alpha * sum;
  if (self != nullptr && beta != 0) value += beta * Broadcast(*self, vo, element);
  return value;
}

double Rounded(DType dtype, double value) {
  char bytes[8];
  testing::WriteElement(dtype, value, bytes);
  return testing::ReadElement(dtype, bytes);
}

// Whole numbers have exact sums. Looks at `samples` elements, or at all.
void ExpectExact(const TestView& a, const TestView& b, const TestView& out,
                 const TestView* self = nullptr, double alpha = 1, double beta = 1,
                 int64_t samples = 400) {
  Random random(7);
  const int64_t count = out.count();
  for (int64_t i = 0; i < std::min(count, samples); ++i) {
    const int64_t element = count <= samples ? i : random.Integer(0, count - 1);
    const double expected = Expected(a, b, out, element, self, alpha, beta);
    ASSERT_EQ(out.Read(element), Rounded(out.view().dtype, expected)) << "element " << element;
  }
  EXPECT_TRUE(out.SurroundingsIntact());
}

std::vector<int> OrderOf(bool transposed) {
  return transposed ? std::vector<int>{1, 0} : std::vector<int>{0, 1};
}

TEST(Matmul, EveryLayoutOfEveryDType) {
  struct Shape {
    int64_t m, n, k, gap;
  };
  // One block and several, whole and not; rows, columns and single elements.
  const Shape shapes[] = {{5, 7, 3, 0},      {64, 48, 32, 0}, {1, 70, 33, 0},
                          {40, 1, 65, 1},    {1, 1, 129, 0},  {33, 65, 127, 2},
                          {300, 530, 97, 0}, {2, 3, 1, 0},    {1, 9001, 5, 0}};
  Random random(1);
  for (const Shape& s : shapes) {
    for (const DType of_a : kDTypes) {
      for (const DType of_b : kDTypes) {
        for (int layout = 0; layout < 8; ++layout) {
          const DType of_out = of_a == of_b ? of_a : DType::kFloat32;
          SCOPED_TRACE(std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
                       " layout " + std::to_string(layout) + " " + std::string(NameOf(of_a)) + " " +
                       std::string(NameOf(of_b)));
          TestView a(of_a, {s.m, s.k}, OrderOf((layout & 1) != 0), s.gap);
          TestView b(of_b, {s.k, s.n}, OrderOf((layout & 2) != 0));
          TestView out(of_out, {s.m, s.n}, OrderOf((layout & 4) != 0), s.gap);
          a.FillWhole(random, 8);
          b.FillWhole(random, 8);
          Multiply(a, b, out);
          ExpectExact(a, b, out, nullptr, 1, 1, 60);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Several panels of terms and of columns, whole and not, and rows that are cut.
TEST(Matmul, LargeRightFactors) {
  struct Shape {
    int64_t batch, m, n, k;
  };
  const Shape shapes[] = {{1, 520, 1025, 257}, {3, 2, 530, 513},    {1, 9, 65, 4096},
                          {2, 24, 528, 513},   {1, 270, 323, 1030}, {2, 9, 130, 2050}};
  Random random(8);
  const int team = TeamSize();
  for (const Shape& s : shapes) {
    for (const DType of_b : kDTypes) {
      for (int layout = 0; layout < 8; ++layout) {
        SCOPED_TRACE(std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
                     " layout " + std::to_string(layout) + " " + std::string(NameOf(of_b)));
        const auto order = [](bool transposed) {
          return transposed ? std::vector<int>{0, 2, 1} : std::vector<int>{0, 1, 2};
        };
        TestView a(layout % 2 == 0 ? DType::kFloat32 : of_b, {s.batch, s.m, s.k},
                   order(layout >= 6));
        TestView b(of_b, {s.batch, s.k, s.n}, order((layout & 2) != 0));
        TestView self(DType::kFloat32, {s.n});
        TestView out(DType::kFloat32, {s.batch, s.m, s.n}, order(layout % 4 == 3));
        // Whole numbers, whose sums are exact.
        a.FillWhole(random, 8);
        b.FillWhole(random, 8);
        self.FillWhole(random, 8);
        SetTeamSize(1 + layout);
        if ((layout & 4) == 0) {
          Multiply(a, b, out);
          ExpectExact(a, b, out);
        } else {
          Multiply(a, b, out, &self, 2, 3);
          ExpectExact(a, b, out, &self, 2, 3);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
  SetTeamSize(team);
}

// Panels of a left factor are made once for the part of the batch that shares it.
TEST(Matmul, LargeRightFactorsMeetSharedLeftOnes) {
  Random random(10);
  const int team = TeamSize();
  const std::vector<int64_t> shapes[] = {{24, 514}, {2, 1, 24, 514}, {3, 24, 514}, {2, 3, 24, 514}};
  for (const std::vector<int64_t>& shape : shapes) {
    for (const DType dtype : kDTypes) {
      const bool adjacent = dtype == DType::kFloat32;
      SCOPED_TRACE(std::to_string(shape.size()) + " dimensions, " + std::string(NameOf(dtype)));
      TestView a(dtype, shape), b(dtype, {2, 3, 514, 130}, {0, 1, 3, 2});
      TestView out(DType::kFloat32, {2, 3, 24, 130},
                   adjacent ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{1, 2, 0, 3});
      a.FillWhole(random, 8);
      b.FillWhole(random, 8);
      for (const int size : {1, 3}) {
        SetTeamSize(size);
        Multiply(a, b, out);
        ExpectExact(a, b, out, nullptr, 1, 1, 4000);
        if (HasFatalFailure()) return;
      }
    }
  }
  SetTeamSize(team);
}

// Numbers so large that each order of a sum has a result of its own.
void ExpectTheSameBitsForAnyTeam(bool pairs) {
  struct Shape {
    int64_t m, n, k;
  };
  const Shape shapes[] = {{520, 530, 513}, {9, 130, 4096}, {64, 1088, 5000}, {300, 530, 514}};
  Random random(9);
  const int team = TeamSize();
  for (const Shape& s : shapes) {
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE(std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
                   (transposed ? " transposed" : "") + (pairs ? " of BFLOAT16" : ""));
      TestView a(pairs ? DType::kBFloat16 : DType::kFloat32, {s.m, s.k});
      TestView b(pairs        ? DType::kBFloat16
                 : transposed ? DType::kFloat32
                              : DType::kFloat16,
                 {s.k, s.n}, OrderOf(transposed));
      TestView alone(DType::kFloat32, {s.m, s.n}), shared(DType::kFloat32, {s.m, s.n});
      a.FillWhole(random, 1'000'000);
      b.FillWhole(random, 2000);
      SetTeamSize(1);
      Multiply(a, b, alone);
      for (const int size : {2, 3, 8}) {
        SetTeamSize(size);
        Multiply(a, b, shared);
        int64_t different = 0;
        for (int64_t i = 0; i < alone.count(); ++i) {
          different += std::memcmp(alone.At(i), shared.At(i), sizeof(float)) != 0 ? 1 : 0;
        }
        EXPECT_EQ(different, 0) << "a team of " << size;
      }
    }
  }
  SetTeamSize(team);
}

TEST(Matmul, LargeRightFactorsGiveTheSameBitsForAnyTeam) { ExpectTheSameBitsForAnyTeam(false); }

TEST(Matmul, LargeRightFactorsInPairsGiveTheSameBitsForAnyTeam) {
  if (!HasPairs()) {
    GTEST_SKIP() << "oneDNN multiplies BFLOAT16 where the processor has no AVX512_BF16, or "
                    "ACLIMB_CPU_TARGET leaves it out";
  }
  ExpectTheSameBitsForAnyTeam(true);
}

// Where columns fill vectors the right factor is not packed, if it is dense.
TEST(Matmul, SmallRightFactorsInWholeVectors) {
  struct Shape {
    int64_t m, n, k;
  };
  Random random(11);
  for (const Shape& s : {Shape{8, 16, 8}, Shape{9, 32, 300}, Shape{64, 64, 64}, Shape{65, 96, 48},
                         Shape{24, 32, 512}, Shape{8, 112, 257}}) {
    for (const int64_t gap : {0, 3, 16}) {
      for (const bool adds : {false, true}) {
        TestView a(DType::kFloat32, {s.m, s.k}), b(DType::kFloat32, {s.k, s.n + gap});
        TestView self(DType::kFloat32, {s.n}), out(DType::kFloat32, {s.m, s.n});
        a.FillWhole(random, 8);
        b.FillWhole(random, 8);
        self.FillWhole(random, 8);
        b.Narrow(1, s.n);
        SCOPED_TRACE(std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
                     " gap " + std::to_string(gap));
        Multiply(a, b, out, adds ? &self : nullptr, 2, 3);
        ExpectExact(a, b, out, adds ? &self : nullptr, 2, 3);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Of bfloat16 too, which the instruction for pairs takes for 0.
TEST(Matmul, SmallProductsKeepSubnormalNumbers) {
  for (const int64_t k : {2, 3, 8}) {
    TestView a(DType::kBFloat16, {4, k}), b(DType::kBFloat16, {k, 4});
    TestView out(DType::kFloat32, {4, 4});
    for (int64_t i = 0; i < a.count(); ++i) a.Write(i, 0x1p-130);
    for (int64_t i = 0; i < b.count(); ++i) b.Write(i, 0x1p100);
    Multiply(a, b, out);
    for (int64_t i = 0; i < out.count(); ++i) {
      EXPECT_EQ(out.Read(i), static_cast<double>(k) * 0x1p-30) << k << " terms";
    }
  }
}

TEST(Matmul, BatchesBroadcast) {
  struct Shape {
    std::vector<int64_t> a, b, out;
  };
  const Shape shapes[] = {
      {{3, 4, 5}, {3, 5, 6}, {3, 4, 6}},       {{3, 4, 5}, {5, 6}, {3, 4, 6}},
      {{4, 5}, {3, 5, 6}, {3, 4, 6}},          {{7, 1, 5}, {5, 6}, {7, 1, 6}},
      {{2, 1, 4, 5}, {3, 5, 6}, {2, 3, 4, 6}}, {{2, 3, 1, 5}, {1, 3, 5, 9}, {2, 3, 1, 9}},
      {{2, 3, 4, 5}, {5, 1}, {2, 3, 4, 1}},    {{2, 3, 2, 4, 5}, {3, 1, 5, 6}, {2, 3, 2, 4, 6}},
      {{1, 4, 5}, {1, 5, 6}, {3, 4, 6}}};
  Random random(2);
  for (const DType dtype : kDTypes) {
    for (const Shape& s : shapes) {
      for (int round = 0; round < 4; ++round) {
        const int64_t gap = round % 2;
        // The views as they are made, and in any order.
        const auto order = [&](size_t rank) {
          return round < 2 ? std::vector<int>() : testing::AnyOrder(random, rank);
        };
        TestView a(dtype, s.a, order(s.a.size()), gap), b(dtype, s.b, order(s.b.size()), gap);
        TestView out(dtype, s.out, order(s.out.size()), gap);
        a.FillWhole(random, 8);
        b.FillWhole(random, 8);
        Multiply(a, b, out);
        ExpectExact(a, b, out);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Matmul, AddsSelf) {
  Random random(3);
  const std::vector<int64_t> shapes[] = {{40, 30}, {1, 30}, {40, 1}, {30}, {1}, {}};
  for (const DType dtype : kDTypes) {
    for (const std::vector<int64_t>& shape : shapes) {
      for (const bool transposed : {false, true}) {
        for (const int64_t rows : {40, 1}) {
          std::vector<int64_t> of_self = shape;
          if (of_self.size() == 2) of_self[0] = std::min(of_self[0], rows);
          TestView a(dtype, {rows, 20}), b(dtype, {20, 30}), self(dtype, of_self);
          TestView out(dtype, {rows, 30}, OrderOf(transposed));
          a.FillWhole(random, 8);
          b.FillWhole(random, 8);
          self.FillWhole(random, 8);
          Multiply(a, b, out, &self, 0.5, -2);
          ExpectExact(a, b, out, &self, 0.5, -2);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Matmul, ReadsNothingThatHasNoPart) {
  Random random(4);
  const double nan = std::nan("");
  TestView a(DType::kFloat32, {9, 4}), b(DType::kFloat32, {4, 5}), self(DType::kFloat32, {9, 5});
  TestView out(DType::kFloat32, {9, 5});
  a.FillWhole(random);
  b.FillWhole(random);
  for (int64_t i = 0; i < self.count(); ++i) self.Write(i, nan);
  Multiply(a, b, out, &self, 1, 0);
  ExpectExact(a, b, out);
  self.FillWhole(random);
  a.Write(0, nan);
  Multiply(a, b, out, &self, 0, 3);
  for (int64_t i = 0; i < out.count(); ++i) EXPECT_EQ(out.Read(i), 3 * self.Read(i));
  const TestView no_columns(DType::kFloat32, {9, 0}), no_rows(DType::kFloat32, {0, 5});
  Multiply(no_columns, no_rows, out, &self, 2, 3);
  for (int64_t i = 0; i < out.count(); ++i) EXPECT_EQ(out.Read(i), 3 * self.Read(i));
  Multiply(no_columns, no_rows, out);
  for (int64_t i = 0; i < out.count(); ++i) EXPECT_EQ(out.Read(i), 0);
}

// NaN around the factors, and an infinity in one row alone.
TEST(Matmul, MeetsNothingThatIsNotThere) {
  Random random(5);
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const DType dtype : kDTypes) {
    for (int64_t k = 1; k <= 70; k += k < 36 ? 1 : 7) {
      for (int layout = 0; layout < 8; ++layout) {
        const bool narrow_b = layout >= 4;
        const int64_t m = narrow_b ? 2 + k % 7 : 5 + k % 3, n = narrow_b ? 2 + k % 9 : 18 + k % 5;
        // Views of the middle of larger matrices.
        const auto part = [&](int64_t rows, int64_t columns, bool transposed) {
          TestView whole(dtype, {rows + 3, columns + 3}, OrderOf(transposed));
          for (int64_t i = 0; i < whole.count(); ++i) whole.Write(i, nan);
          return whole;
        };
        TestView a = part(m, k, (layout & 1) != 0), b = part(k, n, (layout & 2) != 0);
        const auto narrow = [&](TestView& whole, int64_t rows, int64_t columns) {
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < columns; ++c) {
              whole.Write(r * (columns + 3) + c, static_cast<double>(random.Integer(1, 8)));
            }
          }
          whole.Narrow(0, rows);
          whole.Narrow(1, columns);
        };
        narrow(a, m, k);
        narrow(b, k, n);
        a.Write(k - 1, infinity);
        TestView out(dtype, {m, n});
        Multiply(a, b, out);
        SCOPED_TRACE(std::string(NameOf(dtype)) + " k " + std::to_string(k) + " layout " +
                     std::to_string(layout));
        for (int64_t i = 0; i < out.count(); ++i) {
          const double expected = Rounded(dtype, Expected(a, b, out, i));
          ASSERT_EQ(out.Read(i), expected) << "element " << i;
        }
      }
    }
  }
}

// How a result is rounded does not depend on its column.
TEST(Matmul, EqualColumnsGiveTheSameBits) {
  Random random(9);
  for (const DType dtype : kDTypes) {
    for (const int64_t columns : {2, 3, 7, 263}) {
      for (const bool transposed : {false, true}) {
        TestView a(DType::kFloat32, {1, 1001}), b(dtype, {1001, columns}, OrderOf(transposed));
        TestView out(DType::kFloat32, {1, columns});
        for (int64_t i = 0; i < 1001; ++i) {
          a.Write(i, random.Real(-1, 1));
          const double element = random.Real(-1, 1);
          for (int64_t j = 0; j < columns; ++j) b.Write(i * columns + j, element);
        }
        Multiply(a, b, out);
        for (int64_t j = 1; j < columns; ++j) {
          ASSERT_EQ(out.Read(j), out.Read(0))
              << NameOf(dtype) << " column " << j << " of " << columns;
        }
      }
    }
  }
}

// Sums of equal terms, which are off the same way at each addition.
TEST(Matmul, LongSums) {
  struct Shape {
    int64_t m, n, k;
  };
  for (const Shape& s : {Shape{2, 3, 2'200'017}, Shape{1, 1, 4'000'019}, Shape{1, 3, 1'000'017},
                         Shape{20, 24, 100'003}, Shape{3, 2, 20'000}, Shape{2, 2, 4'200'007}}) {
    for (const bool transposed : {false, true}) {
      TestView a(DType::kFloat32, {s.m, s.k}, OrderOf(transposed));
      TestView b(DType::kFloat32, {s.k, s.n}, OrderOf(transposed));
      TestView out(DType::kFloat32, {s.m, s.n});
      a.Each([](char* at) { *reinterpret_cast<float*>(at) = 0.1f; });
      b.Each([](char* at) { *reinterpret_cast<float*>(at) = 1.1f; });
      Multiply(a, b, out);
      const double expected =
          static_cast<double>(0.1f) * static_cast<double>(1.1f) * static_cast<double>(s.k);
      for (int64_t i = 0; i < out.count(); ++i) {
        ASSERT_NEAR(out.Read(i) / expected, 1, 7e-5) << s.m << " " << s.n << " " << s.k;
      }
    }
  }
}

TEST(Matmul, TheSameBitsOnAnyTeam) {
  struct Shape {
    std::vector<int64_t> a, b, out;
  };
  const Shape shapes[] = {{{300, 400}, {400, 350}, {300, 350}},
                          {{48, 40'000}, {40'000, 32}, {48, 32}},
                          {{1, 3000}, {3000, 700}, {1, 700}},
                          {{1, 600'000}, {600'000, 1}, {1, 1}},
                          {{24, 60, 50}, {24, 50, 70}, {24, 60, 70}}};
  const int team = TeamSize();
  Random random(6);
  for (const DType dtype : kDTypes) {
    for (const Shape& s : shapes) {
      TestView a(dtype, s.a), b(dtype, s.b);
      for (TestView* each : {&a, &b}) {
        for (int64_t i = 0; i < each->count(); ++i) each->Write(i, random.Real(-1, 1));
      }
      std::vector<char> first;
      for (const int threads : {1, 2, 3, 8}) {
        SetTeamSize(threads);
        TestView out(dtype, s.out);
        Multiply(a, b, out);
        if (first.empty()) first = out.memory();
        EXPECT_TRUE(out.memory() == first) << NameOf(dtype) << " " << threads << " threads";
      }
    }
  }
  SetTeamSize(team);
}

}  // namespace
}  // namespace aclimb::matmul
