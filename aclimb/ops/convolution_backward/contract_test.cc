// Phase 1's refusals: every numbered check and edge case.

#include "aclimb/ops/convolution_backward/contract.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "aclimb/bridge/bridge.h"
#include "tests/support/contract_harness.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::Naming;
using Harness = ContractHarness<decltype(aclnnConvolutionBackwardGetWorkspaceSize)>;

void FillValidCall(CallArguments& a) {
  a.Tensor(kGradOutput, {2, 4, 6, 6}, DType::kFloat32, ACL_FORMAT_NCHW);
  a.Tensor(kInput, {2, 3, 6, 6}, DType::kFloat32, ACL_FORMAT_NCHW);
  a.Tensor(kWeight, {4, 3, 3, 3}, DType::kFloat32, ACL_FORMAT_NCHW);
  a.Ints(kBiasSizes, {4});
  a.Ints(kStride, {1, 1});
  a.Ints(kPadding, {1, 1});
  a.Ints(kDilation, {1, 1});
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
  a.Tensor(kInput, {1, 2, 4, 5}, DType::kFloat32);
  a.Tensor(kWeight, {2, 3, 3, 3}, DType::kFloat32);
  a.Ints(kStride, {2, 2});
  a.Ints(kPadding, {0, 0});
  a.Bool(kTransposed, true);
  a.Tensor(kGradInput, {1, 2, 4, 5}, DType::kFloat32);
  a.Tensor(kGradWeight, {2, 3, 3, 3}, DType::kFloat32);
  a.Tensor(kGradBias, {3}, DType::kFloat32);
}

class Soc {
 public:
  explicit Soc(const char* name) {
    setenv("ACLIMB_SOC", name, 1);
    aclimb_settings_reload();
  }
  ~Soc() {
    unsetenv("ACLIMB_SOC");
    aclimb_settings_reload();
  }
};

