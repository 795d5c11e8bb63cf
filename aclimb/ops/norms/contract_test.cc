// What the norms refuse, from their contracts, and what their callers need them to take.
#include <gtest/gtest.h>

#include "aclimb/ops/norms/batch_norm.h"
#include "aclimb/ops/norms/group_norm.h"
#include "aclimb/ops/norms/layer_norm.h"
#include "aclimb/ops/norms/rms_norm.h"
#include "tests/support/contract_harness.h"

namespace aclimb::norms {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::Naming;

constexpr DType kFloat = DType::kFloat32;

TEST(NormsContract, LayerNorm) {
  using namespace layer_norm;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kInput, {2, 3, 4}, kFloat);
    a.Ints(kNormalizedShape, {3, 4});
    a.Tensor(kWeight, {3, 4}, kFloat);
    a.Tensor(kBias, {3, 4}, kFloat);
    a.Real(kEps, 1e-5);
    a.Tensor(kOut, {2, 3, 4}, kFloat);
    a.Tensor(kMeanOut, {2, 1, 1}, kFloat);
    a.Tensor(kRstdOut, {2, 1, 1}, kFloat);
  };
  ContractHarness<decltype(aclnnLayerNormWithImplModeGetWorkspaceSize)> harness(
      kWithImplModeContract, &aclnnLayerNormWithImplModeGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    for (const int optional : {kWeight, kBias, kMeanOut, kRstdOut}) a.Null(optional);
  });
  // A FLOAT weight goes with any input.
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(kWeight, {3, 4}, kFloat); });
  harness.ExpectGenericRules({"count/normalizedShape", "shape/input"});
  harness.ExpectRule("shape/input", [](CallArguments& a) { a.Ints(kNormalizedShape, {3, 5}); });
  harness.ExpectRule("count/normalizedShape",
                     [](CallArguments& a) { a.Ints(kNormalizedShape, {}); });
  for (const auto& [id, position] : {std::pair("shape/meanOutOptional", int{kMeanOut}),
                                     std::pair("shape/rstdOutOptional", int{kRstdOut})}) {
    harness.ExpectRule(
        id, [position = position](CallArguments& a) { a.Tensor(position, {2}, kFloat); });
  }
  harness.ExpectEveryRuleCovered(
      {"layer_norm_with_impl_mode/product", "layer_norm_with_impl_mode/environment"});
}

TEST(NormsContract, LayerNormBackward) {
  using namespace layer_norm::backward;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kGradOut, {2, 3, 4}, kFloat);
    a.Tensor(kInput, {2, 3, 4}, kFloat);
    a.Ints(kNormalizedShape, {4});
    a.Tensor(kMean, {2, 3, 1}, kFloat);
    a.Tensor(kRstd, {2, 3, 1}, kFloat);
    a.Tensor(kWeight, {4}, kFloat);
    a.Tensor(kBias, {4}, kFloat);
    a.Bools(kOutputMask, {1, 1, 1});
    a.Tensor(kGradInput, {2, 3, 4}, kFloat);
    a.Tensor(kGradWeight, {4}, kFloat);
    a.Tensor(kGradBias, {4}, kFloat);
  };
  ContractHarness<decltype(aclnnLayerNormBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnLayerNormBackwardGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bools(kOutputMask, {0, 1, 0});
    for (const int optional : {kWeight, kBias, kGradInput, kGradBias}) a.Null(optional);
  });
  harness.ExpectGenericRules({"count/normalizedShape", "shape/gradOut", "dtype/mean"});
  harness.ExpectRule("shape/gradOut", [](CallArguments& a) { a.Ints(kNormalizedShape, {3, 5}); });
  harness.ExpectRule("count/normalizedShape",
                     [](CallArguments& a) { a.Ints(kNormalizedShape, {}); });
  harness.ExpectRule("dtype/mean", [](CallArguments& a) {
    for (const int statistics : {kMean, kRstd}) {
      a.Tensor(statistics, {2, 3, 1}, DType::kBFloat16);
    }
  });
  harness.ExpectRule("shape/mean", [](CallArguments& a) { a.Tensor(kMean, {2, 1, 1}, kFloat); });
  harness.ExpectRule("shape/rstd", [](CallArguments& a) { a.Tensor(kRstd, {2, 3}, kFloat); });
  harness.ExpectEveryRuleCovered({"layer_norm_backward/environment"});
}

