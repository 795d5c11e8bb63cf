// What is particular to the operator; the suite has the rest.

#include <gtest/gtest.h>

#include <vector>

#include "aclimb/ops/apply_adam_w_v2/operators.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::apply_adam_w_v2_test {

ACLIMB_OPERATOR_SUITE(ApplyAdamWV2, apply_adam_w_v2::kOperators);

}  // namespace aclimb::testing::apply_adam_w_v2_test

namespace aclimb::apply_adam_w_v2 {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::OperatorRun;
using aclimb::testing::RunBothPhases;

class ApplyAdamWV2 : public aclimb::testing::DeviceTest {};

// Two steps of torch.optim.AdamW(lr=0.1, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01) for a
// parameter 1 with the gradients 0.5 and -2: each step is counted from 0.
TEST_F(ApplyAdamWV2, StepsAreCountedFromZero) {
  const DeviceTensor var({1}, DType::kFloat32, {1}), m({1}, DType::kFloat32, {0});
  const DeviceTensor v({1}, DType::kFloat32, {0});
  const std::vector<double> gradients = {0.5, -2}, expected = {0.899, 0.954051};
  for (size_t i = 0; i < gradients.size(); ++i) {
    const DeviceTensor grad({1}, DType::kFloat32, {gradients[i]});
    const DeviceTensor step({1}, DType::kInt64, {static_cast<double>(i)});
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnApplyAdamWV2GetWorkspaceSize(var, m, v, nullptr, grad, step, 0.1f, 0.9f,
                                                   0.999f, 0.01f, 1e-8f, false, false, size,
                                                   executor);
        },
        &aclnnApplyAdamWV2, stream_));
    EXPECT_TRUE(Near(var.Values(), {expected[i]}, {1e-4, 0}));
  }
}

TEST_F(ApplyAdamWV2, WholeVectorsAndWhatIsLeftOfThem) {
  constexpr int64_t kCount = 257;
  const auto values = [](int64_t step, int64_t least) {
    std::vector<double> all;
    for (int64_t i = 0; i < kCount; ++i) {
      all.push_back(static_cast<double>(i * step % 101 + least) / 64);
    }
    return all;
  };
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (const bool amsgrad : {false, true}) {
      truth::Call call(kContract);
      call.SetTensor(kVar, {kCount}, dtype, values(7, -50));
      call.SetTensor(kM, {kCount}, dtype, values(11, -50));
      call.SetTensor(kV, {kCount}, dtype, values(13, 1));
      if (amsgrad) call.SetTensor(kMax, {kCount}, dtype, values(17, 1));
      call.SetTensor(kGrad, {kCount}, dtype, values(19, -50));
      call.SetTensor(kStep, {1}, DType::kInt64, {3});
      for (const int number : {kLr, kBeta1, kBeta2, kWeightDecay}) call.SetReal(number, 0.25);
      call.SetReal(kEps, 0x1p-20);
      call.SetInteger(kAmsgrad, amsgrad ? 1 : 0);
      call.SetInteger(kMaximize, 0);
      SCOPED_TRACE(NameOf(dtype));
      EachTarget([&] {
        SCOPED_TRACE(hwy::TargetName(hwy::SupportedTargets()));
        OperatorRun run(kOperators[0], call);
        ACLIMB_ASSERT_OK(run.Run(stream_));
        run.ExpectTruth();
      });
    }
  }
}

TEST(ApplyAdamWV2Contract, EveryRule) {
  ContractHarness<decltype(aclnnApplyAdamWV2GetWorkspaceSize)> harness(
      kContract, &aclnnApplyAdamWV2GetWorkspaceSize, [](CallArguments& a) {
        for (const int tensor : {kVar, kM, kV, kMax, kGrad}) {
          a.Tensor(tensor, {2, 3}, DType::kFloat32);
        }
        a.Tensor(kStep, {1}, DType::kInt64);
        for (const int number : {kLr, kBeta1, kBeta2, kWeightDecay, kEps}) a.Real(number, 0.5);
        a.Bool(kAmsgrad, true);
        a.Bool(kMaximize, false);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Null(kMax);
    a.Bool(kAmsgrad, false);
  });
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"apply_adam_w_v2/product"});
}

}  // namespace
}  // namespace aclimb::apply_adam_w_v2
