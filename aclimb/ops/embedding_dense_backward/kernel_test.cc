// The kernel against truth.h, on every instruction set and with several team sizes.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "aclimb/core/sanitized.h"
#include "aclimb/ops/embedding_dense_backward/cpu.h"
#include "aclimb/ops/embedding_dense_backward/row_sum.h"
#include "aclimb/ops/embedding_dense_backward/test_tensor.h"
#include "aclimb/ops/embedding_dense_backward/truth.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::embedding_dense_backward {
namespace {

constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr DType kIndexTypes[] = {DType::kInt64,   DType::kInt32,   DType::kInt16,
                                 DType::kInt8,    DType::kUInt8,   DType::kFloat16,
                                 DType::kFloat32, DType::kFloat64, DType::kBool};
constexpr int64_t kAllRows = std::numeric_limits<int64_t>::max();

// Scratch of exactly the promised size, poisoned, with a canary behind it.
class Scratch {
 public:
  explicit Scratch(int64_t bytes)
      : bytes_(static_cast<size_t>(bytes)), memory_(bytes_ + 128, 0xFF) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(memory_.data());
    start_ = memory_.data() + (64 - address % 64) % 64;
    std::memset(start_ + bytes_, kPoison, 64);
  }
  void* data() { return start_; }
  bool IsIntact() const {
    for (int i = 0; i < 64; ++i) {
      if (start_[bytes_ + static_cast<size_t>(i)] != kPoison) return false;
    }
    return true;
  }

 private:
  size_t bytes_;
  std::vector<unsigned char> memory_;
  unsigned char* start_;
};

struct Problem {
  TestTensor grad;
  TestTensor indices;
  TestTensor out;
  int64_t padding_idx = -1;
  bool scale_by_freq = false;

  int64_t Columns() const { return out.view().shape[1]; }

  std::vector<int64_t> Rows() const {
    std::vector<int64_t> rows;
    for (double index : indices.Values()) {
      const double whole = std::trunc(index);
      rows.push_back(whole >= 0 && whole < 1e15 ? static_cast<int64_t>(whole) : -1);
    }
    return rows;
  }

  void Run(int64_t max_band_rows = kAllRows) {
    out.Poison();
    Scratch scratch(ScratchBytes(grad.view(), indices.view(), out.view()));
    const Args args = {grad.view(), indices.view(), out.view(),
                       padding_idx, scale_by_freq,  scratch.data()};
    max_band_rows == kAllRows ? RunOnCpu(args) : RunInBands(args, max_band_rows);
    EXPECT_TRUE(scratch.IsIntact());
  }

  // FLOAT sums of a row's contributions in order err by at most their number in half ulps of the
  // largest partial sum; the half types add one rounding of their own.
  void ExpectTruth() const {
    EXPECT_TRUE(out.GapsAreUntouched());
    const std::vector<double> values = grad.Values();
    const std::vector<int64_t> rows = Rows();
    const std::vector<double> truth =
        Truth(values, rows, out.view().shape[0], Columns(), padding_idx, scale_by_freq);
    std::vector<double> magnitudes = values;
    for (double& value : magnitudes) value = std::abs(value);
    const std::vector<double> scale =
        Truth(magnitudes, rows, out.view().shape[0], Columns(), padding_idx, scale_by_freq);
    const double rounding = out.view().dtype == DType::kFloat32   ? 0x1p-23
                            : out.view().dtype == DType::kFloat16 ? 0x1p-10
                                                                  : 0x1p-7;
    const double tiny = out.view().dtype == DType::kFloat16 ? 0x1p-24 : 0;
    const std::vector<double> got = out.Values();
    for (size_t i = 0; i < truth.size(); ++i) {
      const double error = std::abs(got[i] - truth[i]);
      const double allowed = std::abs(truth[i]) * rounding + scale[i] * 1e-6 + tiny;
      ASSERT_LE(error, allowed) << "element " << i << " is " << got[i] << ", truth " << truth[i];
    }
  }

