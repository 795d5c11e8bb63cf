// What is particular to the operator; the suite has the rest.

#include <vector>

#include "aclimb/ops/affine_grid/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::affine_grid_test {

ACLIMB_OPERATOR_SUITE(AffineGrid, affine_grid::kOperators);

namespace {

using namespace affine_grid;  // NOLINT: the parameters' positions
using Values = std::vector<double>;

class AffineGrid : public DeviceTest {
 protected:
  // By a map that turns x and y round, and moves x.
  Values Grid(const std::vector<int64_t>& size, bool corners) {
    const DeviceTensor theta({1, 2, 3}, DType::kFloat32, {0, 1, 0.25, 1, 0, 0});
    const DeviceTensor out({1, size[2], size[3], 2}, DType::kFloat32);
    const IntArray sizes(size);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* bytes, aclOpExecutor** executor) {
          return aclnnAffineGridGetWorkspaceSize(theta, sizes, corners, out, bytes, executor);
        },
        &aclnnAffineGrid, stream_));
    return out.Values();
  }
};

TEST_F(AffineGrid, EndsAreEdgesOrCenters) {
  EXPECT_EQ(Grid({1, 3, 2, 2}, false), (Values{-0.25, -0.5, -0.25, 0.5, 0.75, -0.5, 0.75, 0.5}));
  EXPECT_EQ(Grid({1, 3, 2, 2}, true), (Values{-0.75, -1, -0.75, 1, 1.25, -1, 1.25, 1}));
  // One element lies in the middle.
  EXPECT_EQ(Grid({1, 1, 1, 3}, true), (Values{0.25, -1, 0.25, 0, 0.25, 1}));
}

// Any maps.
void ExpectGrid(const std::vector<int64_t>& size, DType dtype, aclrtStream stream) {
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  truth::Call call(kContract);
  Values maps;
  for (int64_t i = 0; i < size[0] * axes * (axes + 1); ++i) {
    maps.push_back(static_cast<double>(i * 7 % 13 - 6) / 8);
  }
  std::vector<int64_t> grid = {size[0]};
  grid.insert(grid.end(), size.begin() + 2, size.end());
  grid.push_back(axes);
  call.SetTensor(kTheta, {size[0], axes, axes + 1}, dtype, maps);
  call.SetInts(kSize, size);
  call.SetInteger(kAlignCorners, 0);
  call.SetTensor(kOut, grid, dtype);
  OperatorRun run(kOperators[0], call, nullptr);
  ACLIMB_ASSERT_OK(run.Run(stream));
  run.Expect(run.Truth());
}

// More rows than a thread takes at once.
TEST_F(AffineGrid, ManyRows) { ExpectGrid({2, 1, 9, 80, 50}, DType::kFloat32, stream_); }

// Rows that are written in parts, of places that lie in the workspace.
TEST_F(AffineGrid, LongRows) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    ExpectGrid({2, 1, 3, 5001}, dtype, stream_);
    ExpectGrid({1, 1, 2, 3, 3001}, dtype, stream_);
  }
}

TEST(AffineGridContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnAffineGridGetWorkspaceSize)> harness(
      kContract, &aclnnAffineGridGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kTheta, {2, 2, 3}, DType::kFloat32);
        a.Ints(kSize, {2, 1, 4, 5});
        a.Bool(kAlignCorners, true);
        a.Tensor(kOut, {2, 4, 5, 2}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("extents/size", [](CallArguments& a) { a.Ints(kSize, {2, 1, 0, 5}); });
  harness.ExpectRule("extents/size", [](CallArguments& a) { a.Ints(kSize, {2, 4, 5}); });
  harness.ExpectRule("shape/theta", [](CallArguments& a) {
    a.Tensor(kTheta, {2, 3, 4}, DType::kFloat32);
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kSize, {2, 1, 4, 6}); });
  harness.ExpectEveryRuleCovered({"affine_grid/product"});
}

}  // namespace
}  // namespace aclimb::testing::affine_grid_test
