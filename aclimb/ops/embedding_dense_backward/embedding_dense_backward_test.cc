// The operator through its C interface: results, refusals and edge cases.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/sanitized.h"
#include "aclimb/ops/embedding_dense_backward/contract.h"
#include "aclimb/ops/embedding_dense_backward/operators.h"
#include "aclimb/ops/embedding_dense_backward/truth.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::embedding_dense_backward {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::Random;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Setting;
using aclimb::testing::Tolerance;
using aclimb::testing::Workspace;

using Values = std::vector<double>;
using Extents = std::vector<int64_t>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");
constexpr uint64_t kNoPadding = ~uint64_t{0};
constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

Values Counting(int64_t count) {
  Values values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// FLOAT sums of up to `terms` numbers below `largest`; the half types round once more.
Tolerance ToleranceOf(DType dtype, double terms, double largest) {
  const double absolute = 1e-6 * terms * largest;
  switch (dtype) {
    case DType::kFloat16:
      return {1e-3, absolute};
    case DType::kBFloat16:
      return {8e-3, absolute};
    default:
      return {1e-5, absolute};
  }
}

class EmbeddingDenseBackward : public aclimb::testing::DeviceTest {
 protected:
  int Run(const DeviceTensor& grad, const DeviceTensor& indices, uint64_t num_weights,
          uint64_t padding_idx, bool scale, const DeviceTensor& out) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnEmbeddingDenseBackwardGetWorkspaceSize(
              grad, indices, num_weights, padding_idx, scale, out, size, executor);
        },
        &aclnnEmbeddingDenseBackward, stream_);
  }

  // Dense tensors of one dtype; grad has `columns` columns.
  Values Compute(const Values& grad, const Values& indices, int64_t rows, int64_t columns,
                 uint64_t padding_idx, bool scale, DType dtype = DType::kFloat32,
                 DType index_dtype = DType::kInt64) {
    const int64_t count = static_cast<int64_t>(indices.size());
    const DeviceTensor g({count, columns}, dtype, grad);
    const DeviceTensor i({count}, index_dtype, indices);
    const DeviceTensor out({rows, columns}, dtype);
    ACLIMB_EXPECT_OK(Run(g, i, static_cast<uint64_t>(rows), padding_idx, scale, out));
    EXPECT_TRUE(out.SurroundingsIntact());
    EXPECT_TRUE(g.SurroundingsIntact());
    return out.Values();
  }

  // The example of section 8.
  Values Example(uint64_t padding_idx, bool scale, DType index_dtype = DType::kInt64) {
    return Compute(Counting(12), {2, 0, 2, 5, 2, 0}, 6, 2, padding_idx, scale, DType::kFloat32,
                   index_dtype);
  }
};

const Values kSums = {14, 16, 0, 0, 15, 18, 0, 0, 0, 0, 7, 8};

TEST_F(EmbeddingDenseBackward, SeedSample) {
  const DeviceTensor g({2, 3}, DType::kFloat32, Counting(6));
  const DeviceTensor i({2}, DType::kInt64, {1, 2});
  const DeviceTensor out({4, 3}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(g, i, 4, 0, false, out));
  EXPECT_EQ(out.Values(), (Values{0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0}));
}

TEST_F(EmbeddingDenseBackward, SumsRowsOfEqualIndex) {
  EXPECT_EQ(Example(kNoPadding, false), kSums);
}

TEST_F(EmbeddingDenseBackward, ScalesByTheNumberOfOccurrences) {
  EXPECT_EQ(Example(kNoPadding, true), (Values{7, 8, 0, 0, 5, 6, 0, 0, 0, 0, 7, 8}));
}

TEST_F(EmbeddingDenseBackward, ThePaddingRowIsZero) {
  EXPECT_EQ(Example(0, false), (Values{0, 0, 0, 0, 15, 18, 0, 0, 0, 0, 7, 8}));
  EXPECT_EQ(Example(2, true), (Values{7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8}));
}

TEST_F(EmbeddingDenseBackward, PaddingOutsideTheTableDoesNothing) {
  for (uint64_t padding : {uint64_t{6}, uint64_t{1000000}, ~uint64_t{0}, uint64_t{1} << 63}) {
    EXPECT_EQ(Example(padding, false), kSums) << padding;
  }
}

