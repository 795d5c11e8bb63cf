#include "aclimb/ops/triangles/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::triangles_test {

ACLIMB_OPERATOR_SUITE(Triangles, triangles::kOperators);

class TrianglesRules : public DeviceTest {};

using namespace triangles;  // NOLINT: the positions

TEST_F(TrianglesRules, EveryRule) {
  const auto fill = [](CallArguments& a) {
    a.Tensor(kSelf, {2, 3}, DType::kFloat32);
    a.Integer(kDiagonal, -1);
    a.Tensor(kOut, {2, 3}, DType::kFloat32);
  };
  ContractHarness<decltype(aclnnTrilGetWorkspaceSize)> lower(kTril, &aclnnTrilGetWorkspaceSize,
                                                             fill);
  lower.ExpectAccepted();
  lower.ExpectGenericRules();
  lower.ExpectEveryRuleCovered({"tril/product"});
  ContractHarness<decltype(aclnnTriuGetWorkspaceSize)> upper(kTriu, &aclnnTriuGetWorkspaceSize,
                                                             fill);
  upper.ExpectAccepted();
  upper.ExpectGenericRules();
  upper.ExpectEveryRuleCovered({"triu/product"});
  const auto fill_in_place = [](CallArguments& a) {
    a.Tensor(kSelf, {2, 3}, DType::kFloat32);
    a.Integer(kDiagonal, -1);
  };
  ContractHarness<decltype(aclnnInplaceTrilGetWorkspaceSize)> in_place(
      kInplaceTril, &aclnnInplaceTrilGetWorkspaceSize, fill_in_place);
  in_place.ExpectAccepted();
  in_place.ExpectGenericRules();
  in_place.ExpectEveryRuleCovered({"inplace_tril/product"});
  ContractHarness<decltype(aclnnInplaceTriuGetWorkspaceSize)> upper_in_place(
      kInplaceTriu, &aclnnInplaceTriuGetWorkspaceSize, fill_in_place);
  upper_in_place.ExpectAccepted();
  upper_in_place.ExpectGenericRules();
  upper_in_place.ExpectEveryRuleCovered({"inplace_triu/product"});
}

// Diagonals at which sums would overflow.
TEST_F(TrianglesRules, DiagonalsFarAway) {
  for (const int64_t diagonal : {INT64_MIN, INT64_MAX}) {
    const DeviceTensor self({2, 2}, DType::kInt32, {1, 2, 3, 4}), out({2, 2}, DType::kInt32);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnTrilGetWorkspaceSize(self, diagonal, out, size, executor);
        },
        &aclnnTril, stream_));
    EXPECT_EQ(out.Values(), diagonal < 0 ? std::vector<double>(4) : self.Values());
  }
}

}  // namespace aclimb::testing::triangles_test
