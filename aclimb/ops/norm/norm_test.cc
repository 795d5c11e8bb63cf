// Norms through their C interface: orders that are not drawn, and refusals.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/norm/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::norm_test {

ACLIMB_OPERATOR_SUITE(Norm, norm::kOperators);

}  // namespace aclimb::testing::norm_test

namespace aclimb::norm {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::IntArray;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Scalar;

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Norm : public aclimb::testing::DeviceTest {
 protected:
  Values Run(const Values& values, double order, DType dtype = DType::kFloat32) {
    const DeviceTensor self({static_cast<int64_t>(values.size())}, dtype, values), out({}, dtype);
    const Scalar p(order, DType::kFloat32);
    const IntArray dim(std::vector<int64_t>{});
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnNormGetWorkspaceSize(self, p, dim, false, out, size, executor);
        },
        &aclnnNorm, stream_));
    return out.Values();
  }
};

TEST_F(Norm, OrdersOfAllKinds) {
  const Values values = {3, -4, 0, 12};
  EXPECT_TRUE(Near(Run(values, kInfinity), {12}, {}));
  EXPECT_TRUE(Near(Run(values, -kInfinity), {0}, {}));
  EXPECT_TRUE(Near(Run(values, 0), {3}, {}));
  EXPECT_TRUE(Near(Run(values, 1), {19}, {}));
  EXPECT_TRUE(Near(Run(values, 2), {13}, {}));
  EXPECT_TRUE(Near(Run(values, 3), {std::cbrt(27 + 64 + 1728)}, {1e-6, 0}));
  EXPECT_TRUE(Near(Run(values, -1), {0}, {}));
  EXPECT_TRUE(Near(Run({2, std::nan(""), 1}, kInfinity), {std::nan("")}, {}));
}

TEST_F(Norm, PowersOfNoNumbers) {
  for (const double order : {0.5, 2.3, 3.0}) {
    EXPECT_TRUE(Near(Run({0, 0}, order), {0}, {}));
    EXPECT_TRUE(Near(Run({2, -kInfinity}, order), {kInfinity}, {}));
    EXPECT_TRUE(Near(Run({0, std::nan("")}, order), {std::nan("")}, {}));
  }
  EXPECT_TRUE(Near(Run({2, kInfinity}, -1.5), {2}, {1e-6, 0}));
  EXPECT_TRUE(Near(Run({2, 0}, -1.5), {0}, {}));
}

// Tiny numbers and huge ones, powers beyond double, and an exponent that is nearly 0.
TEST_F(Norm, PowersOfAllSizes) {
  EXPECT_TRUE(Near(Run({1e-45}, 0.5), {1.4012984643e-45}, {1e-6, 0}));
  for (const double value : {1e-40, 1.2e-38, 1.0, 0.7071, 1.4143, 3.4e38}) {
    for (const double order : {0.5, 2.3, -2.3, 1e-3, 7.5}) {
      EXPECT_TRUE(Near(Run({value}, order), {static_cast<float>(value)}, {1e-6, 0})) << order;
    }
  }
  EXPECT_TRUE(Near(Run({3e38, 1}, 40), {kInfinity}, {}));
  EXPECT_TRUE(Near(Run({3e38, 1}, -40), {1}, {1e-6, 0}));
}

// Squares of these are beyond float32 and beyond float16.
TEST_F(Norm, SquaresDoNotOverflow) {
  EXPECT_TRUE(Near(Run({3e30, 4e30}, 2), {5e30}, {1e-6, 0}));
  EXPECT_TRUE(Near(Run({3e-30, 4e-30}, 2), {5e-30}, {1e-6, 0}));
  EXPECT_TRUE(Near(Run({3000, 4000}, 2, DType::kFloat16), {5000}, {1e-3, 0}));
}

TEST_F(Norm, Refusals) {
  ContractHarness<decltype(aclnnNormGetWorkspaceSize)> harness(
      kNormContract, &aclnnNormGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.ScalarOf(kOrder, kInfinity, DType::kFloat32);
        arguments.Ints(kDims, {1});
        arguments.Bool(kKeep, true);
        arguments.Tensor(kOut, {2, 1}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  const auto empty = [](CallArguments& arguments) {
    arguments.Tensor(kSelf, {2, 0}, DType::kFloat32);
  };
  harness.ExpectRule("some/self", empty);
  harness.ExpectAccepted([&](CallArguments& arguments) {
    empty(arguments);
    arguments.ScalarOf(kOrder, 2, DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered();
}

TEST_F(Norm, RefusalsOfLinalgVectorNorm) {
  ContractHarness<decltype(aclnnLinalgVectorNormGetWorkspaceSize)> harness(
      kLinalgVectorNormContract, &aclnnLinalgVectorNormGetWorkspaceSize,
      [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat16);
        arguments.ScalarOf(kOrder, -1, DType::kFloat32);
        arguments.Ints(kDims, {});
        arguments.Bool(kKeep, false);
        arguments.Integer(kDType, ACL_FLOAT);
        arguments.Tensor(kOutAfterDType, {}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("some/self", [](CallArguments& arguments) {
    arguments.Tensor(kSelf, {2, 0}, DType::kFloat16);
  });
  harness.ExpectEveryRuleCovered({"linalg_vector_norm/product"});
}

}  // namespace
}  // namespace aclimb::norm