TEST_F(EmbeddingDenseBackward, IndicesOfEveryDType) {
  for (DType dtype : {DType::kInt32, DType::kInt64, DType::kInt16, DType::kInt8, DType::kUInt8,
                      DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    EXPECT_EQ(Example(kNoPadding, false, dtype), kSums) << NameOf(dtype);
  }
  EXPECT_EQ(Compute({1, 2, 4}, {1, 0, 1}, 2, 1, kNoPadding, false, DType::kFloat32, DType::kBool),
            (Values{2, 5}));
}

TEST_F(EmbeddingDenseBackward, FloatingIndicesTruncateTowardsZero) {
  for (DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    EXPECT_EQ(Compute({1, 2, 4, 8, 16, 32}, {1.75, -0.5, 2.25, kNaN, kInf, -kInf}, 3, 1, kNoPadding,
                      false, DType::kFloat32, dtype),
              (Values{2, 1, 4}))
        << NameOf(dtype);
  }
}

TEST_F(EmbeddingDenseBackward, AllIndicesEqual) {
  EXPECT_EQ(Compute(Values(100000, 1), Values(100000, 1), 3, 1, kNoPadding, false),
            (Values{0, 100000, 0}));
  const Values many(1024, 1);
  EXPECT_EQ(Compute(many, Values(1024, 0), 1, 1, kNoPadding, false, DType::kBFloat16),
            (Values{1024}));
  EXPECT_EQ(Compute(many, Values(1024, 0), 1, 1, kNoPadding, true, DType::kBFloat16), (Values{1}));
  const Values more(70000, 1);
  EXPECT_EQ(Compute(more, Values(70000, 0), 1, 1, kNoPadding, false, DType::kFloat16),
            (Values{kInf}));
  EXPECT_EQ(Compute(more, Values(70000, 0), 1, 1, kNoPadding, true, DType::kFloat16), (Values{1}));
}

TEST_F(EmbeddingDenseBackward, IndicesOutsideTheTableAreSkipped) {
  for (DType dtype : {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kFloat16,
                      DType::kFloat32, DType::kFloat64}) {
    EXPECT_EQ(Compute({1, 2, 4, 8, 16}, {-1, 0, 2, 1, 0}, 2, 1, kNoPadding, false, DType::kFloat32,
                      dtype),
              (Values{18, 8}));
    // An index equal to a negative paddingIdx is outside like any other; counts ignore it.
    EXPECT_EQ(
        Compute({1, 2, 4, 8, 16}, {-1, 0, 2, 1, 0}, 2, 1, kNoPadding, true, DType::kFloat32, dtype),
        (Values{9, 8}));
  }
  EXPECT_EQ(Compute({1, 2}, {9.2e18, -9.2e18}, 2, 1, kNoPadding, false), (Values{0, 0}));
}

TEST_F(EmbeddingDenseBackward, OnlyTheProductsOfTheShapesCount) {
  Random random(1);
  const Values grad = random.Reals(324, -1, 1);
  Values indices;
  for (int i = 0; i < 108; ++i) indices.push_back(static_cast<double>(random.Integer(0, 9)));
  const DeviceTensor g({4, 3, 3, 3, 3}, DType::kFloat32, grad);
  std::vector<unsigned char> bits;
  for (const Extents& shape : {Extents{4, 3, 3, 3}, Extents{108}, Extents{9, 12}}) {
    const DeviceTensor i(shape, DType::kInt32, indices);
    const DeviceTensor out({10, 3}, DType::kFloat32);
    ACLIMB_EXPECT_OK(Run(g, i, 10, kNoPadding, false, out));
    if (bits.empty()) bits = out.Bytes();
    EXPECT_EQ(out.Bytes(), bits);
  }
  // One row of rank 1, and an index of rank 0.
  const DeviceTensor row({3}, DType::kFloat32, {1, 2, 3});
  const DeviceTensor index({}, DType::kInt64, {1});
  const DeviceTensor out({2, 3}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(row, index, 2, kNoPadding, false, out));
  EXPECT_EQ(out.Values(), (Values{0, 0, 0, 1, 2, 3}));
}

TEST_F(EmbeddingDenseBackward, EmptyInputsFillOutWithZeros) {
  const DeviceTensor none({0}, DType::kInt64);
  const DeviceTensor g({0, 5}, DType::kFloat32);
  const DeviceTensor out({3, 5}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(g, none, 3, kNoPadding, false, out));
  EXPECT_EQ(out.Values(), Values(15, 0));
  EXPECT_TRUE(out.SurroundingsIntact());

  const DeviceTensor strided({3, 5}, DType::kFloat16, {}, {.stride = {1, 4}, .offset = 2});
  ACLIMB_EXPECT_OK(Run(DeviceTensor({0, 5}, DType::kFloat16), none, 3, 0, true, strided));
  EXPECT_EQ(strided.Values(), Values(15, 0));
  EXPECT_TRUE(strided.SurroundingsIntact());
}

TEST_F(EmbeddingDenseBackward, NoColumnsOrNoRowsLeaveNothingToDo) {
  const DeviceTensor i({4, 3}, DType::kInt64, Values(12, 1));
  const DeviceTensor no_columns({4, 3, 0}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(no_columns, i, 7, kNoPadding, false, DeviceTensor({7, 0}, DType::kFloat32)));
  EXPECT_EQ(Run(no_columns, i, 7, kNoPadding, false, DeviceTensor({7, 3}, DType::kFloat32)),
            161002);
  // The rows are not compared then.
  ACLIMB_EXPECT_OK(Run(DeviceTensor({9, 0}, DType::kFloat32), i, 7, kNoPadding, false,
                       DeviceTensor({7, 0}, DType::kFloat32)));
  const DeviceTensor g({12, 3}, DType::kFloat32, Values(36, 1));
  ACLIMB_EXPECT_OK(Run(g, i, 0, kNoPadding, false, DeviceTensor({0, 3}, DType::kFloat32)));
}

TEST_F(EmbeddingDenseBackward, EveryPairOfGradAndOutDType) {
  Random random(2);
  const Values values = random.Reals(200 * 7, -4, 4);
  Values indices;
  for (int i = 0; i < 200; ++i) indices.push_back(static_cast<double>(random.Integer(0, 19)));
  for (DType from : kFloats) {
    const DeviceTensor g({200, 7}, from, values);
    const DeviceTensor i({200}, DType::kInt64, indices);
    const Values expected =
        Truth(g.Values(), std::vector<int64_t>(indices.begin(), indices.end()), 20, 7, -1, false);
    for (DType to : kFloats) {
      const DeviceTensor out({20, 7}, to);
      ACLIMB_EXPECT_OK(Run(g, i, 20, kNoPadding, false, out));
      EXPECT_TRUE(Near(out.Values(), expected, ToleranceOf(to, 30, 4)))
          << NameOf(from) << " to " << NameOf(to);
    }
  }
}

// A sum that FLOAT16 cannot hold reaches a FLOAT out unrounded.
TEST_F(EmbeddingDenseBackward, AFloatOutOfFloat16GradIsNotRoundedToFloat16) {
  const DeviceTensor g({3, 1}, DType::kFloat16, {60000, 60000, 1});
  const DeviceTensor i({3}, DType::kInt64, {0, 0, 0});
  const DeviceTensor out({1, 1}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(g, i, 1, kNoPadding, false, out));
  EXPECT_EQ(out.Values(), Values{120001});
}

TEST_F(EmbeddingDenseBackward, StridedViewsWithOffsets) {
  const Values grad = Counting(12);
  const Values indices = {3, 1, 3, 0};
  const Values expected = Truth(grad, {3, 1, 3, 0}, 5, 3, -1, false);
  for (DType dtype : kFloats) {
    const DeviceTensor g({4, 3}, dtype, grad, {.stride = {1, 4}, .offset = 3});
    const DeviceTensor i({2, 2}, DType::kInt32, indices, {.stride = {5, 2}, .offset = 1});
    const DeviceTensor out({5, 3}, dtype, {}, {.stride = {1, 6}, .offset = 7});
    ACLIMB_EXPECT_OK(Run(g, i, 5, kNoPadding, false, out));
    EXPECT_EQ(out.Values(), expected) << NameOf(dtype);
    EXPECT_TRUE(out.SurroundingsIntact());
    const DeviceTensor padded({5, 3}, dtype, {}, {.stride = {8, 1}, .offset = 1});
    ACLIMB_EXPECT_OK(Run(g, i, 5, kNoPadding, false, padded));
    EXPECT_EQ(padded.Values(), expected) << NameOf(dtype);
    EXPECT_TRUE(padded.SurroundingsIntact());
  }
  const DeviceTensor ones({4, 3}, DType::kFloat32, Values(12, 1), {.stride = {0, 0}});
  const DeviceTensor same({4}, DType::kInt64, Values(4, 2), {.stride = {0}});
  const DeviceTensor out({4, 3}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(ones, same, 4, kNoPadding, false, out));
  EXPECT_EQ(out.Values(), (Values{0, 0, 0, 0, 0, 0, 4, 4, 4, 0, 0, 0}));
}

TEST_F(EmbeddingDenseBackward, PlainFormatsAreTakenAsNd) {
  for (aclFormat format : {ACL_FORMAT_NDHWC, ACL_FORMAT_HWCN, ACL_FORMAT_NCHW, ACL_FORMAT_NC}) {
    const DeviceTensor g({2, 3}, DType::kFloat32, Counting(6), {.format = format});
    const DeviceTensor i({2}, DType::kInt64, {1, 0}, {.format = format});
    const DeviceTensor out({2, 3}, DType::kFloat32, {}, {.format = format});
    ACLIMB_EXPECT_OK(Run(g, i, 2, kNoPadding, false, out));
    EXPECT_EQ(out.Values(), (Values{4, 5, 6, 1, 2, 3}));
  }
}

// 1.2 GB of zeros.
TEST_F(EmbeddingDenseBackward, ALargeTableIsFilledWithZeros) {
  if (kSanitized) GTEST_SKIP() << "too much memory for a sanitizer's shadow";
  constexpr int64_t kRows = 155136;
  constexpr int64_t kColumns = 4096;
  constexpr size_t kBytes = size_t{kRows} * kColumns * 2;
  size_t free_bytes = 0;
  size_t total = 0;
  ACLIMB_ASSERT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
  if (free_bytes < kBytes + (size_t{64} << 20)) GTEST_SKIP() << "needs 1.2 GB of device memory";
  const Workspace memory(kBytes);
  // Poison at the ends of every 64 MiB stretch.
  constexpr size_t kStretch = size_t{64} << 20;
  std::vector<unsigned char> host(kStretch);
  for (size_t at = 0; at < kBytes; at += kStretch) {
    const size_t size = std::min(kStretch, kBytes - at);
    char* const stretch = static_cast<char*>(memory.get()) + at;
    ACLIMB_ASSERT_OK(aclrtMemset(stretch, 4096, 0xA5, 4096));
    ACLIMB_ASSERT_OK(aclrtMemset(stretch + size - 4096, 4096, 0xA5, 4096));
  }
  const int64_t shape[] = {kRows, kColumns};
  aclTensor* const out =
      aclCreateTensor(shape, 2, ACL_BF16, nullptr, 0, ACL_FORMAT_ND, shape, 2, memory.get());
  const DeviceTensor g({0, kColumns}, DType::kBFloat16);
  const DeviceTensor i({0}, DType::kInt64);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnEmbeddingDenseBackwardGetWorkspaceSize(g, i, kRows, kNoPadding, false, out,
                                                           size, executor);
      },
      &aclnnEmbeddingDenseBackward, stream_));
  ACLIMB_EXPECT_OK(aclDestroyTensor(out));
  for (size_t at = 0; at < kBytes; at += kStretch) {
    const size_t size = std::min(kStretch, kBytes - at);
    ACLIMB_ASSERT_OK(aclrtMemcpy(host.data(), size, static_cast<char*>(memory.get()) + at, size,
                                 ACL_MEMCPY_DEVICE_TO_HOST));
    uint64_t any = 0;
    for (size_t k = 0; k < size; k += 8) {
      uint64_t word;
      std::memcpy(&word, host.data() + k, 8);
      any |= word;
    }
    ASSERT_EQ(any, 0u) << at;
  }
}

