// What only the kernel itself shows: the bits of sums, sizes beyond those of the suite, bands, and
// runs that are cancelled.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "aclimb/ops/embedding_dense_backward/cpu.h"
#include "aclimb/ops/embedding_dense_backward/direct_sum.h"
#include "aclimb/ops/embedding_dense_backward/row_sum.h"
#include "aclimb/ops/embedding_dense_backward/truth.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/truth/compare.h"
#include "tests/support/host_tensor.h"

namespace aclimb::embedding_dense_backward {
namespace {

using aclimb::testing::HostMemory;
using aclimb::testing::HostTensor;

constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr int64_t kAllRows = std::numeric_limits<int64_t>::max();

std::vector<int64_t> ShapeOf(const TensorView& view) {
  return {view.shape, view.shape + view.rank};
}

struct Problem {
  HostTensor grad;
  HostTensor indices;
  HostTensor out;
  int64_t padding_idx = -1;
  bool scale_by_freq = false;

  void Run(int64_t max_band_rows = kAllRows) {
    out.Poison();
    HostMemory scratch(static_cast<size_t>(ScratchBytes(grad.view(), indices.view(), out.view())));
    const Args args = {grad.view(), indices.view(), out.view(),
                       padding_idx, scale_by_freq,  scratch.data()};
    max_band_rows == kAllRows ? RunOnCpu(args) : RunInBands(args, max_band_rows);
    EXPECT_TRUE(scratch.CanariesIntact());
    EXPECT_TRUE(out.SurroundingsIntact());
  }

  void ExpectTruth() const {
    truth::Call call(kContract);
    call.SetTensor(kGrad, ShapeOf(grad.view()), grad.view().dtype, grad.Values());
    call.SetTensor(kIndices, ShapeOf(indices.view()), indices.view().dtype, indices.Values());
    call.SetTensor(kOut, ShapeOf(out.view()), out.view().dtype);
    call.SetInteger(kPaddingIdx, padding_idx);
    call.SetInteger(kScaleGradByFreq, scale_by_freq ? 1 : 0);
    truth::Outputs outputs;
    Truth(call, outputs);
    const truth::Expected expected = truth::InDType(*outputs.Find(kOut), out.view().dtype);
    EXPECT_EQ(truth::DifferenceOf(out.Values(), expected.values, expected.allowed).beyond, 0u);
  }
};

// Numbers of 8 bits, which every dtype holds, yet sums of them round.
std::vector<double> RandomGrad(int64_t count) {
  std::mt19937_64 random(7);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) {
    value =
        std::ldexp(static_cast<double>(random() % 255) - 127.0, static_cast<int>(random() % 9) - 8);
  }
  return values;
}

// Every other one is in the same row; some are outside.
std::vector<double> SkewedIndices(int64_t count, int64_t rows) {
  std::mt19937_64 random(11);
  std::vector<double> indices(static_cast<size_t>(count));
  for (double& index : indices) {
    index = static_cast<double>(random() % static_cast<uint64_t>(rows));
    if (random() % 2 == 0) index = static_cast<double>(rows / 3);
    if (random() % 9 == 0) index = random() % 2 == 0 ? -1.0 : static_cast<double>(rows);
  }
  return indices;
}

// Large enough for non-temporal stores, several blocks of the sort, several pieces of one thread
// and every team member; the rows start beside a cache line.
TEST(EmbeddingDenseBackwardKernel, LargeOutputsStreamAroundTheCache) {
  constexpr int64_t kCount = 40000, kRows = 70001, kColumns = 63;
  Problem problem{HostTensor(DType::kFloat32, {kCount, kColumns}),
                  HostTensor(DType::kInt32, {kCount}),
                  HostTensor(DType::kFloat32, {kRows, kColumns}, {}, 1)};
  problem.grad.Set(RandomGrad(kCount * kColumns));
  problem.indices.Set(SkewedIndices(kCount, kRows));
  problem.Run();
  problem.ExpectTruth();
  const std::vector<unsigned char> bits = problem.out.Bytes();
  EachTarget([&] {
    for (const int team : {1, 3}) {
      SetTeamSize(team);
      problem.Run();
      EXPECT_TRUE(bits == problem.out.Bytes()) << hwy::TargetName(hwy::SupportedTargets()) << team;
    }
  });
  SetTeamSize(0);
}

// Sums are FLOAT additions one after the other, in the order of the positions, within blocks of
// rows; the sums of the blocks are added in double: bit for bit, on every instruction set and
// whatever the columns are cut into.
TEST(EmbeddingDenseBackwardKernel, SumsFollowThePositions) {
  constexpr int64_t kCount = 6 * kBlockRows;
  constexpr int64_t kRows = 10;
  constexpr int64_t kColumns = 2103;
  Problem problem{HostTensor(DType::kFloat32, {kCount, kColumns}),
                  HostTensor(DType::kInt64, {kCount}),
                  HostTensor(DType::kFloat32, {kRows, kColumns})};
  problem.indices.Set(SkewedIndices(kCount, kRows));
  std::vector<double> sines;
  for (int64_t i = 0; i < kCount * kColumns; ++i) sines.push_back(std::sin(static_cast<double>(i)));
  problem.grad.Set(sines);
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
    for (const int team : {1, 2, 7}) {
      SetTeamSize(team);
      problem.Run();
      EXPECT_EQ(
          std::memcmp(expected.data(), problem.out.view().data, expected.size() * sizeof(float)), 0)
          << hwy::TargetName(hwy::SupportedTargets()) << ", threads " << team;
    }
  });
  SetTeamSize(0);
}

