// The parts of the kernel on their own: sorting and splitting the work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "aclimb/ops/embedding_dense_backward/index_sort.h"
#include "aclimb/ops/embedding_dense_backward/work_split.h"
#include "tests/support/host_tensor.h"

namespace aclimb::embedding_dense_backward {
namespace {

using aclimb::testing::HostTensor;
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

HostTensor IndicesOf(DType dtype, const std::vector<double>& values) {
  HostTensor indices(dtype, {static_cast<int64_t>(values.size())});
  indices.Set(values);
  return indices;
}

// Sizes beside those at which the sort changes its ways, and tables that no test could allocate.
TEST(IndexSort, IsAStableSortAtEverySize) {
  std::mt19937_64 random(1);
  for (int64_t count : {1, 17, 1500, 32769, 100000}) {
    for (int64_t rows : {int64_t{1}, int64_t{255}, int64_t{70000}, int64_t{1} << 40}) {
      for (int64_t distinct : {int64_t{3}, rows}) {
        std::vector<double> values;
        for (int64_t i = 0; i < count; ++i) {
          const uint64_t pick = random() % static_cast<uint64_t>(distinct);
          values.push_back(static_cast<double>(rows - 1 - static_cast<int64_t>(pick) % rows));
        }
        const HostTensor indices = IndicesOf(DType::kInt64, values);
        const RowBand band{0, rows, -1};
        EXPECT_EQ(Sorted(indices.view(), band).AsPairs(), Expected(values, band))
            << count << ' ' << rows << ' ' << distinct;
      }
    }
  }
}

// Rows of the band alone, without the skipped one; any byte of a BOOL but 0 is row 1; what no
// int64 holds is nowhere.
TEST(IndexSort, DropsWhatIsOutsideOfTheBand) {
  const std::vector<double> rows = {5, 0, 3, 3, 7, 8, 100, 1};
  const HostTensor indices = IndicesOf(DType::kInt64, rows);
  for (const RowBand& band : {RowBand{0, 8, 3}, RowBand{2, 4, 5}}) {
    EXPECT_EQ(Sorted(indices.view(), band).AsPairs(), Expected(rows, band));
  }
  HostTensor flags = IndicesOf(DType::kUInt8, {0, 1, 255, 0});
  TensorView view = flags.view();
  view.dtype = DType::kBool;
  EXPECT_EQ(Sorted(view, {0, 2, -1}).AsPairs(), (Pairs{{0, 0}, {0, 3}, {1, 1}, {1, 2}}));
  const HostTensor huge = IndicesOf(DType::kFloat64, {1e30, -1e30, 9.3e18, 4});
  EXPECT_EQ(Sorted(huge.view(), {0, int64_t{1} << 50, -1}).AsPairs(), (Pairs{{4, 3}}));
  const HostTensor extreme = IndicesOf(DType::kInt64, {-0x1p63, 0x1p63, 6});
  EXPECT_EQ(Sorted(extreme.view(), {5, 3, -1}).AsPairs(), (Pairs{{1, 2}}));
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
    std::vector<double> values;
    for (int64_t i = 0; i < c.count; ++i) {
      values.push_back(
          static_cast<double>(c.equal ? uint64_t(c.rows) / 2 : random() % uint64_t(c.rows)));
    }
    const HostTensor indices = IndicesOf(DType::kInt64, values);
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
}

// Where a row holds nearly all the work, two parts share its columns; the cut is the nearest one.
TEST(WorkLine, ARowOfMuchWorkIsCutBetweenColumns) {
  for (const auto& [row, grain] : {std::pair<int64_t, int64_t>{3, 16}, {7, 256}}) {
    const HostTensor equal =
        IndicesOf(DType::kInt64, std::vector<double>(100000, static_cast<double>(row)));
    const Sorted sorted(equal.view(), {0, 8, -1});
    WorkLine line;
    line.sorted = sorted.result;
    line.rows = 8;
    line.columns = 512;
    line.column_grain = grain;
    EXPECT_EQ(line.ElementAt(1, 2, true), row * 512 + 256);
  }
}

}  // namespace
}  // namespace aclimb::embedding_dense_backward