  // Every instruction set and team size gives truth, and the bits of the first run.
  void ExpectTruthEverywhere(const std::vector<int>& teams = {1, 2, 5}) {
    std::vector<unsigned char> bits;
    EachTarget([&] {
      for (int team : teams) {
        SetTeamSize(team);
        Run();
        if (bits.empty()) {
          ExpectTruth();
          bits = out.Bytes();
        }
        ASSERT_EQ(bits, out.Bytes())
            << "target " << hwy::TargetName(hwy::SupportedTargets()) << ", threads " << team;
      }
    });
    SetTeamSize(0);
  }
};

enum class Order { kRandom, kSorted, kReversed, kEqual, kSkewed };

void FillIndices(TestTensor& indices, int64_t rows, Order order, bool outside, uint64_t seed) {
  std::mt19937_64 random(seed);
  const int64_t count = indices.view().ElementCount();
  const bool is_signed = indices.view().dtype != DType::kUInt8;
  indices.Fill([&](int64_t i) -> double {
    if (outside && random() % 5 == 0) {
      return random() % 2 == 0 && is_signed ? -1.0 - static_cast<double>(random() % 3)
                                            : static_cast<double>(rows);
    }
    int64_t row = static_cast<int64_t>(random() % static_cast<uint64_t>(rows));
    if (order == Order::kSorted) row = i * rows / count;
    if (order == Order::kReversed) row = (count - 1 - i) * rows / count;
    if (order == Order::kEqual) row = rows / 2;
    if (order == Order::kSkewed && random() % 2 == 0) row = rows / 3;
    return static_cast<double>(row);
  });
}

void FillGrad(TestTensor& grad, uint64_t seed) {
  std::mt19937_64 random(seed);
  // Exact in every dtype, yet sums of them round.
  grad.Fill([&](int64_t) {
    const double mantissa = static_cast<double>(random() % 255) - 127.0;
    return std::ldexp(mantissa, static_cast<int>(random() % 9) - 8);
  });
}

Problem Dense(DType dtype, int64_t count, int64_t rows, int64_t columns) {
  Problem problem{TestTensor(dtype, {count, columns}), TestTensor(DType::kInt64, {count}),
                  TestTensor(dtype, {rows, columns})};
  FillGrad(problem.grad, 7);
  FillIndices(problem.indices, rows, Order::kRandom, false, 11);
  return problem;
}

TEST(EmbeddingDenseBackwardKernel, EveryWidthAndDType) {
  for (DType dtype : kFloats) {
    for (int64_t columns : {1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 100, 513, 2050, 4099}) {
      SCOPED_TRACE(columns);
      Problem problem = Dense(dtype, columns > 1000 ? 19 : 97, columns > 1000 ? 9 : 53, columns);
      problem.ExpectTruthEverywhere();
    }
  }
}

TEST(EmbeddingDenseBackwardKernel, EveryPairOfGradAndOutDType) {
  for (DType from : kFloats) {
    for (DType to : kFloats) {
      Problem problem{TestTensor(from, {70, 21}), TestTensor(DType::kInt32, {70}),
                      TestTensor(to, {30, 21})};
      FillGrad(problem.grad, 3);
      FillIndices(problem.indices, 30, Order::kRandom, false, 5);
      problem.ExpectTruthEverywhere();
    }
  }
}

