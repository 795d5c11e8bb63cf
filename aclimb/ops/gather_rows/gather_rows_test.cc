#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/ops/gather_rows/operators.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::gather_rows {
namespace {

using aclimb::testing::DeviceTensor;
using aclimb::testing::RunBothPhases;

class GatherRows : public aclimb::testing::DeviceTest {
 protected:
  // By each of the three operators: rows of [3, 2] by six indices.
  template <typename Phase1>
  std::vector<double> Rows(Phase1 phase1,
                           aclnnStatus (*phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream)) {
    constexpr auto kLeast = static_cast<double>(std::numeric_limits<int64_t>::min());
    const DeviceTensor table({3, 2}, DType::kFloat32, {1, 2, 3, 4, 5, 6});
    const DeviceTensor index({6}, DType::kInt64, {2, 3, -1, kLeast, 1e15, -4});
    const DeviceTensor out({6, 2}, DType::kFloat32);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return phase1(table, index, out, size, executor);
        },
        phase2, stream_));
    EXPECT_TRUE(out.SurroundingsIntact());
    return out.Values();
  }
};

// Next to the ends, and so far away that an address would overflow.
TEST_F(GatherRows, SlicesThatAreNotThereAreZeros) {
  const std::vector<double> from_begin = {5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<double> from_both_ends = {5, 6, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Rows(&aclnnEmbeddingGetWorkspaceSize, &aclnnEmbedding), from_begin);
  EXPECT_EQ(Rows(
                [](const aclTensor* self, const aclTensor* index, aclTensor* out, uint64_t* size,
                   aclOpExecutor** executor) {
                  return aclnnIndexSelectGetWorkspaceSize(self, 0, index, out, size, executor);
                },
                &aclnnIndexSelect),
            from_begin);
  EXPECT_EQ(Rows(
                [](const aclTensor* self, const aclTensor* index, aclTensor* out, uint64_t* size,
                   aclOpExecutor** executor) {
                  return aclnnGatherV2GetWorkspaceSize(self, -2, index, out, size, executor);
                },
                &aclnnGatherV2),
            from_both_ends);
}

TEST_F(GatherRows, AnotherShapeIsRefused) {
  const DeviceTensor self({3, 2}, DType::kFloat32), index({2, 2}, DType::kInt32);
  const DeviceTensor out({3, 4}, DType::kFloat32);
  uint64_t size;
  aclOpExecutor* executor;
  EXPECT_EQ(aclnnGatherV2GetWorkspaceSize(self, -1, index, out, &size, &executor), 161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnGatherV2GetWorkspaceSize: out.shape is [3, 4] but self.shape is [3, 2], dim "
               "is -1 and index.shape is [2, 2]; expected [3, 2, 2].\n"
               "  fix: allocate out with this shape\n"
               "  rule: gather_v2/shape/out   code: 161002 ACLNN_ERR_PARAM_INVALID");
}

}  // namespace
}  // namespace aclimb::gather_rows

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(GatherRows, gather_rows::kOperators);

}  // namespace aclimb::testing
