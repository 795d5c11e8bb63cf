#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "aclimb/ops/attention/flash_attention_contract.h"
#include "aclimb/ops/attention/weights_truth.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::attention {

// The result of a forward call and its statistics.
struct TrueForward {
  truth::Expected out, max, sum;  // statistics once for each query
};

//   layout  of the result
inline TrueForward ForwardTruth(const TrueAttention& attention, const std::string& layout,
                                DType dtype) {
  const Sizes& n = attention.n;
  TrueForward forward;
  const PerHead sizes = attention.QuerySizes(n.value_width);
  const auto count = static_cast<size_t>(sizes[0] * sizes[1] * sizes[2] * sizes[3]);
  forward.out.values.resize(count);
  forward.out.allowed.resize(count);
  for (int64_t b = 0; b < n.batch; ++b) {
    for (int64_t h = 0; h < n.heads; ++h) {
      for (int64_t q = 0; q < n.queries; ++q) {
        const TrueScores row = attention.ScoresOf(b, h, q);
        const double error = 2 * row.error + 1e-6;
        forward.max.values.push_back(row.max);
        forward.max.allowed.push_back(row.error + 1e-7 * std::fabs(row.max));
        forward.sum.values.push_back(row.sum);
        forward.sum.allowed.push_back(error * row.sum);
        for (int64_t d = 0; d < n.value_width; ++d) {
          double sum = 0, size = 0;
          for (int64_t k = 0; k < n.keys; ++k) {
            if (row.Weight(static_cast<size_t>(k)) == 0) continue;
            const double term = row.Weight(static_cast<size_t>(k)) * attention.Kept(b, h, q, k) *
                                attention.Value(b, h, k, d);
            sum += term;
            size += std::fabs(term);
          }
          const size_t number = TrueAttention::Number(layout, sizes, b, h, q, d);
          forward.out.values[number] = sum;
          forward.out.allowed[number] =
              error * size + truth::RoundingOf(dtype) * std::fabs(sum) + truth::LeastOf(dtype);
        }
      }
    }
  }
  return forward;
}

namespace flash_attention_score {

// Where no key takes part, the largest score is the lowest float.
inline truth::Expected EightTimes(const truth::Expected& once) {
  truth::Expected eight;
  for (size_t i = 0; i < once.values.size(); ++i) {
    const bool none = std::isinf(once.values[i]);
    const double lowest = std::numeric_limits<float>::lowest();
    eight.values.insert(eight.values.end(), 8, none ? lowest : once.values[i]);
    eight.allowed.insert(eight.allowed.end(), 8, none ? 0 : once.allowed[i]);
  }
  return eight;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  TrueAttention attention(call, kPlaces);
  attention.scale = attention.bias_factor = call.Real(kScaleValue);
  TrueForward forward = ForwardTruth(attention, attention.layout, call.DTypeOf(kQuery));
  truth::Expected max = EightTimes(forward.max), sum = EightTimes(forward.sum);
  outputs.Set(kSoftmaxMax, std::move(max.values), std::move(max.allowed));
  outputs.Set(kSoftmaxSum, std::move(sum.values), std::move(sum.allowed));
  outputs.Set(kAttentionOut, std::move(forward.out.values), std::move(forward.out.allowed));
}

}  // namespace flash_attention_score
}  // namespace aclimb::attention
