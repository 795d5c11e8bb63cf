// What is particular to the operator; the suite has the rest.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/ops/histc/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::histc_test {

ACLIMB_OPERATOR_SUITE(Histc, histc::kOperators);

namespace {

using namespace histc;  // NOLINT: the parameters' positions
using Values = std::vector<double>;

class Histc : public DeviceTest {
 protected:
  Values Counts(const DeviceTensor& self, int64_t bins, double least, double most,
                DType bound = DType::kFloat32) {
    const Scalar from(least, bound), to(most, bound);
    const DeviceTensor out({bins}, DType::kInt64);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnHistcGetWorkspaceSize(self, bins, from, to, out, size, executor);
        },
        &aclnnHistc, stream_));
    return out.Values();
  }
};

TEST_F(Histc, BinsOfElements) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const DeviceTensor some({7}, DType::kFloat32, {1, 2, 1, 4, nan, -infinity, 3.999});
  EXPECT_EQ(Counts(some, 4, 0, 4), (Values{0, 2, 1, 2}));
  const DeviceTensor whole({2, 3}, DType::kInt32, {-3, 5, 5, 0, 1, 2});
  EXPECT_EQ(Counts(whole, 4, 0, 0), (Values{1, 1, 2, 2}));
  const DeviceTensor equal({3}, DType::kFloat16, {2, 2, 2});
  EXPECT_EQ(Counts(equal, 2, 0, 0), (Values{0, 3}));
  // Bounds that are one number as FLOAT, and another range than that of the elements.
  const DeviceTensor large({2}, DType::kInt32, {0, 16777217});
  EXPECT_EQ(Counts(large, 2, 16777216, 16777217, DType::kInt32), (Values{0, 1}));
}

// The place of an element times the bins is more than float32 has.
TEST_F(Histc, WideRanges) {
  const DeviceTensor some({4}, DType::kFloat32, {-2e38, -1e38, 1e38, 2e38});
  EXPECT_EQ(Counts(some, 4, -2e38, 2e38), (Values{1, 1, 0, 2}));
  const DeviceTensor large({3}, DType::kFloat32, {1.05e36, 5.05e36, 9.05e36});
  Values expected(100);
  expected[10] = expected[50] = expected[90] = 1;
  EXPECT_EQ(Counts(large, 100, 0, 1e37), expected);
  // Of whole numbers, more than double has.
  const DeviceTensor zero({1}, DType::kInt32, {0});
  expected.assign(100, 0);
  expected[66] = 1;
  EXPECT_EQ(Counts(zero, 100, -1e308, 5e307, DType::kFloat64), expected);
  EXPECT_EQ(Counts(zero, 4, -1e308, 1e308, DType::kFloat64), (Values{0, 0, 1, 0}));
}

// As PyTorch refuses them.
TEST_F(Histc, ARangeThatIsNotFiniteFailsTheRun) {
  for (const double wrong : {std::nan(""), -std::numeric_limits<double>::infinity()}) {
    const DeviceTensor self({2}, DType::kFloat16, {1, wrong});
    const Scalar bound(0, DType::kFloat32);
    const DeviceTensor out({2}, DType::kInt64);
    EXPECT_EQ(RunBothPhases(
                  [&](uint64_t* size, aclOpExecutor** executor) {
                    return aclnnHistcGetWorkspaceSize(self, 2, bound, bound, out, size, executor);
                  },
                  &aclnnHistc, stream_),
              507015);
    const std::string message = aclGetRecentErrMsg();
    EXPECT_NE(message.find(kNoFiniteRange), std::string::npos) << message;
  }
}

// In parts, on any number of threads; more than once around the numbers of the first.
TEST_F(Histc, ManyElements) {
  constexpr int64_t kCount = 300'000;
  Values values(kCount), expected(10);
  for (int64_t i = 0; i < kCount; ++i) {
    values[static_cast<size_t>(i)] = static_cast<double>(i * 7 % 1001) / 100;
    const auto bin = std::min<int64_t>(9, i * 7 % 1001 / 100);
    expected[static_cast<size_t>(bin)] += 1;
  }
  const DeviceTensor self({kCount}, DType::kFloat32, values);
  EXPECT_EQ(Counts(self, 10, 0, 10), expected);
}

TEST(HistcContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnHistcGetWorkspaceSize)> harness(
      kContract, &aclnnHistcGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Integer(kBins, 4);
        a.ScalarOf(kMin, 0, DType::kFloat32);
        a.ScalarOf(kMax, 2, DType::kFloat32);
        a.Tensor(kOut, {4}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("finite/min", [](CallArguments& a) {
    a.ScalarOf(kMax, std::numeric_limits<double>::infinity(), DType::kFloat32);
  });
  harness.ExpectRule("range/min", [](CallArguments& a) { a.ScalarOf(kMin, 3, DType::kFloat32); });
  harness.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::testing::histc_test
