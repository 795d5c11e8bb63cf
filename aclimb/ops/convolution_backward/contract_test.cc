// Phase 1's refusals: every numbered check and edge case.

#include "aclimb/ops/convolution_backward/contract.h"

#include <gtest/gtest.h>

#include "aclimb/ops/convolution_backward/test_contract.h"
#include "tests/support/setting.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Naming;
using Harness = ContractHarness<decltype(aclnnConvolutionBackwardGetWorkspaceSize)>;

void FillValidCall(CallArguments& a) {
  a.Tensor(kGradOutput, {2, 4, 6, 6}, DType::kFloat32, ACL_FORMAT_NCHW);
  a.Tensor(kInput, {2, 3, 6, 6}, DType::kFloat32, ACL_FORMAT_NCHW);
  a.Tensor(kWeight, {4, 3, 3, 3}, DType::kFloat32, ACL_FORMAT_NCHW);
  a.Ints(kBiasSizes, {4});
  for (const int ones : {kStride, kPadding, kDilation}) a.Ints(ones, {1, 1});
  a.Bool(kTransposed, false);
  a.Ints(kOutputPadding, {0, 0});
  a.Integer(kGroups, 1);
  a.Bools(kOutputMask, {1, 1, 1});
  a.Integer(kCubeMathType, 1);
  a.Tensor(kGradInput, {2, 3, 6, 6}, DType::kFloat32, ACL_FORMAT_NCHW);
  a.Tensor(kGradWeight, {4, 3, 3, 3}, DType::kFloat32, ACL_FORMAT_NCHW);
  a.Tensor(kGradBias, {4}, DType::kFloat32);
}

// gradInput [1, 2, 4, 5] of a transposed convolution with stride 2.
void FillTransposedCall(CallArguments& a) {
  FillValidCall(a);
  a.Tensor(kGradOutput, {1, 3, 9, 11}, DType::kFloat32);
  for (const int parameter : {kInput, kGradInput}) {
    a.Tensor(parameter, {1, 2, 4, 5}, DType::kFloat32);
  }
  for (const int parameter : {kWeight, kGradWeight}) {
    a.Tensor(parameter, {2, 3, 3, 3}, DType::kFloat32);
  }
  a.Ints(kStride, {2, 2});
  a.Ints(kPadding, {0, 0});
  a.Bool(kTransposed, true);
  a.Tensor(kGradBias, {3}, DType::kFloat32);
}

Mutation Mask(const std::vector<uint8_t>& mask) {
  return [=](CallArguments& a) { a.Bools(kOutputMask, mask); };
}
// Shapes of gradOutput and input, and of gradInput.
Mutation Images(const Sizes& grad_output, const Sizes& input) {
  return All({Shape(kGradOutput, grad_output), Shape(kInput, input), Shape(kGradInput, input)});
}
const Mutation kTransposes = &FillTransposedCall;

