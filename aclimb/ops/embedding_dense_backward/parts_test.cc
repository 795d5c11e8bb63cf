// The parts of the kernel on their own: sorting, splitting the work, making rows dense.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "aclimb/ops/embedding_dense_backward/dense_rows.h"
#include "aclimb/ops/embedding_dense_backward/index_sort.h"
#include "aclimb/ops/embedding_dense_backward/row_sum.h"
#include "aclimb/ops/embedding_dense_backward/test_tensor.h"
#include "aclimb/ops/embedding_dense_backward/work_split.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::embedding_dense_backward {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;  // row, position

struct Sorted {
  std::vector<uint64_t> scratch;
  SortedIndices result;

  Sorted(const TensorView& indices, const RowBand& band)
      : scratch(static_cast<size_t>(IndexSortScratchBytes(indices.ElementCount(), band.count)) / 8,
                ~uint64_t{0}) {
    EXPECT_TRUE(SortIndices(indices, band, scratch.data(), &result));
  }
  Pairs AsPairs() const {
    Pairs pairs;
    for (int64_t i = 0; i < result.count; ++i) {
      pairs.emplace_back(result.RowOf(i), result.PositionOf(i));
    }
    return pairs;
  }
};

Pairs Expected(const std::vector<double>& indices, const RowBand& band) {
  Pairs pairs;
  for (size_t i = 0; i < indices.size(); ++i) {
    const double row = std::trunc(indices[i]);
    if (!(row >= static_cast<double>(band.first)) ||
        !(row < static_cast<double>(band.first + band.count)) ||
        row == static_cast<double>(band.skipped)) {
      continue;
    }
    pairs.emplace_back(static_cast<int64_t>(row) - band.first, static_cast<int64_t>(i));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

TEST(IndexSort, IsAStableSortAtEverySize) {
  std::mt19937_64 random(1);
  for (int64_t count : {1, 2, 15, 17, 700, 1500, 32768, 32769, 100000}) {
    for (int64_t rows : {int64_t{1}, int64_t{2}, int64_t{255}, int64_t{70000}, int64_t{1} << 40}) {
      for (int64_t distinct : {int64_t{1}, int64_t{3}, rows}) {
        TestTensor indices(DType::kInt64, {count});
        indices.Fill([&](int64_t) {
          const uint64_t pick = random() % static_cast<uint64_t>(distinct);
          return static_cast<double>(rows - 1 - static_cast<int64_t>(pick) % rows);
        });
        const RowBand band{0, rows, -1};
        EXPECT_EQ(Sorted(indices.view(), band).AsPairs(), Expected(indices.Values(), band))
            << count << ' ' << rows << ' ' << distinct;
      }
    }
  }
}

TEST(IndexSort, ConvertsEveryDTypeAndDropsTheRest) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> whole = {5, 0, 3, 3, 7, 8, 100, 1};
  const std::vector<double> hostile = {5.9, -0.5, -1, nan, infinity, -infinity, 7.99, 60000, 0};
  for (DType dtype : {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8,
                      DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    TestTensor indices(dtype, {8});
    indices.Fill([&](int64_t i) { return whole[static_cast<size_t>(i)]; });
    for (const RowBand& band : {RowBand{0, 8, -1}, RowBand{0, 8, 3}, RowBand{2, 4, 5}}) {
      EXPECT_EQ(Sorted(indices.view(), band).AsPairs(), Expected(whole, band)) << NameOf(dtype);
    }
    if (!IsFloating(dtype)) continue;
    TestTensor odd(dtype, {9});
    odd.Fill([&](int64_t i) { return hostile[static_cast<size_t>(i)]; });
    EXPECT_EQ(Sorted(odd.view(), {0, 8, -1}).AsPairs(), (Pairs{{0, 1}, {0, 8}, {5, 0}, {7, 6}}))
        << NameOf(dtype);
  }
  for (DType dtype : {DType::kFloat32, DType::kFloat64}) {
    TestTensor huge(dtype, {4});
    const double values[] = {1e30, -1e30, 9.3e18, 4};
    huge.Fill([&](int64_t i) { return values[i]; });
    EXPECT_EQ(Sorted(huge.view(), {0, int64_t{1} << 50, -1}).AsPairs(), (Pairs{{4, 3}}));
  }
  TestTensor extreme(DType::kInt64, {3});
  int64_t* const values = extreme.view().As<int64_t>();
  values[0] = std::numeric_limits<int64_t>::min();
  values[1] = std::numeric_limits<int64_t>::max();
  values[2] = 6;
  EXPECT_EQ(Sorted(extreme.view(), {5, 3, -1}).AsPairs(), (Pairs{{1, 2}}));
}

// Any non-zero byte is true.
TEST(IndexSort, BoolIsZeroOrOne) {
  TestTensor indices(DType::kBool, {4});
  const double bytes[] = {0, 1, 255, 0};
  indices.Fill([&](int64_t i) { return bytes[i]; });
  EXPECT_EQ(Sorted(indices.view(), {0, 2, -1}).AsPairs(), (Pairs{{0, 0}, {0, 3}, {1, 1}, {1, 2}}));
}

TEST(IndexSort, RowsPastThirtyTwoBitsAreKept) {
  TestTensor indices(DType::kInt64, {3});
  const double values[] = {4294967296.0 + 3, 3, 4294967296.0};
  indices.Fill([&](int64_t i) { return values[i]; });
  EXPECT_EQ(Sorted(indices.view(), {0, int64_t{1} << 33, -1}).AsPairs(),
            (Pairs{{3, 1}, {4294967296, 2}, {4294967299, 0}}));
}

TEST(IndexSort, BandsLeaveRoomForPositions) {
  for (int64_t count : {int64_t{1}, int64_t{2}, int64_t{1} << 20, (int64_t{1} << 40) + 1}) {
    const int64_t rows = MaxBandRows(count);
    EXPECT_GT(rows, 0);
    EXPECT_LE(static_cast<double>(rows) * static_cast<double>(count), 0x1p64);
  }
}

TEST(WorkLine, CutsCoverTheOutputInOrderAndEvenly) {
  std::mt19937_64 random(5);
  struct Case {
    int64_t count, rows, columns;
    bool equal;
  };
  for (const Case& c : {Case{1, 1, 1, true}, Case{1000, 50, 64, false}, Case{5000, 7, 512, true},
                        Case{40, 100000, 3, false}, Case{3000, 3000, 1, false}}) {
    TestTensor indices(DType::kInt64, {c.count});
    indices.Fill([&](int64_t) {
      return static_cast<double>(c.equal ? c.rows / 2
                                         : static_cast<int64_t>(random() % uint64_t(c.rows)));
    });
    const Sorted sorted(indices.view(), {0, c.rows, -1});
    WorkLine line;
    line.sorted = sorted.result;
    line.rows = c.rows;
    line.columns = c.columns;
    line.column_grain = 16;
    for (int64_t parts : {1, 2, 3, 16}) {
      int64_t previous = 0;
      EXPECT_EQ(line.ElementAt(0, parts, true), 0);
      for (int64_t part = 1; part <= parts; ++part) {
        const int64_t at = line.ElementAt(part, parts, true);
        EXPECT_GE(at, previous);
        const int64_t column = at % c.columns;
        EXPECT_EQ(column % 16, 0);
        EXPECT_EQ(line.ElementAt(part, parts, false) % c.columns, 0);
        EXPECT_LE(line.ElementAt(part, parts, false), at);
        previous = at;
      }
      EXPECT_EQ(previous, c.rows * c.columns);
    }
  }
  // One row holds nearly all the work: two parts share its columns.
  TestTensor equal(DType::kInt64, {100000});
  equal.Fill([](int64_t) { return 3.0; });
  const Sorted sorted(equal.view(), {0, 8, -1});
  WorkLine line;
  line.sorted = sorted.result;
  line.rows = 8;
  line.columns = 512;
  line.column_grain = 16;
  EXPECT_EQ(line.ElementAt(1, 2, true), 3 * 512 + 256);
  // Just below the middle, the nearest cut is still the middle.
  equal.Fill([](int64_t) { return 7.0; });
  const Sorted last(equal.view(), {0, 8, -1});
  line.sorted = last.result;
  line.column_grain = 256;
  EXPECT_EQ(line.ElementAt(1, 2, true), 7 * 512 + 256);
}

TEST(DenseRows, CopiesAnyLayout) {
  struct Case {
    std::vector<int64_t> shape, stride;
  };
  const Case cases[] = {{{200, 70}, {1, 200}},
                        {{5, 40, 130}, {1, 650, 5}},
                        {{5, 40, 130}, {7000, 1, 40}},
                        {{3, 1, 9, 2}, {200, 7, 0, 3}},
                        {{11}, {4}},
                        {{6, 5}, {0, 0}}};
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (const Case& c : cases) {
      TestTensor from(dtype, c.shape, c.stride);
      from.Fill([](int64_t i) { return static_cast<double>(i % 128); });
      EXPECT_TRUE(RowsAreScattered(from.view()));
      TestTensor to(dtype, c.shape);
      EXPECT_TRUE(CopyDense(from.view(), to.view().data));
      EXPECT_EQ(to.Values(), from.Values());
    }
  }
}

TEST(RowOffsets, FollowTheLeadingDimensions) {
  const TestTensor tensors[] = {TestTensor(DType::kFloat32, {4, 5, 3}),
                                TestTensor(DType::kFloat32, {4, 5, 3}, {40, 4, 1}),
                                TestTensor(DType::kFloat32, {4, 5, 3}, {3, 12, 1}),
                                TestTensor(DType::kFloat32, {2, 1, 3, 2, 4}, {100, 9, 4, 30, 1}),
                                TestTensor(DType::kFloat32, {7})};
  for (const TestTensor& tensor : tensors) {
    const RowOffsets offsets = RowOffsets::Of(tensor.view());
    const int64_t columns = tensor.view().shape[tensor.view().rank - 1];
    tensor.Each([&](int64_t i, char* at) {
      if (i % columns != 0) return;
      EXPECT_EQ(tensor.view().As<char>() + 4 * offsets.At(i / columns), at);
    });
  }
}

}  // namespace
}  // namespace aclimb::embedding_dense_backward