TEST_F(EmbeddingDenseBackward, OddWidthsAndOneIndex) {
  Random random(3);
  for (int64_t columns : {1, 3, 16, 31, 513}) {
    for (int64_t count : {1, 90}) {
      for (DType dtype : kFloats) {
        const DeviceTensor g({count, columns}, dtype, random.Reals(count * columns, -2, 2));
        std::vector<int64_t> rows;
        for (int64_t i = 0; i < count; ++i) rows.push_back(random.Integer(0, 10));
        const DeviceTensor i({count}, DType::kInt64, Values(rows.begin(), rows.end()));
        const DeviceTensor out({11, columns}, dtype);
        ACLIMB_EXPECT_OK(Run(g, i, 11, 4, true, out));
        EXPECT_TRUE(Near(out.Values(), Truth(g.Values(), rows, 11, columns, 4, true),
                         ToleranceOf(dtype, 20, 2)))
            << columns << ' ' << count << ' ' << NameOf(dtype);
        EXPECT_TRUE(out.SurroundingsIntact());
      }
    }
  }
}

TEST_F(EmbeddingDenseBackward, NanInThePaddingRowDoesNotShow) {
  EXPECT_TRUE(Near(Compute({kNaN, kInf, kNaN, 3}, {1, 1, 2, 0}, 3, 1, 1, true), {3, 0, kNaN}, {}));
}

