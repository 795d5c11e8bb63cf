// Phase 1's refusals of aclnnConvolution.

#include "aclimb/ops/convolution_backward/forward_contract.h"

#include <gtest/gtest.h>

#include "aclimb/contract/test_call.h"
#include "aclimb/ops/convolution_backward/test_contract.h"
#include "tests/support/setting.h"

namespace aclimb::convolution_backward::forward {
namespace {

using Harness = ContractHarness<decltype(aclnnConvolutionGetWorkspaceSize)>;

void FillValidCall(CallArguments& a) {
  a.Tensor(kInput, {2, 4, 8, 8}, DType::kFloat32);
  a.Tensor(kWeight, {6, 2, 3, 3}, DType::kFloat32);
  a.Tensor(kBias, {6}, DType::kFloat32);
  a.Ints(kStride, {2, 2});
  a.Ints(kPadding, {1, 1});
  a.Ints(kDilation, {1, 1});
  a.Ints(kOutputPadding, {0, 0});
  a.Integer(kGroups, 2);
  a.Tensor(kOutput, {2, 6, 4, 4}, DType::kFloat32);
  a.Integer(kCubeMathType, 0);
}

const Refused kRefused[] = {
    {"format-of-rank", Shape(kInput, {2, 4, 8, 8}, DType::kFloat32, ACL_FORMAT_NCL)},
    {"lengths", Ints(kStride, {2, 2, 2})},
    {"output-padding", Ints(kOutputPadding, {1, 1})},
    {"groups-divide", Shape(kWeight, {7, 2, 3, 3})},
    {"channels", Shape(kInput, {2, 6, 8, 8})},
    {"bias-shape", Shape(kBias, {5})},
    {"shape/output", Shape(kOutput, {2, 6, 4, 5})},
    {"shape/output", Shape(kWeight, {6, 2, 11, 3})},
    // The sizes of an output would follow from windows alone, without anything
    // that they could sum.
    {"empty", All({Shape(kInput, {2, 4, 0, 8}), Ints(kPadding, {3, 1})})},
    {"empty",
     All({Shape(kInput, {2, 6, 0, 8}), Shape(kWeight, {6, 3, 5, 3}), Integer(kTransposed, 1),
          Ints(kStride, {1, 1}), Ints(kPadding, {0, 1}), Shape(kOutput, {2, 6, 4, 8})})},
    {"empty", All({Shape(kWeight, {6, 2, 0, 3}), Shape(kOutput, {2, 6, 6, 4})})},
};

TEST(ConvolutionContract, EveryRuleIsEnforcedAndExplained) {
  Harness harness(kContract, &aclnnConvolutionGetWorkspaceSize, &FillValidCall);
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  ExpectRefused(harness, kRefused);
  {
    const testing::Setting soc("ACLIMB_SOC", "Ascend910A");
    harness.ExpectRule("rank-of-product",
                       All({Shape(kInput, {2, 4, 8, 8, 8}), Shape(kWeight, {6, 2, 3, 3, 3}),
                            Shape(kOutput, {2, 6, 4, 4, 4}), Ints(kStride, {1}),
                            Ints(kPadding, {1}), Ints(kDilation, {1}), Ints(kOutputPadding, {0})}));
  }
  harness.ExpectEveryRuleCovered();
}

TEST(ConvolutionContract, TheChannelsOfTheWeightAreTold) {
  contract::TestCall call(kContract);
  call.Tensor(kInput, {2, 4, 8, 8});
  call.Tensor(kWeight, {6, 4, 3, 3});
  call.Tensor(kOutput, {2, 6, 6, 6});
  for (const int array : {kStride, kDilation}) call.Ints(array, {1, 1});
  for (const int array : {kPadding, kOutputPadding}) call.Ints(array, {0, 0});
  const auto expect = [&](int64_t groups, int64_t transposed, const char* told) {
    call.Integer(kGroups, groups);
    call.Integer(kTransposed, transposed);
    EXPECT_NE(call.What().find(told), std::string::npos) << call.last().what;
  };
  expect(2, 0, "expected weight.shape[1] = input.shape[1] / groups = 2.");
  expect(3, 0, "expected groups that divide input.shape[1] = 4, and weight.shape[1]");
  expect(2, 1, "expected weight.shape[0] = input.shape[1] = 4.");
}

}  // namespace
}  // namespace aclimb::convolution_backward::forward
