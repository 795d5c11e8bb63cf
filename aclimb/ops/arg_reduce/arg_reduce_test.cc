// Places of extremes through their C interface.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "aclimb/ops/arg_reduce/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::testing::arg_reduce_test {

ACLIMB_OPERATOR_SUITE(ArgReduce, arg_reduce::kOperators);

}  // namespace aclimb::testing::arg_reduce_test

namespace aclimb::arg_reduce {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Setting;

using Values = std::vector<double>;

class ArgReduce : public aclimb::testing::DeviceTest {
 protected:
  Values ArgMax(const DeviceTensor& self, int64_t dim, const DeviceTensor& out) {
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnArgMaxGetWorkspaceSize(self, dim, false, out, size, executor);
        },
        &aclnnArgMax, stream_));
    return out.Values();
  }
};

TEST_F(ArgReduce, TheFirstOfEqualOnesAndOfNaN) {
  const double nan = std::nan("");
  const DeviceTensor self({4, 5}, DType::kFloat32,
                          {1, 3, 3, 2, 3, 1, nan, 9, nan, 2, 0, -0.0, 0, 0, 0, -1, -1, -2, -1, -3});
  const DeviceTensor out({4}, DType::kInt64);
  EXPECT_TRUE(Near(ArgMax(self, 1, out), {1, 1, 0, 0}, {}));
}

TEST_F(ArgReduce, LargeIntegersAreComparedExactly) {
  const DeviceTensor out({}, DType::kInt32);
  const DeviceTensor self({3}, DType::kInt64, {9007199254740992.0, 0, 9007199254740994.0});
  EXPECT_TRUE(Near(ArgMax(self, 0, out), {2}, {}));
}

// In chunks, of which an earlier one has the same number.
TEST_F(ArgReduce, OneLongLine) {
  constexpr int64_t kCount = 300'000;
  Values values(kCount, 0);
  values[140'001] = values[280'002] = 5;
  const DeviceTensor self({kCount}, DType::kFloat32, values), out({}, DType::kInt64);
  for (const char* threads : {"1", "3"}) {
    const Setting setting("ACLIMB_THREADS", threads);
    EXPECT_TRUE(Near(ArgMax(self, 0, out), {140'001}, {}));
  }
}

TEST_F(ArgReduce, Refusals) {
  ContractHarness<decltype(aclnnArgMaxGetWorkspaceSize)> arg(
      kArgMaxContract, &aclnnArgMaxGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Integer(kDim, -1);
        arguments.Bool(kKeepDim, true);
        arguments.Tensor(kOut, {2, 1}, DType::kInt64);
      });
  const auto empty = [](CallArguments& arguments) {
    arguments.Tensor(kSelf, {2, 0}, DType::kFloat32);
  };
  arg.ExpectAccepted();
  arg.ExpectGenericRules();
  arg.ExpectRule("some/self", empty);
  arg.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnMaxDimGetWorkspaceSize)> best(
      kMaxDimContract, &aclnnMaxDimGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Integer(kDim, 1);
        arguments.Bool(kKeepDim, false);
        arguments.Tensor(kOut, {2}, DType::kFloat32);
        arguments.Tensor(kIndices, {2}, DType::kInt32);
      });
  best.ExpectAccepted();
  best.ExpectGenericRules();
  best.ExpectRule("some/self", empty);
  best.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::arg_reduce
