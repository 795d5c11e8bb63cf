#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/ops/attention/flash_attention_truth.h"
#include "aclimb/ops/attention/infer_contract.h"

namespace aclimb::attention {

template <const InferPlaces& kPlaces, int kScale>
void InferTruth(const truth::Call& call, truth::Outputs& outputs) {
  TrueAttention attention(call, kPlaces.at);
  attention.scale = call.Real(kScale);
  const auto counts = [&](int place) {
    if (place < 0) return std::vector<int64_t>();
    std::vector<int64_t> all = call.Ints(place);
    if (all.size() == 1) all.resize(static_cast<size_t>(attention.n.batch), all[0]);
    return all;
  };
  attention.query_counts = counts(kPlaces.query_counts);
  attention.key_counts = counts(kPlaces.key_counts);
  const std::string layout = call.Text(kPlaces.at.layout, "");
  TrueForward forward =
      ForwardTruth(attention, std::string(ResultLayoutOf(layout)), call.DTypeOf(kPlaces.at.query));
  outputs.Set(kPlaces.out, std::move(forward.out.values), std::move(forward.out.allowed));
  if (kPlaces.flag < 0 || !call.Bool(kPlaces.flag)) return;
  std::vector<double> logs, allowed;
  for (size_t i = 0; i < forward.sum.values.size(); ++i) {
    const double sum = forward.sum.values[i], max = forward.max.values[i];
    logs.push_back(sum == 0 ? std::numeric_limits<double>::infinity() : max + std::log(sum));
    allowed.push_back(sum == 0 ? 0 : forward.max.allowed[i] + forward.sum.allowed[i] / sum + 1e-6);
  }
  outputs.Set(kPlaces.log_sum, std::move(logs), std::move(allowed));
}

}  // namespace aclimb::attention