TEST_F(EmbeddingDenseBackward, TheOrderOfTheIndicesDoesNotMatterToExactSums) {
  Values sorted(3000);
  for (size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<double>(i / 30);
  Values reversed(sorted.rbegin(), sorted.rend());
  Values shuffled = sorted;
  Random random(4);
  for (size_t i = shuffled.size(); i > 1; --i) {
    std::swap(shuffled[i - 1],
              shuffled[static_cast<size_t>(random.Integer(0, static_cast<int64_t>(i) - 1))]);
  }
  for (const Values& indices : {sorted, reversed, shuffled}) {
    EXPECT_EQ(Compute(Values(6000, 0.5), indices, 100, 2, kNoPadding, false), Values(200, 15));
  }
}

TEST_F(EmbeddingDenseBackward, RepeatedRunsGiveTheSameBits) {
  Random random(5);
  const DeviceTensor g({40000, 33}, DType::kFloat32, random.Reals(40000 * 33, -1, 1));
  Values indices;
  for (int i = 0; i < 40000; ++i) {
    indices.push_back(static_cast<double>(random.Chance(0.3) ? 5 : random.Integer(0, 999)));
  }
  const DeviceTensor i({40000}, DType::kInt64, indices);
  DeviceTensor out({1000, 33}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(g, i, 1000, kNoPadding, true, out));
  const std::vector<unsigned char> bits = out.Bytes();
  for (int run = 0; run < 3; ++run) {
    out.Poison();
    ACLIMB_EXPECT_OK(Run(g, i, 1000, kNoPadding, true, out));
    EXPECT_EQ(out.Bytes(), bits);
  }
}

enum class Distribution { uniform, zipf, same };

// The named problems, cut down.
TEST_F(EmbeddingDenseBackward, NamedCases) {
  struct Case {
    const char* name;
    int64_t rows, columns, count;
    DType dtype;
    Distribution distribution;
    int64_t padding_idx;
    bool scale;
  };
  constexpr DType float32 = DType::kFloat32, float16 = DType::kFloat16, bfloat16 = DType::kBFloat16;
  using enum Distribution;
  const Case cases[] = {
#define ACLIMB_CASE(name, rows, columns, count, dtype, distribution, padding_idx, scale) \
  {#name, rows, columns, count, dtype, distribution, padding_idx, (scale) != 0},
#include "aclimb/ops/embedding_dense_backward/cases.inc"
#undef ACLIMB_CASE
  };
  Random random(6);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    // Wide problems are cut further.
    const int64_t most = kSanitized ? 100000 : 800000;
    const int64_t rows = std::min<int64_t>({c.rows, 2000, most / c.columns});
    const int64_t count = std::min<int64_t>({c.count, 3000, most / 2 / c.columns});
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < count; ++i) {
      switch (c.distribution) {
        case same:
          indices.push_back(rows / 2);
          break;
        case zipf:  // inverse of the distribution of a continuous 1 / rank law
          indices.push_back(std::min<int64_t>(
              rows - 1,
              static_cast<int64_t>(std::pow(static_cast<double>(rows), random.Real(0, 1))) * 7919 %
                  rows));
          break;
        case uniform:
          indices.push_back(random.Integer(0, rows - 1));
          break;
      }
    }
    const DeviceTensor g({count, c.columns}, c.dtype, random.Reals(count * c.columns, -1, 1));
    const DeviceTensor i({count}, DType::kInt64, Values(indices.begin(), indices.end()));
    const DeviceTensor out({rows, c.columns}, c.dtype);
    ACLIMB_EXPECT_OK(
        Run(g, i, static_cast<uint64_t>(rows), static_cast<uint64_t>(c.padding_idx), c.scale, out));
    EXPECT_TRUE(Near(out.Values(),
                     Truth(g.Values(), indices, rows, c.columns, c.padding_idx, c.scale),
                     ToleranceOf(c.dtype, c.distribution == same ? 400 : 100, 1)));
    EXPECT_TRUE(out.SurroundingsIntact());
  }
}