TEST(NormsContract, RmsNorm) {
  using namespace rms_norm;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kX, {2, 3, 4}, kFloat);
    a.Tensor(kGamma, {4}, kFloat);
    a.Real(kEpsilon, 1e-6);
    a.Tensor(kY, {2, 3, 4}, kFloat);
    a.Tensor(kRstd, {2, 3, 1}, kFloat);
  };
  ContractHarness<decltype(aclnnRmsNormGetWorkspaceSize)> harness(
      kContract, &aclnnRmsNormGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  // Callers leave out the dimensions of 1.
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(kRstd, {2, 3}, kFloat); });
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/gamma", [](CallArguments& a) { a.Tensor(kGamma, {2, 4}, kFloat); });
  harness.ExpectRule("shape/rstdOut", [](CallArguments& a) { a.Tensor(kRstd, {6}, kFloat); });
  harness.ExpectEveryRuleCovered({"rms_norm/product", "rms_norm/environment"});
}

TEST(NormsContract, RmsNormGrad) {
  using namespace rms_norm_grad;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kDy, {2, 3, 4}, kFloat);
    a.Tensor(kX, {2, 3, 4}, kFloat);
    a.Tensor(kRstd, {2, 3, 1}, kFloat);
    a.Tensor(kGamma, {4}, kFloat);
    a.Tensor(kDx, {2, 3, 4}, kFloat);
    a.Tensor(kDgamma, {4}, kFloat);
  };
  ContractHarness<decltype(aclnnRmsNormGradGetWorkspaceSize)> harness(
      kContract, &aclnnRmsNormGradGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/gamma", [](CallArguments& a) {
    a.Tensor(kGamma, {3}, kFloat);
    a.Tensor(kDgamma, {3}, kFloat);
  });
  harness.ExpectRule("shape/rstd", [](CallArguments& a) { a.Tensor(kRstd, {2, 1, 1}, kFloat); });
  harness.ExpectEveryRuleCovered({"rms_norm_grad/product", "rms_norm_grad/environment"});
}

TEST(NormsContract, AddRmsNorm) {
  using namespace add_rms_norm;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kX1, {2, 3, 4}, kFloat);
    a.Tensor(kX2, {2, 3, 4}, kFloat);
    a.Tensor(kGamma, {3, 4}, kFloat);
    a.Real(kEpsilon, 1e-6);
    a.Tensor(kY, {2, 3, 4}, kFloat);
    a.Tensor(kRstd, {2, 1, 1}, kFloat);
    a.Tensor(kX, {2, 3, 4}, kFloat);
  };
  ContractHarness<decltype(aclnnAddRmsNormGetWorkspaceSize)> harness(
      kContract, &aclnnAddRmsNormGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/gamma", [](CallArguments& a) { a.Tensor(kGamma, {3, 1}, kFloat); });
  harness.ExpectRule("shape/rstdOut", [](CallArguments& a) { a.Tensor(kRstd, {2, 3}, kFloat); });
  harness.ExpectEveryRuleCovered({"add_rms_norm/product", "add_rms_norm/environment"});
}

