// What is particular to the operators; the suite has the rest.

#include <cmath>
#include <vector>

#include "aclimb/ops/prelu/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::prelu_test {

ACLIMB_OPERATOR_SUITE(Prelu, prelu::kOperators);

namespace {

class Prelu : public DeviceTest {};

TEST_F(Prelu, EachChannelHasItsWeight) {
  const DeviceTensor self({2, 2, 2}, DType::kFloat32, {-1, 2, -3, 4, 5, -6, 7, -8});
  const DeviceTensor weight({1, 2, 1}, DType::kFloat32, {0.5, -2});
  const DeviceTensor out({2, 2, 2}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnPreluGetWorkspaceSize(self, weight, out, size, executor);
      },
      &aclnnPrelu, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{-0.5, 2, 6, 4, 5, -3, 7, 16}));
}

// Many pieces, which begin in the midst of a channel; NaN is not above 0.
TEST_F(Prelu, LongChannelsOfAnyLength) {
  for (const int64_t size : {127, 128, 1003, 40'009}) {
    const std::vector<double> weights = {0.5, -2, 0};
    std::vector<double> values, expected;
    for (int64_t i = 0; i < 2 * 3 * size; ++i) {
      const double x = i % 101 == 7 ? std::nan("") : static_cast<double>(i % 17 - 8);
      values.push_back(x);
      expected.push_back(x > 0 ? x : weights[static_cast<size_t>(i / size % 3)] * x);
    }
    const DeviceTensor self({2, 3, size}, DType::kFloat32, values);
    const DeviceTensor weight({3}, DType::kFloat32, weights, {.stride = {2}});
    const DeviceTensor out({2, 3, size}, DType::kFloat32);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* bytes, aclOpExecutor** executor) {
          return aclnnPreluGetWorkspaceSize(self, weight, out, bytes, executor);
        },
        &aclnnPrelu, stream_));
    EXPECT_TRUE(Near(out.Values(), expected, {})) << size;
    EXPECT_TRUE(out.SurroundingsIntact()) << size;
  }
}

TEST_F(Prelu, GradientOfTheWeightIsASumOverItsChannel) {
  const DeviceTensor gradient({2, 1, 1}, DType::kFloat16, {1, 10});
  const DeviceTensor self({2, 2, 2}, DType::kFloat16, {-1, 2, -3, 4, 5, -6, 7, -8});
  const DeviceTensor weight({2}, DType::kFloat16, {0.5, -2});
  const DeviceTensor grad_input({2, 2, 2}, DType::kFloat16), grad_weight({2}, DType::kFloat16);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnPreluBackwardGetWorkspaceSize(gradient, self, weight, grad_input, grad_weight,
                                                  size, executor);
      },
      &aclnnPreluBackward, stream_));
  EXPECT_EQ(grad_input.Values(), (std::vector<double>{0.5, 1, -2, 1, 10, 5, 10, -20}));
  EXPECT_EQ(grad_weight.Values(), (std::vector<double>{-61, -83}));
}

TEST_F(Prelu, GradientOfTheWeightOverNothingIsZeroWhereverItLies) {
  const DeviceTensor nothing({0, 3, 2}, DType::kFloat32);
  const DeviceTensor grad_input({0, 3, 2}, DType::kFloat32);
  const DeviceTensor weight({3}, DType::kFloat32, {1, 2, 3});
  const DeviceTensor grad_weight({3}, DType::kFloat32, {}, {.stride = {4}});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnPreluBackwardGetWorkspaceSize(nothing, nothing, weight, grad_input, grad_weight,
                                                  size, executor);
      },
      &aclnnPreluBackward, stream_));
  EXPECT_EQ(grad_weight.Values(), (std::vector<double>{0, 0, 0}));
  EXPECT_TRUE(grad_weight.SurroundingsIntact());
}

TEST(PreluContract, EveryRuleIsEnforcedAndExplained) {
  using namespace prelu::forward;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnPreluGetWorkspaceSize)> harness(
      kContract, &aclnnPreluGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3, 4}, DType::kFloat32);
        a.Tensor(kWeight, {3}, DType::kFloat32);
        a.Tensor(kOut, {2, 3, 4}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(kWeight, {}, DType::kFloat16); });
  harness.ExpectGenericRules();
  harness.ExpectRule("channels/weight",
                     [](CallArguments& a) { a.Tensor(kWeight, {4}, DType::kFloat32); });
  harness.ExpectEveryRuleCovered({"promotes/weight"});
}

TEST(PreluContract, EveryRuleOfTheGradientIsEnforcedAndExplained) {
  using namespace prelu::backward;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnPreluBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnPreluBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOutput, {2, 3, 4}, DType::kFloat32);
        a.Tensor(kSelf, {2, 3, 4}, DType::kFloat32);
        a.Tensor(kWeight, {3}, DType::kFloat32);
        a.Tensor(kGradInput, {2, 3, 4}, DType::kFloat32);
        a.Tensor(kGradWeight, {3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  // Six elements of six channels, but not along one dimension.
  harness.ExpectRule("channels/weight", [](CallArguments& a) {
    a.Tensor(kSelf, {2, 6}, DType::kFloat32);
    a.Tensor(kGradOutput, {2, 6}, DType::kFloat32);
    a.Tensor(kGradInput, {2, 6}, DType::kFloat32);
    a.Tensor(kWeight, {2, 3}, DType::kFloat32);
  });
  harness.ExpectRule("shape/gradWeight", [](CallArguments& a) {
    a.Tensor(kGradWeight, {1, 3}, DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered({"prelu_backward/product"});
}

}  // namespace
}  // namespace aclimb::testing::prelu_test
