#include <cmath>
#include <vector>

#include "aclimb/ops/triangular_solve/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::triangular_solve_test {

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

struct Large {
  int64_t rows, columns;
  DType dtype;
};

class LargeTriangles : public TriangularSolve, public ::testing::WithParamInterface<Large> {
 protected:
  // A matrix for two right sides.
  static truth::Call Of(const Large& large, bool upper, bool transpose, bool unit) {
    const auto& [rows, columns, dtype] = large;
    truth::Call call(kContract);
    std::vector<double> a, b;
    for (int64_t i = 0; i < rows * rows; ++i) {
      a.push_back(i % (rows + 1) == 0 ? 3 : static_cast<double>(i * 31 % 17 - 8) / 64);
    }
    for (int64_t i = 0; i < 2 * rows * columns; ++i) b.push_back(static_cast<double>(i % 23 - 11));
    call.SetTensor(kSelf, {2, rows, columns}, dtype, b);
    call.SetTensor(kA, {rows, rows}, dtype, a);
    call.SetInteger(kUpper, upper ? 1 : 0);
    call.SetInteger(kTranspose, transpose ? 1 : 0);
    call.SetInteger(kUnitriangular, unit ? 1 : 0);
    call.SetTensor(kX, {2, rows, columns}, dtype);
    call.SetTensor(kM, {2, rows, rows}, dtype);
    return call;
  }
  // Of the transposes of all matrices.
  static DeviceTensor::Options Turned(const truth::Call& call, truth::Slot slot) {
    const std::vector<int64_t>& shape = call.Shape(slot);
    const int64_t rows = shape[shape.size() - 2], columns = shape.back();
    std::vector<int64_t> stride = {1, rows};
    if (shape.size() == 3) stride.insert(stride.begin(), rows * columns);
    return {.stride = stride};
  }
};

// More columns than are solved at a time, tails of vectors, and rows that are not whole blocks.
INSTANTIATE_TEST_SUITE_P(Sizes, LargeTriangles,
                         ::testing::Values(Large{70, 100, DType::kFloat64},
                                           Large{kLeastRowsInFloat, 1, DType::kFloat32},
                                           Large{70, 29, DType::kFloat32},
                                           Large{131, 65, DType::kFloat32},
                                           Large{345, 3, DType::kFloat32}));

TEST_P(LargeTriangles, AllTriangles) {
  for (int flags = 0; flags < 16; ++flags) {
    const bool unit = (flags & 1) != 0, turned = (flags & 8) != 0;
    if (unit && GetParam().dtype == DType::kFloat64) continue;
    const truth::Call call = Of(GetParam(), (flags & 2) != 0, (flags & 4) != 0, unit);
    const auto layout = [&](truth::Slot slot) {
      return turned ? Turned(call, slot) : DeviceTensor::Options();
    };
    SCOPED_TRACE(flags);
    OperatorRun run(kOperators[0], call, layout);
    ACLIMB_ASSERT_OK(run.Run(stream_));
    run.Expect(run.Truth());
  }
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
}  // namespace aclimb::testing::triangular_solve_test
