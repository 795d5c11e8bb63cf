// What is particular to the operator; the suite has the rest.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "aclimb/ops/inverse/operators.h"
#include "aclimb/ops/inverse/truth.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::testing::inverse_test {

ACLIMB_OPERATOR_SUITE(Inverse, inverse::kOperators);

namespace {

using namespace inverse;  // NOLINT: the parameters' positions
using Values = std::vector<double>;

class Inverse : public DeviceTest {
 protected:
  Values Of(const std::vector<int64_t>& shape, const Values& values,
            DType dtype = DType::kFloat32) {
    const DeviceTensor self(shape, dtype, values), out(shape, dtype);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnInverseGetWorkspaceSize(self, out, size, executor);
        },
        &aclnnInverse, stream_));
    return out.Values();
  }
};

TEST_F(Inverse, Matrices) {
  EXPECT_EQ(Of({2, 2, 2}, {2, 0, 0, 4, 0, 1, 4, 0}), (Values{0.5, 0, 0, 0.25, 0, 0.25, 1, 0}));
  // Three rows that all change places.
  EXPECT_EQ(Of({3, 3}, {0, 2, 0, 0, 0, 4, 1, 0, 0}), (Values{0, 0, 1, 0.5, 0, 0, 0, 0.25, 0}));
  // The first row must not be taken first.
  EXPECT_EQ(Of({2, 2}, {1e-20, 1, 1, 0}), (Values{0, 1, 1, static_cast<double>(-1e-20f)}));
}

TEST_F(Inverse, OfAMatrixThatHasNoneIsNaN) {
  for (const double x : Of({3, 2, 2}, {1, 2, 2, 4, 0, 0, 0, 1, 0.1, 0.3, 0.2, 0.6})) {
    EXPECT_TRUE(std::isnan(x)) << x;
  }
  // Small numbers alone are no reason.
  EXPECT_TRUE(Near(Of({2, 2}, {1, 0, 0, 1e-30}), {1, 0, 0, 1e30}, {1e-6, 0}));
}

// Row sums of |inverse| |matrix| of 2^38, and of 2^43, which is too many.
TEST_F(Inverse, OfAlmostEqualRows) {
  EXPECT_EQ(Of({2, 2}, {1, 1, 1, 1 + 0x1p-36}, DType::kFloat64),
            (Values{0x1p36 + 1, -0x1p36, -0x1p36, 0x1p36}));
  for (const double x : Of({2, 2}, {1, 1, 1, 1 + 0x1p-41}, DType::kFloat64)) {
    EXPECT_TRUE(std::isnan(x)) << x;
  }
}

// Columns of any size divide the rows of the inverse.
TEST_F(Inverse, OfColumnsOfAnySize) {
  EXPECT_EQ(Of({2, 2}, {0x1p-40, 0x1p40, 0x1p-40, 0x1p41}),
            (Values{0x1p41, -0x1p40, -0x1p-40, 0x1p-40}));
}

// Blocks and panels that are not whole, in double and in float32.
TEST_F(Inverse, ManyRows) {
  for (const auto& [rows, dtype] :
       std::vector<std::pair<int64_t, DType>>{{45, DType::kFloat64},
                                              {kLeastRowsInFloat - 1, DType::kFloat32},
                                              {kLeastRowsInFloat, DType::kFloat32},
                                              {101, DType::kFloat16},
                                              {130, DType::kFloat32}}) {
    SCOPED_TRACE(rows);
    truth::Call call(kContract);
    Values values;
    for (int64_t i = 0; i < 2 * rows * rows; ++i) {
      values.push_back(i % rows == i / rows * 7 % rows ? 9
                                                       : static_cast<double>(i * 31 % 17 - 8) / 64);
    }
    call.SetTensor(kSelf, {2, rows, rows}, dtype, values);
    call.SetTensor(kOut, {2, rows, rows}, dtype);
    OperatorRun run(kOperators[0], call, nullptr);
    ACLIMB_ASSERT_OK(run.Run(stream_));
    run.Expect(run.Truth());
  }
}

// The output itself has room for a matrix in double.
TEST_F(Inverse, OfDoubleNeedsLittleWorkspace) {
  constexpr int64_t kRows = 300;
  const DeviceTensor self({kRows, kRows}, DType::kFloat64), out({kRows, kRows}, DType::kFloat64);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_ASSERT_OK(aclnnInverseGetWorkspaceSize(self, out, &size, &executor));
  EXPECT_LT(size, uint64_t{sizeof(double)} * kRows * kRows / 4);
  ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
}

// Panels that are solved together, of which a larger team has fewer.
TEST_F(Inverse, DoesNotDependOnTheTeam) {
  constexpr int64_t kRows = 300;
  const Values values = Random(1).Reals(kRows * kRows, -1, 1);
  Values known;
  for (const char* threads : {"1", "3", "8"}) {
    SCOPED_TRACE(threads);
    const Setting setting("ACLIMB_THREADS", threads);
    const Values inverse = Of({kRows, kRows}, values);
    if (known.empty()) known = inverse;
    EXPECT_TRUE(inverse == known);
  }
}

// Of many rows, two that are almost equal: float32 would get little of the inverse right, and of
// equal ones there is none. Matrices before and after have inverses in float32.
TEST_F(Inverse, OfManyRowsThatDependOnEachOther) {
  constexpr size_t kRows = kLeastRowsInFloat + 5;
  constexpr auto kCount = static_cast<int64_t>(kRows);
  Values values;
  std::vector<Matrix> matrices;
  for (const double difference : {1.0, 0x1p-20, 0.0, 0x1p-19, 1.0}) {
    Values numbers = Random(matrices.size()).Reals(kCount * kCount, -1, 1);
    for (double& x : numbers) x = static_cast<float>(x);
    if (difference < 1) {
      std::copy_n(numbers.begin(), kRows, numbers.begin() + kRows);
      numbers[kRows] = static_cast<float>(numbers[0] + difference);
    }
    Matrix& matrix = matrices.emplace_back();
    for (auto row = numbers.begin(); row != numbers.end(); row += kRows) {
      matrix.emplace_back(row, row + kRows);
    }
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  const Values inverses = Of({static_cast<int64_t>(matrices.size()), kCount, kCount}, values);
  for (size_t i = 0; i < matrices.size(); ++i) {
    SCOPED_TRACE(i);
    Values expected;
    double most = 0;
    for (const std::vector<long double>& row : InverseOf(matrices[i])) {
      for (const long double x : row) {
        expected.push_back(i == 2 ? std::nan("") : static_cast<double>(x));
        most = std::fmax(most, std::fabs(expected.back()));
      }
    }
    const auto got = inverses.begin() + static_cast<int64_t>(i) * kCount * kCount;
    EXPECT_TRUE(Near(Values(got, got + kCount * kCount), expected, {1e-7, 1e-4 * most}));
  }
}

TEST(InverseContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnInverseGetWorkspaceSize)> harness(
      kContract, &aclnnInverseGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3, 3}, DType::kFloat32);
        a.Tensor(kOut, {2, 3, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::testing::inverse_test