// Equal terms are the worst, since their roundings all err to the same side.
TEST(EmbeddingDenseBackwardKernel, AMillionEqualRowsAreAsGoodAsAFew) {
  constexpr int64_t kCount = 1000001;
  HostTensor index(DType::kInt32, {1});
  index.Set({1});
  TensorView indices = index.view();
  indices.shape[0] = kCount;
  indices.stride[0] = 0;
  for (DType dtype : kFloats) {
    for (int64_t columns : {1, 19}) {
      HostTensor row(dtype, {1, columns});
      row.Set(std::vector<double>(static_cast<size_t>(columns), 0.05));
      TensorView grad = row.view();
      grad.shape[0] = kCount;
      grad.stride[0] = 0;
      for (bool scale : {false, true}) {
        HostTensor out(DType::kFloat32, {3, columns});
        HostMemory scratch(static_cast<size_t>(ScratchBytes(grad, indices, out.view())));
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

// A mean that fits is found although the sum does not fit float32, and zeros keep their sign.
TEST(EmbeddingDenseBackwardKernel, LongSumsKeepLargeMeansAndNegativeZeros) {
  constexpr size_t kCount = 2 * kBlockRows;
  Problem problem{HostTensor(DType::kFloat32, {kCount, 9}), HostTensor(DType::kInt64, {kCount}),
                  HostTensor(DType::kFloat32, {1, 9})};
  problem.indices.Set(std::vector<double>(kCount, 0.0));
  const double large = std::ldexp(1.0, 127) / static_cast<double>(kBlockRows);
  std::vector<double> grad;
  for (size_t i = 0; i < kCount; ++i) grad.insert(grad.end(), {large, -0.0, 0, 0, 0, 0, 0, 0, 0});
  problem.grad.Set(grad);
  problem.Run();
  EXPECT_EQ(problem.out.Values()[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(problem.out.Values()[1], 0.0);
  EXPECT_TRUE(std::signbit(problem.out.Values()[1]));
  problem.scale_by_freq = true;
  problem.Run();
  EXPECT_EQ(problem.out.Values()[0], large);
}

TEST(EmbeddingDenseBackwardKernel, BandsOfRowsGiveTheSameBits) {
  Problem problem{HostTensor(DType::kFloat32, {300, 9}), HostTensor(DType::kInt64, {300}),
                  HostTensor(DType::kFloat32, {53, 9})};
  problem.grad.Set(RandomGrad(2700));
  problem.indices.Set(SkewedIndices(300, 53));
  problem.padding_idx = 17;
  problem.scale_by_freq = true;
  problem.Run();
  problem.ExpectTruth();
  const std::vector<unsigned char> bits = problem.out.Bytes();
  for (int64_t rows : {1, 7, 52, 53}) {
    problem.Run(rows);
    EXPECT_EQ(bits, problem.out.Bytes()) << rows;
  }
}

// Few columns are added without a sort: the same bits for every team, the truth for every dtype,
// layout and slice of the positions.
TEST(EmbeddingDenseBackwardKernel, FewColumnsAreSummedAsTheyCome) {
  constexpr int64_t kRows = 500;
  const auto expect = [](Problem& problem, int64_t count, int64_t columns) {
    ASSERT_TRUE(SumsDirectly(problem.indices.view(), problem.out.view()));
    problem.grad.Set(RandomGrad(count * columns));
    problem.padding_idx = 17;
    for (const bool scale : {false, true}) {
      problem.scale_by_freq = scale;
      SetTeamSize(1);
      problem.Run();
      problem.ExpectTruth();
      const std::vector<unsigned char> bits = problem.out.Bytes();
      for (const int team : {2, 7}) {
        SetTeamSize(team);
        problem.Run();
        EXPECT_TRUE(bits == problem.out.Bytes()) << team;
      }
    }
    SetTeamSize(0);
  };
  for (const DType dtype : kFloats) {
    // One slice, or up to three of them and the last one shorter; rows dense, apart, and scattered.
    for (const auto& [columns, count] : {std::pair<int64_t, int64_t>{1, 300},
                                         {1, 98765},
                                         {2, 300},
                                         {3, 70000},
                                         {4, 300},
                                         {8, 300}}) {
      SCOPED_TRACE(::testing::Message() << NameOf(dtype) << ' ' << columns << ' ' << count);
      Problem dense{HostTensor(dtype, {count, columns}), HostTensor(DType::kInt64, {count}),
                    HostTensor(dtype, {kRows, columns})};
      dense.indices.Set(SkewedIndices(count, kRows));
      expect(dense, count, columns);
      Problem strided{HostTensor(dtype, {5, count / 5, columns}, {columns, 5 * columns + 1, 1}),
                      HostTensor(DType::kInt32, {count}, {2}),
                      HostTensor(DType::kFloat32, {kRows, columns}, {1, kRows + 3})};
      strided.indices.Set(SkewedIndices(count, kRows));
      expect(strided, count, columns);
      Problem scattered{HostTensor(dtype, {count, columns}, {1, count + 1}),
                        HostTensor(DType::kInt64, {count / 5, 5}, {1, count / 5}),
                        HostTensor(DType::kBFloat16, {kRows, columns}, {columns + 2, 1})};
      scattered.indices.Set(SkewedIndices(count, kRows));
      expect(scattered, count, columns);
    }
  }
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kInt16,
                            DType::kInt8, DType::kUInt8, DType::kBool}) {
    SCOPED_TRACE(NameOf(dtype));
    Problem problem{HostTensor(DType::kFloat32, {500, 3}), HostTensor(dtype, {500}),
                    HostTensor(DType::kFloat32, {90, 3})};
    std::vector<double> indices = SkewedIndices(500, 90);
    for (double& index : indices) {
      if (dtype == DType::kBool) index = index > 30 ? 1 : 0;
      if (dtype == DType::kUInt8) index = std::max(index, 0.0);
    }
    problem.indices.Set(indices);
    expect(problem, 500, 3);
  }
}

TEST(EmbeddingDenseBackwardKernel, ManyColumnsAndSparseTablesAreSorted) {
  const auto direct = [](int64_t count, int64_t rows, int64_t columns) {
    TensorView indices, out;
    indices.rank = 1;
    indices.shape[0] = count;
    out.rank = 2;
    out.shape[0] = rows;
    out.shape[1] = columns;
    return SumsDirectly(indices, out);
  };
  EXPECT_TRUE(direct(500000, 100000, 1));
  EXPECT_TRUE(direct(500000, 65536, 8));
  EXPECT_FALSE(direct(500000, 65537, 8));
  EXPECT_FALSE(direct(500000, 100, 9));
  EXPECT_FALSE(direct(8, 1000, 1));
  EXPECT_FALSE(direct(0, 10, 1));
  EXPECT_FALSE(direct(10, 10, 0));
}

std::atomic<int> asked{0};
int cancel_at = 0;
int Cancel() { return asked.fetch_add(1) == cancel_at ? 1 : 0; }

// Wherever a run stops, no later loop begins, although it would be told to go on, and nothing is
// written outside the output and the scratch.
TEST(EmbeddingDenseBackwardKernel, ACancelledRunStops) {
  constexpr int64_t kCount = 60000, kRows = 3000, kColumns = 20;
  Problem problem{HostTensor(DType::kFloat32, {kCount, kColumns}, {1, kCount}),
                  HostTensor(DType::kInt64, {kCount}),
                  HostTensor(DType::kFloat32, {kRows, kColumns}, {23, 1}, 9)};
  problem.grad.Set(RandomGrad(kCount * kColumns));
  problem.indices.Set(SkewedIndices(kCount, kRows));
  for (int team : {1, 2}) {
    SetTeamSize(team);
    for (cancel_at = 0; cancel_at < 24; ++cancel_at) {
      asked = 0;
      SetCancelQuery(&Cancel);
      problem.Run();
      SetCancelQuery(nullptr);
      ASSERT_LE(asked, cancel_at + 1);
    }
  }
  SetTeamSize(0);
  problem.Run();
  problem.ExpectTruth();
}

// Between two pieces of a slice, too: the query has the only slice cancelled at its second piece.
TEST(EmbeddingDenseBackwardKernel, ACancelledSliceOfDirectSumsStops) {
  constexpr int64_t kCount = 30000, kRows = 3000;
  Problem problem{HostTensor(DType::kFloat32, {kCount, 1}), HostTensor(DType::kInt64, {kCount}),
                  HostTensor(DType::kFloat32, {kRows, 1})};
  ASSERT_TRUE(SumsDirectly(problem.indices.view(), problem.out.view()));
  problem.grad.Set(RandomGrad(kCount));
  problem.indices.Set(SkewedIndices(kCount, kRows));
  asked = 0;
  cancel_at = 2;
  SetCancelQuery(&Cancel);
  problem.Run();
  SetCancelQuery(nullptr);
  EXPECT_EQ(asked, cancel_at + 1);
  problem.Run();
  problem.ExpectTruth();
}

}  // namespace
}  // namespace aclimb::embedding_dense_backward
