// aclnnEluBackward, for a replay.

#include <cmath>

#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/ops/elu_backward/truth.h"
#include "tools/aclimb/replay/adapter.h"

namespace aclimb::elu_backward {
namespace {

struct Tolerance {
  double relative;
  double absolute;
};

// One rounding to the dtype, plus the cancellation of v + alpha * scale in float32.
Tolerance ToleranceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {1e-3, 1e-4};
    case DType::kBFloat16:
      return {8e-3, 1e-3};
    default:
      return {1e-5, 1e-6};
  }
}

std::vector<cli::OutputTruth> TruthOf(const cli::Recording& recording) {
  const std::vector<double> grad = recording.Values(kGradOutput);
  const std::vector<double> value = recording.Values(kSelfOrResult);
  const auto scalar = [&](int parameter) {
    return static_cast<float>(recording.At(parameter).real);
  };
  const Tolerance in = ToleranceOf(recording.At(kGradOutput).dtype);
  const Tolerance out = ToleranceOf(recording.At(kGradInput).dtype);
  const Tolerance tolerance = in.relative > out.relative ? in : out;
  cli::OutputTruth truth = {kGradInput, {}, {}};
  for (size_t i = 0; i < grad.size(); ++i) {
    truth.values.push_back(Truth(grad[i], value[i], scalar(kAlpha), scalar(kScale),
                                 scalar(kInputScale), recording.At(kIsResult).integer != 0));
    truth.allowed.push_back(tolerance.absolute +
                            tolerance.relative * std::fabs(truth.values.back()));
  }
  return {truth};
}

}  // namespace

extern const cli::Adapter kAdapter;
const cli::Adapter kAdapter = {
    &kContract, &cli::CallPhase1<decltype(aclnnEluBackwardGetWorkspaceSize)>, &TruthOf};

}  // namespace aclimb::elu_backward