// Large enough for non-temporal stores, several blocks of the sort and every team member; the rows
// start beside a cache line.
TEST(EmbeddingDenseBackwardKernel, LargeOutputsStreamAroundTheCache) {
  struct Case {
    DType dtype;
    int64_t count, rows, columns, offset;
  };
  for (const Case& c :
       {Case{DType::kFloat32, 40000, 70001, 63, 1}, Case{DType::kFloat16, 40000, 600000, 16, 3},
        Case{DType::kBFloat16, 9000, 3000, 3001, 5}}) {
    Problem problem{TestTensor(c.dtype, {c.count, c.columns}, {}, c.offset),
                    TestTensor(DType::kInt32, {c.count}),
                    TestTensor(c.dtype, {c.rows, c.columns}, {}, c.offset)};
    FillGrad(problem.grad, 7);
    FillIndices(problem.indices, c.rows, Order::kSkewed, true, 11);
    problem.ExpectTruthEverywhere(kThreadSanitized ? std::vector<int>{3} : std::vector<int>{1, 3});
  }
}

TEST(EmbeddingDenseBackwardKernel, AHotRowIsSplitByColumns) {
  for (DType dtype : kFloats) {
    Problem problem = Dense(dtype, 20000, 50, 100);
    FillIndices(problem.indices, 50, Order::kEqual, false, 1);
    problem.scale_by_freq = dtype == DType::kFloat16;
    problem.ExpectTruthEverywhere({1, 2, 5, 16});
  }
}

TEST(EmbeddingDenseBackwardKernel, AHundredThousandOnes) {
  Problem problem = Dense(DType::kFloat32, 100000, 3, 4);
  problem.grad.Fill([](int64_t) { return 1.0; });
  problem.indices.Fill([](int64_t) { return 1.0; });
  problem.Run();
  const std::vector<double> got = problem.out.Values();
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(got[i], i / 4 == 1 ? 100000.0 : 0.0);
}

// Sums are FLOAT additions one after the other, in the order of the positions, within blocks of
// rows; the sums of the blocks are added in double: bit for bit.
TEST(EmbeddingDenseBackwardKernel, SumsFollowThePositions) {
  constexpr int64_t kCount = 12 * kBlockRows;
  constexpr int64_t kRows = 40;
  constexpr int64_t kColumns = 37;
  Problem problem = Dense(DType::kFloat32, kCount, kRows, kColumns);
  FillIndices(problem.indices, kRows, Order::kSkewed, false, 11);
  problem.grad.Fill([](int64_t i) { return std::sin(static_cast<double>(i + 1)); });
  const float* const grad = problem.grad.view().As<float>();
  const int64_t* const indices = problem.indices.view().As<int64_t>();
  int64_t longest = 0;
  std::vector<float> expected;
  for (int64_t row = 0; row < kRows; ++row) {
    std::vector<float> block(kColumns);
    std::vector<double> totals(kColumns);
    int64_t met = 0;
    for (int64_t i = 0; i < kCount; ++i) {
      if (indices[i] != row) continue;
      const bool begins = met++ % kBlockRows == 0;
      for (size_t c = 0; c < kColumns; ++c) {
        const float term = grad[static_cast<size_t>(i) * kColumns + c];
        if (begins) totals[c] += static_cast<double>(block[c]);
        block[c] = begins ? term : block[c] + term;
      }
    }
    longest = std::max(longest, met);
    for (size_t c = 0; c < kColumns; ++c) {
      expected.push_back(static_cast<float>(totals[c] + static_cast<double>(block[c])));
    }
  }
  EXPECT_GT(longest, 2 * kBlockRows);
  EachTarget([&] {
    problem.Run();
    EXPECT_EQ(
        std::memcmp(expected.data(), problem.out.view().data, expected.size() * sizeof(float)), 0);
  });
}

