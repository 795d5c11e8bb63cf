// Sums by indices of half types, which vectors make.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "aclimb/ops/indexing/operators.h"
#include "aclimb/ops/indexing/test_scatter_add.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"

namespace aclimb::indexing {
namespace {

using aclimb::testing::DeviceTensor;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Scalar;

class HalfTypes : public ScatterAddTest {
 protected:
  using Values = std::vector<double>;
};

// Rows and columns of half types, of whole vectors and blocks and what is left of them: places have
// none, one, some and many entries, whose sums are whole numbers that the half types have.
TEST_F(HalfTypes, SumsOnEveryTarget) {
  constexpr int64_t kEntries = 300, kPlaces = 90, kLines = 45;
  Values rows, across, along, source, turned;
  for (int64_t s = 0; s < kEntries; ++s) {
    rows.push_back(static_cast<double>(s < 80 ? 7 : s < 140 ? s - 60 : s * 11 % 89));
  }
  Values expected(kPlaces * kLines), turned_expected(kPlaces * kLines);
  for (int64_t s = 0; s < kEntries; ++s) {
    for (int64_t c = 0; c < kLines; ++c) {
      across.push_back(rows[static_cast<size_t>(s)]);
      source.push_back(static_cast<double>((s + c) % 3 - 1));
      const auto place = static_cast<int64_t>(rows[static_cast<size_t>(s)]);
      expected[static_cast<size_t>(place * kLines + c)] += source.back();
      turned_expected[static_cast<size_t>(c * kPlaces + place)] += source.back();
    }
  }
  for (int64_t c = 0; c < kLines; ++c) {
    for (int64_t s = 0; s < kEntries; ++s) {
      along.push_back(rows[static_cast<size_t>(s)]);
      turned.push_back(source[static_cast<size_t>(s * kLines + c)]);
    }
  }
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    EachTarget([&] {
      SCOPED_TRACE(hwy::TargetName(hwy::SupportedTargets()));
      const Values zeros(kPlaces * kLines);
      const DeviceTensor self({kPlaces, kLines}, dtype, zeros),
          src({kEntries, kLines}, dtype, source);
      const DeviceTensor index({kEntries}, DType::kInt64, rows);
      for (const float alpha : {1.0f, 2.0f, -2.0f}) {
        ACLIMB_EXPECT_OK(RunBothPhases(
            [&](uint64_t* size, aclOpExecutor** executor) {
              return aclnnIndexAddGetWorkspaceSize(self, 0, index, src, Scalar(alpha), self, size,
                                                   executor);
            },
            &aclnnIndexAdd, stream_));
      }
      EXPECT_EQ(self.Values(), expected);
      const DeviceTensor sums({kPlaces, kLines}, dtype, zeros);
      const DeviceTensor places({kEntries, kLines}, DType::kInt64, across);
      ACLIMB_EXPECT_OK(ScatterAdd(sums, 0, places, src));
      EXPECT_EQ(sums.Values(), expected);
      const DeviceTensor lines({kLines, kPlaces}, dtype, zeros);
      ACLIMB_EXPECT_OK(ScatterAdd(lines, 1, DeviceTensor({kLines, kEntries}, DType::kInt64, along),
                                  DeviceTensor({kLines, kEntries}, dtype, turned)));
      EXPECT_EQ(lines.Values(), turned_expected);
    });
  }
}

}  // namespace
}  // namespace aclimb::indexing