TEST(ConvolutionBackwardContract, EveryRuleIsEnforcedAndExplained) {
  Harness harness(kContract, &aclnnConvolutionBackwardGetWorkspaceSize, &FillValidCall,
                  Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectAccepted(&FillTransposedCall);
  harness.ExpectGenericRules();
  // 161001
  for (const std::vector<uint8_t>& mask : {std::vector<uint8_t>{1, 1}, {1, 1, 1, 1}, {}}) {
    harness.ExpectRule("mask-length", [&](CallArguments& a) { a.Bools(kOutputMask, mask); });
  }
  harness.ExpectRule("wanted/biasSizes", [](CallArguments& a) { a.Null(kBiasSizes); });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bools(kOutputMask, {1, 1, 0});
    a.Null(kBiasSizes);
    a.Null(kGradBias);
  });
  harness.ExpectAccepted([](CallArguments& a) { a.Bools(kOutputMask, {0, 0, 0}); });
  // An output that is not wanted is still checked.
  const auto unwanted = [](CallArguments& a) { a.Bools(kOutputMask, {0, 0, 0}); };
  harness.ExpectRule("same-dtype/gradInput", [&](CallArguments& a) {
    unwanted(a);
    a.Tensor(kGradInput, {2, 3, 6, 6}, DType::kFloat16);
  });
  harness.ExpectRule("same-dtype/gradWeight", [](CallArguments& a) {
    a.Tensor(kGradWeight, {4, 3, 3, 3}, DType::kBFloat16);
  });
  harness.ExpectRule("same-dtype/gradBias",
                     [](CallArguments& a) { a.Tensor(kGradBias, {4}, DType::kFloat16); });
  harness.ExpectRule("format-of-rank", [](CallArguments& a) {
    a.Tensor(kWeight, {4, 3, 3, 3}, DType::kFloat32, ACL_FORMAT_NCL);
  });
  harness.ExpectViolation("convolution_backward/format/input", 161002, [](CallArguments& a) {
    a.Tensor(kInput, {2, 3, 6, 6}, DType::kFloat32, ACL_FORMAT_NHWC);
  });
  harness.ExpectViolation("convolution_backward/rank/input", 161002, [](CallArguments& a) {
    a.Tensor(kInput, {2, 3}, DType::kFloat32);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kWeight, {4, 3, 3, 3}, DType::kFloat32, ACL_FORMAT_ND);
    a.Tensor(kGradBias, {4}, DType::kFloat32, ACL_FORMAT_NCHW);
  });
  // The sentence is about each of the four; a message about one of them, and the rank.
  for (int parameter : {kStride, kPadding, kDilation, kOutputPadding}) {
    const char* const name = kContract.parameters[static_cast<size_t>(parameter)].name;
    for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{1, 1, 1}, {}}) {
      harness.ExpectRule("lengths", [&](CallArguments& a) { a.Ints(parameter, wrong); },
                         {{name, "input"}});
    }
  }
  harness.ExpectRule("lengths",
                     [](CallArguments& a) {
                       a.Ints(kStride, {1, 1, 1, 1});
                     },
                     {{"stride", "input"}});
  harness.ExpectAccepted([](CallArguments& a) { a.Ints(kBiasSizes, {1}); });
  harness.ExpectRule("stride", [](CallArguments& a) { a.Ints(kStride, {1, 0}); });
  harness.ExpectRule("padding", [](CallArguments& a) { a.Ints(kPadding, {1, 1, 1, -1}); });
  harness.ExpectRule("dilation", [](CallArguments& a) { a.Ints(kDilation, {0}); });
  harness.ExpectRule("output-padding", [](CallArguments& a) { a.Ints(kOutputPadding, {1, 0}); });
  harness.ExpectRule("output-padding", [](CallArguments& a) {
    FillTransposedCall(a);
    a.Ints(kOutputPadding, {2, 0});
  });
  harness.ExpectRule("output-padding", [](CallArguments& a) {
    FillTransposedCall(a);
    a.Ints(kOutputPadding, {0, -1});
  });
  harness.ExpectRule("bias-shape",
                     [](CallArguments& a) { a.Tensor(kGradBias, {3}, DType::kFloat32); });
  harness.ExpectRule("groups-divide", [](CallArguments& a) { a.Integer(kGroups, 3); });
  // gradBias and the weight agree: gradOutput is what has to change.
  harness.ExpectRule("channels", [](CallArguments& a) {
    a.Tensor(kGradOutput, {2, 5, 6, 6}, DType::kFloat32);
  });
  harness.ExpectRule("channels", [](CallArguments& a) { a.Integer(kGroups, 2); });
  harness.ExpectRule("channels", [](CallArguments& a) { a.Bool(kTransposed, true); });
  harness.ExpectRule("batch", [](CallArguments& a) {
    a.Tensor(kGradOutput, {1, 4, 6, 6}, DType::kFloat32);
  });
  // One too many, one too few, a window that does not fit, numbers at the end of int64.
  for (int64_t width : {5, 7}) {
    harness.ExpectRule("spatial", [&](CallArguments& a) {
      a.Tensor(kGradOutput, {2, 4, 6, width}, DType::kFloat32);
    });
  }
  harness.ExpectRule("spatial", [](CallArguments& a) { a.Ints(kDilation, {1, 4}); });
  harness.ExpectRule("spatial", [](CallArguments& a) { a.Ints(kDilation, {INT64_MAX}); });
  harness.ExpectRule("spatial", [](CallArguments& a) { a.Ints(kPadding, {INT64_MAX}); });
  harness.ExpectRule("spatial", [](CallArguments& a) {
    FillTransposedCall(a);
    a.Tensor(kGradOutput, {1, 3, 11, 11}, DType::kFloat32);
  });
  // Any size within one stride passes, whatever outputPadding says.
  harness.ExpectAccepted([](CallArguments& a) {
    FillTransposedCall(a);
    a.Tensor(kGradOutput, {1, 3, 10, 12}, DType::kFloat32);
  });
  // Empty tensors
  const auto no_images = [](CallArguments& a) {
    a.Tensor(kGradOutput, {0, 4, 6, 6}, DType::kFloat32);
    a.Tensor(kInput, {0, 3, 6, 6}, DType::kFloat32);
    a.Tensor(kGradInput, {0, 3, 6, 6}, DType::kFloat32);
  };
  harness.ExpectAccepted(no_images);
  harness.ExpectRule("empty-bias", [&](CallArguments& a) {
    no_images(a);
    a.Null(kBiasSizes);
  });
  harness.ExpectRule("empty-bias", [&](CallArguments& a) {
    no_images(a);
    a.Ints(kBiasSizes, {3});
  });
  harness.ExpectRule("empty-grad-input", [](CallArguments& a) {
    a.Tensor(kGradOutput, {2, 4, 0, 6}, DType::kFloat32);
    a.Tensor(kInput, {2, 3, 0, 6}, DType::kFloat32);
    a.Tensor(kGradInput, {2, 3, 0, 6}, DType::kFloat32);
  });
  harness.ExpectRule("empty-grad-input", [](CallArguments& a) {
    a.Tensor(kGradOutput, {2, 0, 6, 6}, DType::kFloat32);
    a.Tensor(kWeight, {0, 3, 3, 3}, DType::kFloat32);
    a.Tensor(kGradWeight, {0, 3, 3, 3}, DType::kFloat32);
    a.Tensor(kGradBias, {0}, DType::kFloat32);
    a.Ints(kBiasSizes, {0});
  });
  harness.ExpectRule("empty-grad-output", [](CallArguments& a) {
    a.Tensor(kGradOutput, {2, 4, 0, 6}, DType::kFloat32);
  });
  // Older chips
  {
    const Soc soc("Ascend910A");
    harness.ExpectAccepted();
    harness.ExpectRule("rank-of-product", [](CallArguments& a) {
      for (int parameter : {kInput, kGradInput, kGradOutput}) {
        a.Tensor(parameter, {1, 1, 1, 1, 1}, DType::kFloat32);
      }
      a.Tensor(kWeight, {1, 1, 1, 1, 1}, DType::kFloat32);
    });
    harness.ExpectRule("cube-math-type-of-product",
                       [](CallArguments& a) { a.Integer(kCubeMathType, 3); });
    harness.ExpectRule("cube-math-type-of-product",
                       [](CallArguments& a) { a.Integer(kCubeMathType, 0); });
    harness.ExpectRule("empty-of-product", no_images);
    harness.ExpectViolation("convolution_backward/dtype/input", 161002, [](CallArguments& a) {
      a.Tensor(kInput, {2, 3, 6, 6}, DType::kBFloat16);
    });
  }
  harness.ExpectEveryRuleCovered();
}

