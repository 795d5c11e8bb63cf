// aclnnEluBackward, for a replay.

#include <cmath>

#include "aclimb/ops/elu_backward/contract.h"
#include "aclimb/ops/elu_backward/truth.h"
#include "tools/aclimb/replay/adapter.h"

namespace aclimb::elu_backward {
namespace {

std::vector<cli::OutputTruth> TruthOf(const cli::Recording& recording) {
  const std::vector<double> grad = recording.Values(kGradOutput);
  const std::vector<double> value = recording.Values(kSelfOrResult);
  const auto scalar = [&](int parameter) {
    return static_cast<float>(recording.At(parameter).real);
  };
  const Allowance in = AllowanceOf(recording.At(kGradOutput).dtype);
  const Allowance out = AllowanceOf(recording.At(kGradInput).dtype);
  const Allowance allowance = in.relative > out.relative ? in : out;
  cli::OutputTruth truth = {kGradInput, {}, {}};
  for (size_t i = 0; i < grad.size(); ++i) {
    truth.values.push_back(Truth(grad[i], value[i], scalar(kAlpha), scalar(kScale),
                                 scalar(kInputScale), recording.At(kIsResult).integer != 0));
    truth.allowed.push_back(allowance.absolute +
                            allowance.relative * std::fabs(truth.values.back()));
  }
  return {truth};
}

}  // namespace

extern const cli::Adapter kAdapter;
const cli::Adapter kAdapter = {
    &kContract, &cli::CallPhase1<decltype(aclnnEluBackwardGetWorkspaceSize)>, &TruthOf};

}  // namespace aclimb::elu_backward
