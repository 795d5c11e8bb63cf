// Variances through their C interface: divisors, cancellation, long sums, refusals.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/variance/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::variance_test {

ACLIMB_OPERATOR_SUITE(Variance, variance::kOperators);

}  // namespace aclimb::testing::variance_test

namespace aclimb::variance {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;

using Values = std::vector<double>;

class Variance : public aclimb::testing::DeviceTest {
 protected:
  // Of all elements: null dimensions.
  double Run(const Values& values, int64_t correction) {
    const DeviceTensor self({static_cast<int64_t>(values.size())}, DType::kFloat32, values);
    const DeviceTensor out({}, DType::kFloat32);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnVarCorrectionGetWorkspaceSize(self, nullptr, correction, false, out, size,
                                                    executor);
        },
        &aclnnVarCorrection, stream_));
    return out.Values()[0];
  }
};

TEST_F(Variance, DivisorsThatAreNotPositive) {
  EXPECT_TRUE(std::isnan(Run({5}, 1)));
  EXPECT_TRUE(std::isnan(Run({5}, 3)));
  EXPECT_TRUE(std::isinf(Run({5, 6}, 2)));
  EXPECT_TRUE(std::isnan(Run({}, 0)));
  EXPECT_EQ(Run({5}, 0), 0);
  EXPECT_EQ(Run({5, 7}, -2), 0.5);
}

// The squares' mean less the mean's square would leave nothing of these in float32, and little of
// them with a first element far from the others.
TEST_F(Variance, ASmallVarianceBesideALargeMean) {
  Values values;
  for (int i = 0; i < 1000; ++i) values.push_back(1e6 + (i % 2));
  EXPECT_NEAR(Run(values, 0), 0.25, 1e-7);
  values.assign(100'000, 1);
  values[0] = 4e6;
  double sum = 0, squares = 0;
  for (const double x : values) sum += x;
  for (const double x : values) squares += (x - sum / 1e5) * (x - sum / 1e5);
  EXPECT_NEAR(Run(values, 1), squares / 99'999, 1e-6 * squares / 99'999);
}

TEST_F(Variance, Refusals) {
  ContractHarness<decltype(aclnnVarMeanGetWorkspaceSize)> harness(
      kVarMeanContract, &aclnnVarMeanGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Ints(kDim, {0});
        arguments.Integer(kCorrection, 1);
        arguments.Bool(kKeepDim, true);
        arguments.Tensor(kOut, {1, 3}, DType::kFloat32);
        arguments.Tensor(kMeanOut, {1, 3}, DType::kFloat16);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"var_mean/product"});
}

}  // namespace
}  // namespace aclimb::variance