const Refused kRefused[] = {
    {"mask-length", Mask({1, 1})},
    {"mask-length", Mask({1, 1, 1, 1})},
    {"mask-length", Mask({})},
    {"wanted/biasSizes", Null(kBiasSizes)},
    // An output that is not wanted is still checked.
    {"same-dtype/gradInput",
     All({Mask({0, 0, 0}), Shape(kGradInput, {2, 3, 6, 6}, DType::kFloat16)})},
    {"same-dtype/gradWeight", Shape(kGradWeight, {4, 3, 3, 3}, DType::kBFloat16)},
    {"same-dtype/gradBias", Shape(kGradBias, {4}, DType::kFloat16)},
    {"format-of-rank", Shape(kWeight, {4, 3, 3, 3}, DType::kFloat32, ACL_FORMAT_NCL)},
    // The sentence is about each of the four; a message about one of them, and
    // the rank.
    {"lengths", Ints(kStride, {1, 1, 1}), {{"stride", "input"}}},
    {"lengths", Ints(kStride, {1, 1, 1, 1}), {{"stride", "input"}}},
    {"lengths", Ints(kStride, {}), {{"stride", "input"}}},
    {"lengths", Ints(kPadding, {1, 1, 1}), {{"padding", "input"}}},
    {"lengths", Ints(kPadding, {}), {{"padding", "input"}}},
    {"lengths", Ints(kDilation, {1, 1, 1}), {{"dilation", "input"}}},
    {"lengths", Ints(kDilation, {}), {{"dilation", "input"}}},
    {"lengths", Ints(kOutputPadding, {1, 1, 1}), {{"outputPadding", "input"}}},
    {"lengths", Ints(kOutputPadding, {}), {{"outputPadding", "input"}}},
    {"stride", Ints(kStride, {1, 0})},
    {"padding", Ints(kPadding, {1, 1, 1, -1})},
    {"dilation", Ints(kDilation, {0})},
    {"output-padding", Ints(kOutputPadding, {1, 0})},
    {"output-padding", All({kTransposes, Ints(kOutputPadding, {2, 0})})},
    {"output-padding", All({kTransposes, Ints(kOutputPadding, {0, -1})})},
    {"bias-shape", Shape(kGradBias, {3})},
    {"groups-divide", Integer(kGroups, 3)},
    // gradBias and the weight agree: gradOutput is what has to change.
    {"channels", Shape(kGradOutput, {2, 5, 6, 6})},
    {"channels",
     All({Shape(kInput, {2, 5, 6, 6}), Shape(kGradInput, {2, 5, 6, 6})}),
     {{"gradOutput", "input", "weight", "groups"}}},
    {"channels", Integer(kGroups, 2)},
    {"channels", Integer(kTransposed, 1)},
    {"batch", Shape(kGradOutput, {1, 4, 6, 6})},
    // One too few, one too many, a window that does not fit, numbers at the end
    // of int64.
    {"spatial", Shape(kGradOutput, {2, 4, 6, 5})},
    {"spatial", Shape(kGradOutput, {2, 4, 6, 7})},
    {"spatial", Ints(kDilation, {1, 4})},
    {"spatial", Ints(kDilation, {INT64_MAX})},
    {"spatial", Ints(kPadding, {INT64_MAX})},
    {"spatial", All({kTransposes, Shape(kGradOutput, {1, 3, 11, 11})})},
    // Empty tensors.
    {"empty-bias", All({Images({0, 4, 6, 6}, {0, 3, 6, 6}), Null(kBiasSizes)})},
    {"empty-bias", All({Images({0, 4, 6, 6}, {0, 3, 6, 6}), Ints(kBiasSizes, {3})})},
    {"empty-grad-input", Images({2, 4, 0, 6}, {2, 3, 0, 6})},
    {"empty-grad-input",
     All({Shape(kGradOutput, {2, 0, 6, 6}), Shape(kWeight, {0, 3, 3, 3}),
          Shape(kGradWeight, {0, 3, 3, 3}), Shape(kGradBias, {0}), Ints(kBiasSizes, {0})})},
    {"empty-grad-output", Shape(kGradOutput, {2, 4, 0, 6})},
};

// On older chips.
const Refused kRefusedByOldChips[] = {
    {"rank-of-product",
     All({Images({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}), Shape(kWeight, Sizes(5, 1))})},
    {"cube-math-type-of-product", Integer(kCubeMathType, 3)},
    {"cube-math-type-of-product", Integer(kCubeMathType, 0)},
    {"empty-of-product", Images({0, 4, 6, 6}, {0, 3, 6, 6})},
};

const Mutation kAccepted[] = {
    kTransposes,
    Ints(kBiasSizes, {1}),
    All({Shape(kWeight, {4, 3, 3, 3}), Shape(kGradBias, {4}, DType::kFloat32, ACL_FORMAT_NCHW)}),
    // Any size within one stride passes, whatever outputPadding says.
    All({kTransposes, Shape(kGradOutput, {1, 3, 10, 12})}),
};

TEST(ConvolutionBackwardContract, EveryRuleIsEnforcedAndExplained) {
  Harness harness(kContract, &aclnnConvolutionBackwardGetWorkspaceSize, &FillValidCall,
                  Naming::kEach);
  harness.ExpectAccepted();
  for (const Mutation& mutate : kAccepted) harness.ExpectAccepted(mutate);
  harness.ExpectGenericRules();
  ExpectRefused(harness, kRefused);
  harness.ExpectViolation("convolution_backward/format/input", 161002,
                          Shape(kInput, {2, 3, 6, 6}, DType::kFloat32, ACL_FORMAT_NHWC));
  harness.ExpectViolation("convolution_backward/rank/input", 161002, Shape(kInput, {2, 3}));
  {
    const aclimb::testing::Setting soc("ACLIMB_SOC", "Ascend910A");
    harness.ExpectAccepted();
    ExpectRefused(harness, kRefusedByOldChips);
    harness.ExpectViolation("convolution_backward/dtype/input", 161002,
                            Shape(kInput, {2, 3, 6, 6}, DType::kBFloat16));
  }
  harness.ExpectEveryRuleCovered();
}

TEST(ConvolutionBackwardContract, MissingArgumentsOutrankWrongOnes) {
  Harness harness(kContract, &aclnnConvolutionBackwardGetWorkspaceSize, &FillValidCall,
                  Naming::kEach);
  const Mutation wrong = Shape(kInput, {2, 3}, DType::kInt32);
  harness.ExpectRule("wanted/gradWeight", All({wrong, Null(kGradWeight)}));
  harness.ExpectRule("mask-length", All({wrong, Mask({1})}));
}

}  // namespace
}  // namespace aclimb::convolution_backward
