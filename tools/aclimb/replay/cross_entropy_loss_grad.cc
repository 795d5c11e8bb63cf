// aclnnCrossEntropyLossGrad, for a replay.

#include <cmath>

#include "aclimb/ops/cross_entropy_loss_grad/contract.h"
#include "aclimb/ops/cross_entropy_loss_grad/truth.h"
#include "tools/aclimb/replay/adapter.h"

namespace aclimb::cross_entropy_loss_grad {
namespace {

std::vector<cli::OutputTruth> TruthOf(const cli::Recording& recording) {
  const cli::RecordedArgument& log_prob = recording.At(kLogProb);
  // Those that were not given, or not read, count as absent.
  const auto optional = [&](int parameter) {
    return recording.At(parameter).touched ? recording.Values(parameter) : std::vector<double>();
  };
  const cli::RecordedArgument& reduction = recording.At(kReduction);
  Problem problem;
  problem.rows = log_prob.shape[0];
  problem.columns = log_prob.shape[1];
  if (!reduction.null) problem.reduction = reduction.text;
  problem.grad_loss = recording.Values(kGradLoss);
  problem.log_prob = recording.Values(kLogProb);
  for (double target : recording.Values(kTarget)) {
    // Rows of what is no class are left out anyway.
    problem.target.push_back(std::fabs(target) < 9e18 ? static_cast<int64_t>(target) : -1);
  }
  problem.weight = optional(kWeight);
  problem.grad_zloss = optional(kGradZloss);
  problem.lse = optional(kLseForZloss);
  problem.ignore_index = recording.At(kIgnoreIndex).integer;
  problem.label_smoothing = recording.At(kLabelSmoothing).real;
  problem.lse_square_scale = recording.At(kLseSquareScale).real;

  const DType dtype = recording.At(kXGradOut).dtype;
  const bool half = dtype != DType::kFloat32;
  const double unit = !half ? 0x1p-24 : dtype == DType::kFloat16 ? 0x1p-11 : 0x1p-8;
  const double smallest = !half ? 0x1p-149 : dtype == DType::kFloat16 ? 0x1p-25 : 0x1p-134;
  // Of the exponential and of the divisor, in proportion to the terms of the sum.
  const double error = half ? 8e-6 : 1e-6;
  cli::OutputTruth truth = {kXGradOut, Truth(problem), Truth(problem, /*magnitude=*/true)};
  for (size_t i = 0; i < truth.values.size(); ++i) {
    truth.allowed[i] = unit * std::fabs(truth.values[i]) + error * truth.allowed[i] + smallest;
  }
  return {truth};
}

}  // namespace

extern const cli::Adapter kAdapter;
const cli::Adapter kAdapter = {
    &kContract, &cli::CallPhase1<decltype(aclnnCrossEntropyLossGradGetWorkspaceSize)>, &TruthOf};

}  // namespace aclimb::cross_entropy_loss_grad