TEST_F(EmbeddingDenseBackward, PhaseTwoChecksTheWorkspace) {
  const DeviceTensor g({2, 3}, DType::kFloat32, Counting(6));
  const DeviceTensor i({2}, DType::kInt64, {1, 0});
  const DeviceTensor out({2, 3}, DType::kFloat32);
  const auto phase1 = [&](uint64_t* size) {
    aclOpExecutor* executor = nullptr;
    ACLIMB_EXPECT_OK(aclnnEmbeddingDenseBackwardGetWorkspaceSize(g, i, 2, kNoPadding, false, out,
                                                                 size, &executor));
    return executor;
  };
  EXPECT_EQ(aclnnEmbeddingDenseBackward(nullptr, 0, nullptr, stream_), 161001);
  uint64_t size = 0;
  aclOpExecutor* executor = phase1(&size);
  ASSERT_GT(size, 0u);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(nullptr, size, executor, stream_), 161001);
  executor = phase1(&size);
  const Workspace workspace(size);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(workspace.get(), size - 1, executor, stream_), 161002);
  executor = phase1(&size);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(workspace.get(), size, executor, stream_), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 0);
  EXPECT_EQ(aclnnEmbeddingDenseBackward(workspace.get(), size, executor, stream_), 561103);
  EXPECT_EQ(out.Values(), (Values{4, 5, 6, 1, 2, 3}));
}

