#include <cmath>
#include <vector>

#include "aclimb/ops/triangular_solve/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(TriangularSolve, triangular_solve::kOperators);

namespace {

using namespace triangular_solve;  // NOLINT: the parameters' positions

class TriangularSolve : public DeviceTest {
 protected:
  std::vector<double> Solutions(bool upper, bool transpose, bool unit) {
    // What the other triangle holds does not count.
    const double other = std::nan("");
    const DeviceTensor a(
        {2, 2}, DType::kFloat32,
        upper ? std::vector<double>{2, 3, other, 4} : std::vector<double>{2, other, 3, 4});
    const DeviceTensor b({2, 1}, DType::kFloat32, {8, 20});
    const DeviceTensor x({2, 1}, DType::kFloat32), m({2, 2}, DType::kFloat32);
    EXPECT_EQ(RunBothPhases(
                  [&](uint64_t* size, aclOpExecutor** executor) {
                    return aclnnTriangularSolveGetWorkspaceSize(b, a, upper, transpose, unit, x, m,
                                                                size, executor);
                  },
                  &aclnnTriangularSolve, stream_),
              0)
        << aclGetRecentErrMsg();
    EXPECT_EQ(m.Values(),
              upper ? (std::vector<double>{2, 3, 0, 4}) : (std::vector<double>{2, 0, 3, 4}));
    return x.Values();
  }
};

TEST_F(TriangularSolve, AllTriangles) {
  EXPECT_EQ(Solutions(false, false, false), (std::vector<double>{4, 2}));
  EXPECT_EQ(Solutions(true, false, false), (std::vector<double>{-3.5, 5}));
  EXPECT_EQ(Solutions(false, true, false), (std::vector<double>{-3.5, 5}));
  EXPECT_EQ(Solutions(true, true, false), (std::vector<double>{4, 2}));
  EXPECT_EQ(Solutions(false, false, true), (std::vector<double>{8, -4}));
  EXPECT_EQ(Solutions(true, false, true), (std::vector<double>{-52, 20}));
}

// More columns than are solved at a time, and a matrix for several right sides.
TEST_F(TriangularSolve, ManyColumns) {
  constexpr int64_t kRows = 70, kColumns = 150;
  truth::Call call(kContract);
  std::vector<double> a, b;
  for (int64_t i = 0; i < kRows * kRows; ++i) {
    a.push_back(i % (kRows + 1) == 0 ? 3 : static_cast<double>(i * 31 % 17 - 8) / 64);
  }
  for (int64_t i = 0; i < 2 * kRows * kColumns; ++i) b.push_back(static_cast<double>(i % 23 - 11));
  call.SetTensor(kSelf, {2, kRows, kColumns}, DType::kFloat32, b);
  call.SetTensor(kA, {kRows, kRows}, DType::kFloat32, a);
  call.SetInteger(kUpper, 1);
  call.SetInteger(kTranspose, 0);
  call.SetInteger(kUnitriangular, 0);
  call.SetTensor(kX, {2, kRows, kColumns}, DType::kFloat32);
  call.SetTensor(kM, {2, kRows, kRows}, DType::kFloat32);
  OperatorRun run(kOperators[0], call, nullptr);
  ACLIMB_ASSERT_OK(run.Run(stream_));
  run.Expect(run.Truth());
}

TEST(TriangularSolveContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnTriangularSolveGetWorkspaceSize)> harness(
      kContract, &aclnnTriangularSolveGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3, 4}, DType::kFloat32);
        a.Tensor(kA, {2, 3, 3}, DType::kFloat32);
        a.Bool(kUpper, true);
        a.Bool(kTranspose, true);
        a.Bool(kUnitriangular, true);
        a.Tensor(kX, {2, 3, 4}, DType::kFloat32);
        a.Tensor(kM, {2, 3, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("unitriangular-dtype", [](CallArguments& a) {
    a.Tensor(kSelf, {2, 3, 4}, DType::kFloat64);
    a.Tensor(kA, {2, 3, 3}, DType::kFloat64);
    a.Tensor(kX, {2, 3, 4}, DType::kFloat64);
    a.Tensor(kM, {2, 3, 3}, DType::kFloat64);
  });
  harness.ExpectEveryRuleCovered({"triangular_solve/product"});
}

}  // namespace
}  // namespace aclimb::testing