TEST(NormsContract, AddLayerNorm) {
  using namespace add_layer_norm;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kX1, {2, 3, 4}, kFloat);
    a.Tensor(kX2, {2, 3, 4}, kFloat);
    a.Tensor(kGamma, {4}, kFloat);
    a.Tensor(kBeta, {4}, kFloat);
    a.Tensor(kBias, {4}, kFloat);
    a.Real(kEpsilon, 1e-6);
    a.Bool(kAdditionalOutput, true);
    a.Tensor(kY, {2, 3, 4}, kFloat);
    a.Tensor(kMean, {2, 3, 1}, kFloat);
    a.Tensor(kRstd, {2, 3, 1}, kFloat);
    a.Tensor(kX, {2, 3, 4}, kFloat);
  };
  ContractHarness<decltype(aclnnAddLayerNormGetWorkspaceSize)> harness(
      kContract, &aclnnAddLayerNormGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kBias, {2, 3, 4}, kFloat);
    a.Bool(kAdditionalOutput, false);
    a.Null(kX);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/gamma", [](CallArguments& a) {
    a.Tensor(kGamma, {3}, kFloat);
    a.Tensor(kBeta, {3}, kFloat);
  });
  harness.ExpectRule("shape/biasOptional", [](CallArguments& a) { a.Tensor(kBias, {3}, kFloat); });
  harness.ExpectRule("shape/meanOut", [](CallArguments& a) { a.Tensor(kMean, {2}, kFloat); });
  harness.ExpectRule("shape/rstdOut", [](CallArguments& a) { a.Tensor(kRstd, {2}, kFloat); });
  harness.ExpectEveryRuleCovered({"add_layer_norm/product", "add_layer_norm/environment"});
}

TEST(NormsContract, GroupNorm) {
  using namespace group_norm;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kSelf, {2, 6, 5}, kFloat);
    a.Tensor(kGamma, {6}, kFloat);
    a.Tensor(kBeta, {6}, kFloat);
    a.Integer(kN, 2);
    a.Integer(kC, 6);
    a.Integer(kHxW, 5);
    a.Integer(kGroup, 3);
    a.Real(kEps, 1e-5);
    a.Tensor(kOut, {2, 6, 5}, kFloat);
    a.Tensor(kMeanOut, {2, 3}, kFloat);
    a.Tensor(kRstdOut, {2, 3}, kFloat);
  };
  ContractHarness<decltype(aclnnGroupNormGetWorkspaceSize)> harness(
      kContract, &aclnnGroupNormGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Null(kGamma);
    a.Null(kBeta);
  });
  harness.ExpectGenericRules({"dtype/meanOut", "count/self"});
  harness.ExpectRule("dtype/meanOut", [](CallArguments& a) {
    a.Tensor(kMeanOut, {2, 3}, DType::kBFloat16);
    a.Tensor(kRstdOut, {2, 3}, DType::kBFloat16);
  });
  harness.ExpectRule("groups", [](CallArguments& a) { a.Integer(kGroup, 4); });
  harness.ExpectRule("count/self", [](CallArguments& a) { a.Integer(kHxW, 4); });
  // No product is so large that it wraps to the right one.
  harness.ExpectRule("count/self", [](CallArguments& a) {
    a.Integer(kHxW, (int64_t{1} << 62) + 5);
    a.Integer(kN, 4);
  });
  harness.ExpectEveryRuleCovered({"group_norm/environment"});
}