TEST(ConvolutionBackwardContract, MissingArgumentsOutrankWrongOnes) {
  Harness harness(kContract, &aclnnConvolutionBackwardGetWorkspaceSize, &FillValidCall,
                  Naming::kEach);
  harness.ExpectViolation("convolution_backward/wanted/gradWeight", 161001, [](CallArguments& a) {
    a.Tensor(kInput, {2, 3}, DType::kInt32);
    a.Null(kGradWeight);
  });
  harness.ExpectViolation("convolution_backward/mask-length", 161001, [](CallArguments& a) {
    a.Tensor(kInput, {2, 3}, DType::kInt32);
    a.Bools(kOutputMask, {1});
  });
}

// Refusals that relate arguments show each of them.
TEST(ConvolutionBackwardContract, ChannelsAreNamedWithTheirValues) {
  CallArguments a(15);
  FillValidCall(a);
  a.Tensor(kInput, {2, 5, 6, 6}, DType::kFloat32);
  a.Tensor(kGradInput, {2, 5, 6, 6}, DType::kFloat32);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const auto tensor = [&](int i) {
    return static_cast<aclTensor*>(const_cast<void*>(a.At(i).handle));
  };
  const auto ints = [&](int i) {
    return static_cast<aclIntArray*>(const_cast<void*>(a.At(i).handle));
  };
  EXPECT_EQ(aclnnConvolutionBackwardGetWorkspaceSize(
                tensor(kGradOutput), tensor(kInput), tensor(kWeight), ints(kBiasSizes),
                ints(kStride), ints(kPadding), ints(kDilation), false, ints(kOutputPadding), 1,
                static_cast<const aclBoolArray*>(a.At(kOutputMask).handle), 0, tensor(kGradInput),
                tensor(kGradWeight), tensor(kGradBias), &size, &executor),
            161002);
  const std::string text = aclGetRecentErrMsg();
  for (const char* part : {"gradOutput.shape is [2, 4, 6, 6]", "input.shape is [2, 5, 6, 6]",
                           "weight.shape is [4, 3, 3, 3]", "groups is 1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