// Equal terms are the worst, since their roundings all err to the same side.
TEST(EmbeddingDenseBackwardKernel, AMillionEqualRowsAreAsGoodAsAFew) {
  constexpr int64_t kCount = 1000001;
  TestTensor index(DType::kInt32, {1});
  index.Fill([](int64_t) { return 1.0; });
  TensorView indices = index.view();
  indices.shape[0] = kCount;
  indices.stride[0] = 0;
  for (DType dtype : kFloats) {
    for (int64_t columns : {1, 67}) {
      TestTensor row(dtype, {1, columns});
      row.Fill([](int64_t) { return 0.05; });
      TensorView grad = row.view();
      grad.shape[0] = kCount;
      grad.stride[0] = 0;
      for (bool scale : {false, true}) {
        TestTensor out(DType::kFloat32, {3, columns});
        Scratch scratch(ScratchBytes(grad, indices, out.view()));
        RunOnCpu({grad, indices, out.view(), -1, scale, scratch.data()});
        const double truth = row.Values()[0] * (scale ? 1.0 : static_cast<double>(kCount));
        for (int64_t c = 0; c < columns; ++c) {
          const double got = out.Values()[static_cast<size_t>(columns + c)];
          ASSERT_NEAR(got, truth, 1e-5 * truth) << NameOf(dtype) << ' ' << columns << ' ' << scale;
        }
      }
    }
  }
}

TEST(EmbeddingDenseBackwardKernel, ALongSumIsTheSameWhateverItsColumnsAreCutInto) {
  for (DType dtype : kFloats) {
    Problem problem = Dense(dtype, 3 * kBlockRows + 5, 3, 4099);
    FillIndices(problem.indices, 3, Order::kEqual, false, 1);
    problem.scale_by_freq = dtype == DType::kBFloat16;
    problem.ExpectTruthEverywhere({1, 2, 7});
  }
}

