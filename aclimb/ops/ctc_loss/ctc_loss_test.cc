// What is particular to the operators; the suite has the rest.

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/ctc_loss/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/run_failure.h"

namespace aclimb::testing::ctc_loss_test {

ACLIMB_OPERATOR_SUITE(CtcLoss, ctc_loss::kOperators);

namespace {

using ctc_loss::Backward;
using ctc_loss::Forward;
using Values = std::vector<double>;

class CtcLoss : public DeviceTest {};

// Three classes of equal probability in three steps; the third sequence has too many labels.
struct Problem {
  const DeviceTensor probabilities{{3, 3, 3}, DType::kFloat64, Values(27, std::log(1.0 / 3))};
  const IntArray steps{{3, 2, 3}}, counts{{1, 0, 3}};
  const DeviceTensor losses{{3}, DType::kFloat64}, alpha{{3, 3, 7}, DType::kFloat64};

  aclnnStatus Lose(const Values& labels, aclrtStream stream) const {
    const DeviceTensor targets({3, 3}, DType::kInt32, labels);
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnCtcLossGetWorkspaceSize(probabilities, targets, steps, counts, 0, true,
                                              losses, alpha, size, executor);
        },
        &aclnnCtcLoss, stream);
  }
};

// Each label alone in three steps: 1 _ _, _ 1 _, _ _ 1, 1 1 _, _ 1 1, 1 1 1 are 6 of 27 paths.
TEST_F(CtcLoss, PathsAreCounted) {
  const Problem problem;
  const Values labels = {1, 9, 9, 9, 9, 9, 1, 1, 2};
  ACLIMB_ASSERT_OK(problem.Lose(labels, stream_));
  const Values losses = problem.losses.Values();
  EXPECT_NEAR(losses[0], -std::log(6.0 / 27), 1e-12);
  EXPECT_NEAR(losses[1], -std::log(1.0 / 9), 1e-12);
  EXPECT_EQ(losses[2], std::numeric_limits<double>::infinity());
  // The gradient: 0 where nothing is spelled, and of each step that all classes have 0 in the sum.
  const DeviceTensor gradient({3}, DType::kFloat64, {1, 1, 1});
  const DeviceTensor targets({3, 3}, DType::kInt32, labels), out({3, 3, 3}, DType::kFloat64);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnCtcLossBackwardGetWorkspaceSize(gradient, problem.probabilities, targets,
                                                    problem.steps, problem.counts, problem.losses,
                                                    problem.alpha, 0, true, out, size, executor);
      },
      &aclnnCtcLossBackward, stream_));
  const Values result = out.Values();
  for (size_t t = 0; t < 3; ++t) {
    const double* const first = &result[9 * t];
    EXPECT_NEAR(first[0] + first[1] + first[2], 0, 1e-12);
    EXPECT_NEAR(first[2], 1.0 / 3, 1e-12);
    EXPECT_EQ(first[6], 0);
    if (t == 2) {
      EXPECT_EQ(first[3], 0);
    } else {
      EXPECT_NEAR(first[3], -2.0 / 3, 1e-12);
    }
  }
}

TEST_F(CtcLoss, LabelsThatAreNoClassesFailTheRun) {
  const Problem problem;
  EXPECT_TRUE(IsRunFailure(
      problem.Lose({1, 9, 9, 9, 9, 9, 1, 3, 4}, stream_),
      "targets[2][1] is 3, and 1 more is wrong; expected 0 to 2 (logProbs has 3 classes)."));
}

TEST_F(CtcLoss, NaNsAreKeptBesideWhatIsImpossible) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const DeviceTensor probabilities({1, 1, 2}, DType::kFloat32, {-infinity, nan});
  const DeviceTensor targets({1}, DType::kInt64, {1}), loss({1}, DType::kFloat32);
  const DeviceTensor alpha({1, 1, 3}, DType::kFloat32);
  const IntArray steps{{1}}, counts{{1}};
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnCtcLossGetWorkspaceSize(probabilities, targets, steps, counts, 0, false, loss,
                                            alpha, size, executor);
      },
      &aclnnCtcLoss, stream_));
  EXPECT_TRUE(std::isnan(loss.Values()[0]));
}

template <typename P>
void FillShared(CallArguments& a) {
  a.Tensor(P::kLogProbs, {4, 2, 5}, DType::kFloat32);
  a.Tensor(P::kTargets, {2, 3}, DType::kInt64);
  a.Ints(P::kInputLengths, {4, 3});
  a.Ints(P::kTargetLengths, {2, 1});
  a.Integer(P::kBlank, 0);
  a.Bool(P::kZeroInfinity, false);
  a.Tensor(P::kLoss, {2}, DType::kFloat32);
  a.Tensor(P::kLogAlpha, {2, 4, 8}, DType::kFloat32);
}
template <typename P, typename Harness>
void ExpectSharedRules(Harness& harness, const char* alpha) {
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(P::kTargets, {3}, DType::kInt64); });
  harness.ExpectGenericRules();
  harness.ExpectRule("range/inputLengths", [](CallArguments& a) {
    a.Ints(P::kInputLengths, {4, 5});
  });
  harness.ExpectRule("range/inputLengths", [](CallArguments& a) { a.Ints(P::kInputLengths, {4}); });
  harness.ExpectRule("range/targetLengths", [](CallArguments& a) {
    a.Ints(P::kTargetLengths, {4, 1});
  });
  harness.ExpectRule("range/targetLengths",
                     [](CallArguments& a) { a.Tensor(P::kTargets, {4}, DType::kInt64); });
  harness.ExpectRule("range/targetLengths", [](CallArguments& a) {
    a.Tensor(P::kTargets, {3, 3}, DType::kInt64);
  });
  harness.ExpectRule("range/blank", [](CallArguments& a) { a.Integer(P::kBlank, 5); });
  harness.ExpectRule(alpha, [](CallArguments& a) {
    a.Tensor(P::kLogAlpha, {2, 4, 4}, DType::kFloat32);
  });
}

TEST(CtcLossContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnCtcLossGetWorkspaceSize)> losses(
      ctc_loss::forward::kContract, &aclnnCtcLossGetWorkspaceSize, &FillShared<Forward>);
  ExpectSharedRules<Forward>(losses, "wide-enough/logAlphaOut");
  losses.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnCtcLossBackwardGetWorkspaceSize)> gradients(
      ctc_loss::backward::kContract, &aclnnCtcLossBackwardGetWorkspaceSize, [](CallArguments& a) {
        FillShared<Backward>(a);
        a.Tensor(Backward::kGradOut, {2}, DType::kFloat32);
        a.Tensor(Backward::kOut, {4, 2, 5}, DType::kFloat32);
      });
  ExpectSharedRules<Backward>(gradients, "wide-enough/logAlpha");
  gradients.ExpectEveryRuleCovered({"ctc_loss_backward/product"});
}

}  // namespace
}  // namespace aclimb::testing::ctc_loss_test
