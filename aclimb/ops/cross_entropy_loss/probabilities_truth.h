#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/cross_entropy_loss/probabilities_contract.h"
#include "aclimb/ops/cross_entropy_loss/truth.h"

namespace aclimb::cross_entropy_loss {

inline void ProbabilitiesTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Probabilities;
  const std::vector<int64_t>& shape = call.Shape(P::kFeatures);
  const DType dtype = call.DTypeOf(P::kFeatures);
  std::vector<double> loss, loss_allowed, backprop, backprop_allowed;
  for (int64_t n = 0; n < shape[0]; ++n) {
    const double* const x = call.Values(P::kFeatures).data() + n * shape[1];
    const double* const label = call.Values(P::kLabels).data() + n * shape[1];
    double largest = -HUGE_VAL, sum = 0, total = 0, size = 0;
    for (int64_t c = 0; c < shape[1]; ++c) largest = std::max(largest, x[c]);
    for (int64_t c = 0; c < shape[1]; ++c) sum += std::exp(x[c] - largest);
    for (int64_t c = 0; c < shape[1]; ++c) {
      const double log_p = x[c] - largest - std::log(sum);
      total -= label[c] * log_p;
      size += std::fabs(label[c]) * (std::fabs(log_p) + 8);
      const double p = std::exp(log_p);
      backprop.push_back(p - label[c]);
      backprop_allowed.push_back(Allowed(dtype, p - label[c], 10 * p + std::fabs(label[c])));
    }
    loss.push_back(total);
    loss_allowed.push_back(Allowed(dtype, total, size));
  }
  outputs.Set(P::kLoss, std::move(loss), std::move(loss_allowed));
  outputs.Set(P::kBackprop, std::move(backprop), std::move(backprop_allowed));
}

}  // namespace aclimb::cross_entropy_loss