TEST(NormsContract, GroupNormBackward) {
  using namespace group_norm_backward;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kGradOut, {2, 6, 5}, kFloat);
    a.Tensor(kInput, {60}, kFloat);
    a.Tensor(kMean, {2, 3}, kFloat);
    a.Tensor(kRstd, {6}, kFloat);
    a.Tensor(kGamma, {6}, kFloat);
    a.Integer(kN, 2);
    a.Integer(kC, 6);
    a.Integer(kHxW, 5);
    a.Integer(kGroup, 3);
    a.Bools(kOutputMask, {1, 1, 1});
    a.Tensor(kGradInput, {2, 6, 5}, kFloat);
    a.Tensor(kGradGamma, {6}, kFloat);
    a.Tensor(kGradBeta, {6}, kFloat);
  };
  ContractHarness<decltype(aclnnGroupNormBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnGroupNormBackwardGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bools(kOutputMask, {0, 0, 1});
    for (const int optional : {kGamma, kGradInput, kGradGamma}) a.Null(optional);
  });
  harness.ExpectGenericRules({"dtype/mean"});
  harness.ExpectRule("dtype/mean", [](CallArguments& a) {
    a.Tensor(kMean, {2, 3}, DType::kBFloat16);
    a.Tensor(kRstd, {2, 3}, DType::kBFloat16);
  });
  harness.ExpectRule("groups", [](CallArguments& a) { a.Integer(kGroup, 4); });
  harness.ExpectEveryRuleCovered(
      {"group_norm_backward/product", "group_norm_backward/environment"});
}

TEST(NormsContract, BatchNorm) {
  using namespace batch_norm;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kInput, {2, 6, 5}, kFloat);
    for (const int of_channels : {kWeight, kBias, kRunningMean, kRunningVar}) {
      a.Tensor(of_channels, {6}, kFloat);
    }
    a.Bool(kTraining, true);
    a.Real(kMomentum, 0.1);
    a.Real(kEps, 1e-5);
    a.Tensor(kOutput, {2, 6, 5}, kFloat);
    a.Tensor(kSaveMean, {6}, kFloat);
    a.Tensor(kSaveInvstd, {6}, kFloat);
  };
  ContractHarness<decltype(aclnnBatchNormGetWorkspaceSize)> harness(
      kContract, &aclnnBatchNormGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  // Callers pass empty tensors for statistics that nobody writes.
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bool(kTraining, false);
    for (const int statistics : {kSaveMean, kSaveInvstd}) a.Tensor(statistics, {0}, kFloat);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    for (const int optional : {kWeight, kBias, kRunningMean, kRunningVar}) a.Null(optional);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("wanted/saveMean", [](CallArguments& a) { a.Null(kSaveMean); });
  harness.ExpectRule("wanted/saveMean", [](CallArguments& a) { a.Tensor(kSaveMean, {0}, kFloat); });
  harness.ExpectRule("wanted/saveInvstd", [](CallArguments& a) { a.Null(kSaveInvstd); });
  harness.ExpectEveryRuleCovered({"batch_norm/environment"});
}

TEST(NormsContract, BatchNormBackward) {
  using namespace batch_norm_backward;  // NOLINT: its positions
  const auto fill = [](CallArguments& a) {
    a.Tensor(kGradOut, {2, 6, 5}, kFloat);
    a.Tensor(kInput, {2, 6, 5}, kFloat);
    for (const int of_channels : {kWeight, kRunningMean, kRunningVar, kSaveMean, kSaveInvstd}) {
      a.Tensor(of_channels, {6}, kFloat);
    }
    a.Bool(kTraining, true);
    a.Real(kEps, 1e-5);
    a.Bools(kOutputMask, {1, 1, 1});
    a.Tensor(kGradInput, {2, 6, 5}, kFloat);
    a.Tensor(kGradWeight, {6}, kFloat);
    a.Tensor(kGradBias, {6}, kFloat);
  };
  ContractHarness<decltype(aclnnBatchNormBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnBatchNormBackwardGetWorkspaceSize, fill, Naming::kEach);
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bool(kTraining, false);
    for (const int statistics : {kSaveMean, kSaveInvstd}) a.Tensor(statistics, {0}, kFloat);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("needed/saveMean", [](CallArguments& a) { a.Null(kSaveMean); });
  harness.ExpectRule("needed/saveInvstd",
                     [](CallArguments& a) { a.Tensor(kSaveInvstd, {0}, kFloat); });
  harness.ExpectEveryRuleCovered(
      {"batch_norm_backward/product", "batch_norm_backward/environment"});
}

}  // namespace
}  // namespace aclimb::norms