// The workspace may start anywhere, and nothing behind it is written.
TEST_F(EmbeddingDenseBackward, StaysInAWorkspaceOfAnyAlignment) {
  Random random(9);
  const DeviceTensor g({900, 5}, DType::kFloat32, random.Reals(4500, -1, 1), {.stride = {1, 900}});
  std::vector<int64_t> indices;
  for (int k = 0; k < 900; ++k) indices.push_back(random.Integer(0, 49));
  const DeviceTensor i({900}, DType::kInt64, Values(indices.begin(), indices.end()));
  for (int64_t shift : {0, 1, 8, 36}) {
    const DeviceTensor out({50, 5}, DType::kFloat32);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ACLIMB_ASSERT_OK(aclnnEmbeddingDenseBackwardGetWorkspaceSize(g, i, 50, kNoPadding, false, out,
                                                                 &size, &executor));
    const DeviceTensor workspace({static_cast<int64_t>(size)}, DType::kUInt8, {},
                                 {.offset = shift});
    ACLIMB_ASSERT_OK(aclnnEmbeddingDenseBackward(static_cast<char*>(workspace.data()) + shift, size,
                                                 executor, stream_));
    ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
    EXPECT_TRUE(workspace.SurroundingsIntact());
    EXPECT_TRUE(Near(out.Values(), Truth(g.Values(), indices, 50, 5, -1, false), {1e-5, 4e-5}));
  }
}