// A mean that fits is found although the sum does not fit float32, and zeros keep their sign.
TEST(EmbeddingDenseBackwardKernel, LongSumsKeepLargeMeansAndNegativeZeros) {
  constexpr int64_t kCount = 2 * kBlockRows;
  Problem problem = Dense(DType::kFloat32, kCount, 1, 2);
  problem.indices.Fill([](int64_t) { return 0.0; });
  const double large = std::ldexp(1.0, 127) / static_cast<double>(kBlockRows);
  problem.grad.Fill([&](int64_t i) { return i % 2 == 0 ? large : -0.0; });
  problem.Run();
  EXPECT_EQ(problem.out.Values()[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(problem.out.Values()[1], 0.0);
  EXPECT_TRUE(std::signbit(problem.out.Values()[1]));
  problem.scale_by_freq = true;
  problem.Run();
  EXPECT_EQ(problem.out.Values()[0], large);
}

TEST(EmbeddingDenseBackwardKernel, HalfTypesAccumulateInFloat) {
  struct Case {
    DType dtype;
    int64_t ones;
    double sum;
  };
  for (const Case& c : {Case{DType::kBFloat16, 1024, 1024.0},
                        Case{DType::kFloat16, 70000, std::numeric_limits<double>::infinity()}}) {
    Problem problem = Dense(c.dtype, c.ones, 2, 3);
    problem.grad.Fill([](int64_t) { return 1.0; });
    problem.indices.Fill([](int64_t) { return 0.0; });
    problem.Run();
    EXPECT_EQ(problem.out.Values()[0], c.sum);
    problem.scale_by_freq = true;
    problem.Run();
    EXPECT_EQ(problem.out.Values()[0], 1.0);
  }
}

TEST(EmbeddingDenseBackwardKernel, NanAndInfinityStayInTheirRows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (DType dtype : kFloats) {
    Problem problem = Dense(dtype, 4, 4, 1);
    const double grads[] = {nan, infinity, nan, 2};
    const double rows[] = {1, 2, 0, 3};
    problem.grad.Fill([&](int64_t i) { return grads[i]; });
    problem.indices.Fill([&](int64_t i) { return rows[i]; });
    problem.padding_idx = 1;
    problem.Run();
    const std::vector<double> got = problem.out.Values();
    EXPECT_TRUE(std::isnan(got[0]));
    EXPECT_EQ(got[1], 0.0);
    EXPECT_EQ(got[2], infinity);
    EXPECT_EQ(got[3], 2.0);
  }
}

TEST(EmbeddingDenseBackwardKernel, OrderOfIndicesWithExactSumsDoesNotMatter) {
  std::vector<unsigned char> bits;
  for (Order order : {Order::kSorted, Order::kReversed}) {
    Problem problem = Dense(DType::kFloat32, 5000, 100, 8);
    problem.grad.Fill([](int64_t) { return 0.25; });
    FillIndices(problem.indices, 100, order, false, 0);
    problem.Run();
    if (bits.empty()) bits = problem.out.Bytes();
    EXPECT_EQ(bits, problem.out.Bytes());
  }
}

TEST(EmbeddingDenseBackwardKernel, BandsOfRowsGiveTheSameBits) {
  for (bool scale : {false, true}) {
    Problem problem = Dense(DType::kFloat32, 300, 53, 6);
    FillIndices(problem.indices, 53, Order::kRandom, true, 4);
    problem.padding_idx = 17;
    problem.scale_by_freq = scale;
    problem.Run();
    problem.ExpectTruth();
    const std::vector<unsigned char> bits = problem.out.Bytes();
    for (int64_t rows : {1, 7, 52, 53}) {
      problem.Run(rows);
      EXPECT_EQ(bits, problem.out.Bytes()) << rows;
    }
  }
}

TEST(EmbeddingDenseBackwardKernel, EmptyInputsFillWithZeros) {
  for (int64_t rows : {0, 1, 5, 90000}) {
    Problem problem{TestTensor(DType::kFloat32, {0, 51}), TestTensor(DType::kInt64, {0}),
                    TestTensor(DType::kFloat32, {rows, 51}, {}, 3)};
    problem.Run();
    for (double value : problem.out.Values()) ASSERT_EQ(value, 0.0);
    EXPECT_TRUE(problem.out.GapsAreUntouched() || rows == 0);
  }
  Problem no_columns{TestTensor(DType::kFloat32, {4, 0}), TestTensor(DType::kInt64, {4}),
                     TestTensor(DType::kFloat32, {9, 0})};
  no_columns.indices.Fill([](int64_t) { return 1.0; });
  no_columns.Run();
}

// Layouts of grad [a, b, columns] with n = a * b rows.
TestTensor GradOf(DType dtype, int layout, int64_t a, int64_t b, int64_t columns) {
  switch (layout) {
    case 0:
      return TestTensor(dtype, {a * b, columns});
    case 1:
      return TestTensor(dtype, {a, b, columns}, {b * (columns + 3), columns + 3, 1}, 5);
    case 2:
      return TestTensor(dtype, {a, b, columns}, {(b + 2) * columns, columns, 1}, 1);
    case 3:
      return TestTensor(dtype, {a * b, columns}, {1, a * b});
    case 4:
      return TestTensor(dtype, {a, b, columns}, {1, a * (columns + 1), a}, 2);
    case 5:
      return TestTensor(dtype, {a, b, columns}, {0, columns, 1});
    case 6:
      return TestTensor(dtype, {a, 1, b, 1, columns}, {columns, 77, a * columns, 99, 1});
    case 7:
      return TestTensor(dtype, {a * b, columns}, {0, 0});
    default:
      return TestTensor(dtype, {a, b, columns}, {3 * columns * b, 3 * columns, 3}, 4);
  }
}

TestTensor IndicesOf(DType dtype, int layout, int64_t a, int64_t b) {
  switch (layout) {
    case 0:
      return TestTensor(dtype, {a * b});
    case 1:
      return TestTensor(dtype, {a, b}, {1, a});
    case 2:
      return TestTensor(dtype, {b, a}, {2 * a + 1, 2}, 3);
    case 3:
      return TestTensor(dtype, {a, b}, {1, 0});
    default:
      return TestTensor(dtype, {1, a, 1, b}, {5, b, 0, 1}, 1);
  }
}

TestTensor OutOf(DType dtype, int layout, int64_t rows, int64_t columns) {
  switch (layout) {
    case 0:
      return TestTensor(dtype, {rows, columns});
    case 1:
      return TestTensor(dtype, {rows, columns}, {}, 3);
    case 2:
      return TestTensor(dtype, {rows, columns}, {columns + 5, 1}, 1);
    case 3:
      return TestTensor(dtype, {rows, columns}, {1, rows});
    default:
      return TestTensor(dtype, {rows, columns}, {2 * columns + 1, 2}, 7);
  }
}

TEST(EmbeddingDenseBackwardKernel, RandomSweep) {
  std::mt19937_64 random(20240229);
  const auto pick = [&](int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  };
  for (int round = 0; round < (kSanitized ? 40 : 160); ++round) {
    const DType grad_type = kFloats[pick(3)];
    const DType out_type = kFloats[pick(3)];
    const DType index_type = kIndexTypes[pick(9)];
    const int grad_layout = static_cast<int>(pick(9));
    const int index_layout = static_cast<int>(pick(5));
    const int out_layout = static_cast<int>(pick(5));
    const int64_t columns = pick(8) == 0 ? 1 : 1 + pick(90);
    const int64_t a = 1 + pick(9);
    const int64_t b = pick(6) == 0 ? 300 + pick(2000) : 1 + pick(40);
    const bool is_bool = index_type == DType::kBool;
    const int64_t rows = is_bool ? 2 : 1 + pick(100);
    const Order order = static_cast<Order>(pick(5));
    SCOPED_TRACE(::testing::Message()
                 << "round " << round << " grad " << NameOf(grad_type) << " layout " << grad_layout
                 << " indices " << NameOf(index_type) << " layout " << index_layout << " out "
                 << NameOf(out_type) << " layout " << out_layout << " a " << a << " b " << b
                 << " rows " << rows << " columns " << columns);
    Problem problem{GradOf(grad_type, grad_layout, a, b, columns),
                    IndicesOf(index_type, index_layout, a, b),
                    OutOf(out_type, out_layout, rows, columns)};
    FillGrad(problem.grad, random());
    FillIndices(problem.indices, rows, order, !is_bool && pick(2) == 0, random());
    problem.padding_idx = pick(3) == 0 ? pick(rows) : (pick(2) == 0 ? -1 : rows);
    problem.scale_by_freq = pick(2) == 0;
    problem.ExpectTruthEverywhere(round % 4 == 0 ? std::initializer_list<int>{1, 2, 5}
                                                 : std::initializer_list<int>{2});
    if (HasFatalFailure()) return;
  }
}

// ---- Cancelled runs
// ------------------------------------------------------------------------------

std::atomic<int> pieces_left{0};
int CancelWhenUsedUp() { return pieces_left.fetch_sub(1) <= 0; }

// Wherever a run stops, and although later passes may be told to go on, nothing is written outside
// the output and the scratch.
TEST(EmbeddingDenseBackwardKernel, ACancelledRunStaysInItsMemory) {
  Problem problem{TestTensor(DType::kFloat32, {60000, 20}, {1, 60000}),
                  TestTensor(DType::kInt64, {60000}),
                  TestTensor(DType::kFloat32, {3000, 20}, {23, 1}, 9)};
  FillGrad(problem.grad, 1);
  FillIndices(problem.indices, 3000, Order::kSkewed, true, 2);
  for (int team : {1, 2}) {
    SetTeamSize(team);
    for (int pieces = 0; pieces < 24; ++pieces) {
      pieces_left = pieces;
      SetCancelQuery(&CancelWhenUsedUp);
      problem.Run();
      SetCancelQuery(nullptr);
      ASSERT_TRUE(problem.out.GapsAreUntouched()) << pieces;
    }
  }
  SetTeamSize(0);
  problem.Run();
  problem.ExpectTruth();
}

}  // namespace
}  // namespace aclimb::embedding_dense_backward
