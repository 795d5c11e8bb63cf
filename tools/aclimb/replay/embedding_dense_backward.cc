// aclnnEmbeddingDenseBackward, for a replay.

#include <algorithm>
#include <cmath>

#include "aclimb/ops/embedding_dense_backward/contract.h"
#include "aclimb/ops/embedding_dense_backward/truth.h"
#include "tools/aclimb/replay/adapter.h"

namespace aclimb::embedding_dense_backward {
namespace {

std::vector<cli::OutputTruth> TruthOf(const cli::Recording& recording) {
  const std::vector<double> grad = recording.Values(kGrad);
  const cli::RecordedArgument& out = recording.At(kOut);
  std::vector<int64_t> rows;
  for (double index : recording.Values(kIndices)) {
    const double whole = std::trunc(index);
    rows.push_back(whole >= 0 && whole < 1e15 ? static_cast<int64_t>(whole) : -1);
  }
  // Without columns or rows of grad there is nothing to sum.
  if (grad.empty()) rows.clear();
  const auto sum = [&](const std::vector<double>& terms, bool scale) {
    return Truth(terms, rows, out.shape[0], out.shape[1], recording.At(kPaddingIdx).integer, scale);
  };
  const bool scale = recording.At(kScaleGradByFreq).integer != 0;
  std::vector<double> magnitudes = grad;
  for (double& value : magnitudes) value = std::fabs(value);
  const std::vector<double> magnitude = sum(magnitudes, scale);
  const std::vector<double> terms = sum(std::vector<double>(grad.size(), 1.0), false);
  // Of the sum in float32, which grows with its terms, and of the result.
  const double rounding = out.dtype == DType::kFloat32   ? 0x1p-23
                          : out.dtype == DType::kFloat16 ? 0x1p-10
                                                         : 0x1p-7;
  const double tiny = out.dtype == DType::kFloat16 ? 0x1p-24 : 0;
  cli::OutputTruth truth = {kOut, sum(grad, scale), {}};
  for (size_t i = 0; i < truth.values.size(); ++i) {
    const double steps = std::max(16.0, 2 * std::sqrt(terms[i]));
    truth.allowed.push_back(std::fabs(truth.values[i]) * rounding + magnitude[i] * steps * 0x1p-24 +
                            tiny);
  }
  return {truth};
}

}  // namespace

extern const cli::Adapter kAdapter;
const cli::Adapter kAdapter = {
    &kContract, &cli::CallPhase1<decltype(aclnnEmbeddingDenseBackwardGetWorkspaceSize)>, &TruthOf};

}  // namespace aclimb::embedding_dense_backward