void FillValidCall(CallArguments& arguments) {
  arguments.Tensor(kGrad, {4, 3}, DType::kFloat32);
  arguments.Tensor(kIndices, {4}, DType::kInt64);
  arguments.Integer(kNumWeights, 6);
  arguments.Integer(kPaddingIdx, -1);
  arguments.Bool(kScaleGradByFreq, false);
  arguments.Tensor(kOut, {6, 3}, DType::kFloat32);
}

using Harness = ContractHarness<decltype(aclnnEmbeddingDenseBackwardGetWorkspaceSize)>;
Harness MakeHarness() {
  return Harness(kContract, &aclnnEmbeddingDenseBackwardGetWorkspaceSize, &FillValidCall,
                 aclimb::testing::Naming::kEach);
}

TEST(EmbeddingDenseBackwardContract, EveryRuleIsEnforcedAndExplained) {
  Harness harness = MakeHarness();
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("range/numWeights",
                     [](CallArguments& a) { a.Integer(kNumWeights, INT64_MIN); });
  harness.ExpectRule("one-index-per-row/indices", [](CallArguments& a) {
    a.Tensor(kIndices, {4, 3}, DType::kInt64);
  });
  harness.ExpectRule("one-index-per-row/indices",
                     [](CallArguments& a) { a.Tensor(kIndices, {0}, DType::kInt64); });
  harness.ExpectRule("shape/out", [](CallArguments& a) {
    a.Tensor(kOut, {7, 3}, DType::kFloat32);
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Integer(kNumWeights, 5); });
  harness.ExpectRule("shape/out", [](CallArguments& a) {
    a.Tensor(kOut, {6, 4}, DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered({"embedding_dense_backward/product"});
}

TEST(EmbeddingDenseBackwardContract, RanksOfTheThreeTensors) {
  Harness harness = MakeHarness();
  for (const Extents& shape : {Extents{6}, Extents{6, 3, 1}, Extents{}}) {
    harness.ExpectViolation("embedding_dense_backward/rank/out", 161002,
                            [&](CallArguments& a) { a.Tensor(kOut, shape, DType::kFloat32); });
  }
  for (const Extents& shape : {Extents(9, 1), Extents{}}) {
    harness.ExpectViolation("embedding_dense_backward/rank/grad", 161002,
                            [&](CallArguments& a) { a.Tensor(kGrad, shape, DType::kFloat32); });
  }
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kGrad, {2, 1, 2, 1, 1, 1, 1, 3}, DType::kFloat32);
    a.Tensor(kIndices, {1, 2, 1, 1, 2, 1, 1, 1}, DType::kInt64);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kGrad, {3}, DType::kFloat32);
    a.Tensor(kIndices, {}, DType::kInt64);
  });
}

TEST(EmbeddingDenseBackwardContract, OtherDTypesAreRefused) {
  Harness harness = MakeHarness();
  for (DType dtype : {DType::kFloat64, DType::kInt32, DType::kBool, DType::kComplex64}) {
    harness.ExpectViolation("embedding_dense_backward/dtype/grad", 161002, [&](CallArguments& a) {
      a.Tensor(kGrad, {4, 3}, dtype);
    });
    harness.ExpectViolation("embedding_dense_backward/dtype/out", 161002, [&](CallArguments& a) {
      a.Tensor(kOut, {6, 3}, dtype);
    });
  }
  for (DType dtype : {DType::kBFloat16, DType::kUInt16, DType::kUInt32, DType::kUInt64,
                      DType::kComplex64, DType::kComplex128}) {
    harness.ExpectViolation("embedding_dense_backward/dtype/indices", 161002,
                            [&](CallArguments& a) { a.Tensor(kIndices, {4}, dtype); });
  }
}

TEST(EmbeddingDenseBackwardContract, BlockedFormatsAreRefused) {
  Harness harness = MakeHarness();
  for (aclFormat format : {ACL_FORMAT_NC1HWC0, ACL_FORMAT_FRACTAL_Z, ACL_FORMAT_FRACTAL_NZ}) {
    harness.ExpectViolation("embedding_dense_backward/format/grad", 161002, [&](CallArguments& a) {
      a.Tensor(kGrad, {4, 3}, DType::kFloat32, format);
    });
    harness.ExpectViolation(
        "embedding_dense_backward/format/indices", 161002,
        [&](CallArguments& a) { a.Tensor(kIndices, {4}, DType::kInt64, format); });
    harness.ExpectViolation("embedding_dense_backward/format/out", 161002, [&](CallArguments& a) {
      a.Tensor(kOut, {6, 3}, DType::kFloat32, format);
    });
  }
}

TEST(EmbeddingDenseBackwardContract, NullOutranksEverything) {
  MakeHarness().ExpectViolation("embedding_dense_backward/null/out", 161001, [](CallArguments& a) {
    a.Tensor(kGrad, {4, 3}, DType::kInt32);
    a.Null(kOut);
  });
}

// A workspace in proportion to a stride-0 view can be past any number.
TEST(EmbeddingDenseBackwardContract, AWorkspacePastInt64IsRefused) {
  MakeHarness().ExpectViolation(
      "embedding_dense_backward/workspace-overflow", 161002, [](CallArguments& a) {
        a.Tensor(kGrad, {int64_t{1} << 60, 3}, DType::kFloat32, ACL_FORMAT_ND, {0, 1});
        a.Tensor(kIndices, {int64_t{1} << 60}, DType::kInt64, ACL_FORMAT_ND, {0});
      });
}

TEST(EmbeddingDenseBackwardContract, ProductsDiffer) {
  const auto bfloat16 = [](CallArguments& a) {
    a.Tensor(kGrad, {4, 3}, DType::kBFloat16);
    a.Tensor(kOut, {6, 3}, DType::kBFloat16);
  };
  Harness harness = MakeHarness();
  for (const char* chip : {"Ascend310P", "Ascend310P3"}) {
    const Setting product("ACLIMB_SOC", chip);
    harness.ExpectViolation("embedding_dense_backward/product", 161002, [](CallArguments&) {});
  }
  for (const char* chip : {"Ascend910A", "Ascend910B"}) {
    const Setting product("ACLIMB_SOC", chip);
    harness.ExpectAccepted();
    harness.ExpectViolation("embedding_dense_backward/dtype/grad", 161002, bfloat16);
    harness.ExpectViolation("embedding_dense_backward/dtype/out", 161002, [](CallArguments& a) {
      a.Tensor(kOut, {6, 3}, DType::kBFloat16);
    });
  }
  for (const char* chip : {"Ascend910B1", "Ascend910B3", "Ascend910_9391", "Ascend950PR_9599"}) {
    const Setting product("ACLIMB_SOC", chip);
    harness.ExpectAccepted(bfloat16);
  }
  harness.ExpectAccepted(bfloat16);
}

// One message, whole, as people read it.
TEST(EmbeddingDenseBackwardContract, TheMessageNamesBothShapes) {
  CallArguments a(6);
  FillValidCall(a);
  a.Tensor(kIndices, {5}, DType::kInt64);
  (void)aclGetRecentErrMsg();
  uint64_t size;
  aclOpExecutor* executor;
  const auto tensor = [&](int index) { return static_cast<const aclTensor*>(a.At(index).handle); };
  EXPECT_EQ(aclnnEmbeddingDenseBackwardGetWorkspaceSize(tensor(kGrad), tensor(kIndices), 6, 0,
                                                        false, tensor(kOut), &size, &executor),
            161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnEmbeddingDenseBackwardGetWorkspaceSize: grad.shape is [4, 3], which is 4 rows "
               "of 3, but indices.shape is [5], which is 5 indices; expected one index per row.\n"
               "  fix: pass the indices of the forward call and the gradient of its output\n"
               "  rule: embedding_dense_backward/one-index-per-row/indices   code: 161002 "
               "ACLNN_ERR_PARAM_INVALID");
}

}  // namespace
}  // namespace aclimb::embedding_dense_backward

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(EmbeddingDenseBackward, embedding_dense_backward::kOperators);

}  // namespace aclimb::testing
