#pragma once

#include <algorithm>
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

// What weights and gradients lose where bfloat16 is multiplied as it is: they are two numbers of
// eight bits each.
inline double WeightError(DType dtype) { return dtype == DType::kBFloat16 ? 1e-5 : 0; }

//   layout  of the result
inline TrueForward ForwardTruth(const TrueAttention& attention, const std::string& layout,
                                DType dtype) {
  const Sizes& n = attention.n;
  TrueForward forward;
  const PerHead sizes = attention.QuerySizes(n.value_width);
  const double weights = WeightError(dtype);
  const auto count = static_cast<size_t>(sizes[0] * sizes[1] * sizes[2] * sizes[3]);
  forward.out.values.resize(count);
  forward.out.allowed.resize(count);
  std::vector<double> sums, errors;
  for (int64_t b = 0; b < n.batch; ++b) {
    for (int64_t h = 0; h < n.heads; ++h) {
      for (int64_t q = 0; q < n.queries; ++q) {
        const TrueScores row = attention.ScoresOf(b, h, q);
        // Where no key takes part, the largest score is the lowest float; beside NaN none is.
        const bool none = row.sum == 0;
        const double lowest = std::numeric_limits<float>::lowest();
        forward.max.values.push_back(none ? lowest : std::isnan(row.sum) ? row.sum : row.max);
        forward.max.allowed.push_back(none ? 0 : row.error + 1e-7 * std::fabs(row.max));
        forward.sum.values.push_back(row.sum);
        forward.sum.allowed.push_back(
            std::min(static_cast<double>(n.keys), row.sum * (std::expm1(2 * row.error) + 1e-6)));
        sums.assign(static_cast<size_t>(n.value_width), 0.0);
        errors = sums;
        for (int64_t k = 0; k < n.keys; ++k) {
          const auto number = static_cast<size_t>(k);
          if (row.sum == 0 || row.TakesNoPart(number)) continue;
          const double weight = row.Weight(number), kept = attention.Kept(b, h, q, k);
          const double off = row.ShareError(number, row.max, row.sum) + weights * weight;
          const double* const value = attention.Value(b, h, k);
          for (size_t d = 0; d < sums.size(); ++d) {
            if (weight != 0) sums[d] += weight * kept * value[d];
            errors[d] += off * kept * std::fabs(value[d]);
          }
        }
        for (size_t d = 0; d < sums.size(); ++d) {
          const size_t number =
              TrueAttention::Number(layout, sizes, b, h, q, static_cast<int64_t>(d));
          forward.out.values[number] = sums[d];
          forward.out.allowed[number] =
              errors[d] + truth::RoundingOf(dtype) * (std::fabs(sums[d]) + errors[d]) +
              truth::LeastOf(dtype);
        }
      }
    }
  }
  return forward;
}

namespace flash_attention_score {

inline truth::Expected EightTimes(const truth::Expected& once) {
  truth::Expected eight;
  for (size_t i = 0; i < once.values.size(); ++i) {
    eight.values.insert(eight.values.end(), 8, once.values[i]);
    eight.allowed.insert(eight.allowed.end(), 8, once.allowed[i]);
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

namespace flash_attention_score_grad {

// A gradient, in row-major order of its tensor, with how far float32 may leave it off.
struct TrueGradient {
  double relative;
  truth::Expected of;

  TrueGradient(int64_t count, DType dtype)
      : relative(1e-6 + WeightError(dtype)),
        of{std::vector<double>(static_cast<size_t>(count)),
           std::vector<double>(static_cast<size_t>(count))} {}
  void Add(size_t place, double term, double error) {
    of.values[place] += term;
    // The sum in float32 is of terms with their errors.
    of.allowed[place] += error + relative * (std::fabs(term) + error);
  }
  void SetOutput(truth::Outputs& outputs, int place, DType dtype) {
    for (size_t i = 0; i < of.values.size(); ++i) {
      of.allowed[i] += truth::RoundingOf(dtype) * (std::fabs(of.values[i]) + of.allowed[i]) +
                       truth::LeastOf(dtype);
    }
    outputs.Set(place, std::move(of.values), std::move(of.allowed));
  }
};

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  TrueAttention attention(call, kPlaces);
  const double scale = call.Real(kScaleValue);
  attention.scale = attention.bias_factor = scale;
  const Sizes& n = attention.n;
  const std::string& layout = attention.layout;
  const PerHead result = attention.QuerySizes(n.value_width);
  const DType dtype = call.DTypeOf(kQuery);
  TrueGradient dq(call.ElementCount(kQuery), dtype), dk(call.ElementCount(kKey), dtype),
      dv(call.ElementCount(kValue), dtype);
  const bool wants_bias = call.IsGiven(kDpse) && call.ElementCount(kDpse) > 0;
  TrueGradient dpse(wants_bias ? call.ElementCount(kDpse) : 0, dtype);
  for (int64_t b = 0; b < n.batch; ++b) {
    for (int64_t h = 0; h < n.heads; ++h) {
      for (int64_t q = 0; q < n.queries; ++q) {
        const TrueScores row = attention.ScoresOf(b, h, q);
        const auto place = static_cast<size_t>(((b * n.heads + h) * n.queries + q) * 8);
        const double max = call.Values(kSoftmaxMax)[place], sum = call.Values(kSoftmaxSum)[place];
        const auto dy = [&](int64_t d) {
          return call.Values(kDy)[TrueAttention::Number(layout, result, b, h, q, d)];
        };
        double delta = 0, delta_size = 0;
        for (int64_t d = 0; d < n.value_width; ++d) {
          const double term =
              dy(d) * call.Values(kAttentionIn)[TrueAttention::Number(layout, result, b, h, q, d)];
          delta += term;
          delta_size += std::fabs(term);
        }
        for (int64_t k = 0; k < n.keys; ++k) {
          const auto number = static_cast<size_t>(k);
          if (sum == 0 || row.TakesNoPart(number)) continue;
          const double weight = row.Share(number, max, sum);
          const double weight_error = row.ShareError(number, max, sum);
          const double kept = attention.Kept(b, h, q, k);
          const int64_t group = h / attention.Group();
          double grad = 0, grad_size = 0;
          const double* const value = attention.Value(b, h, k);
          for (int64_t d = 0; d < n.value_width; ++d) {
            const double term = kept * dy(d) * value[d];
            grad += term;
            grad_size += std::fabs(term);
            dv.Add(TrueAttention::Number(layout, attention.KeySizes(n.value_width), b, group, k, d),
                   weight * kept * dy(d), weight_error * kept * std::fabs(dy(d)));
          }
          const double score_grad = weight * (grad - delta);
          const double error = weight_error * std::fabs(grad - delta) +
                               1e-6 * (weight + weight_error) * (grad_size + delta_size);
          if (wants_bias) {
            dpse.Add(attention.WeightNumber(kDpse, b, h, q, k), scale * score_grad,
                     std::fabs(scale) * error);
          }
          for (int64_t d = 0; d < n.width; ++d) {
            const double query = scale * attention.Query(b, h, q)[d];
            const double key = scale * attention.Key(b, h, k)[d];
            dk.Add(TrueAttention::Number(layout, attention.KeySizes(n.width), b, group, k, d),
                   score_grad * query, error * std::fabs(query));
            dq.Add(TrueAttention::Number(layout, attention.QuerySizes(n.width), b, h, q, d),
                   score_grad * key, error * std::fabs(key));
          }
        }
      }
    }
  }
  dq.SetOutput(outputs, kDq, dtype);
  dk.SetOutput(outputs, kDk, dtype);
  dv.SetOutput(outputs, kDv, dtype);
  if (wants_bias) dpse.SetOutput(outputs, kDpse, dtype);
}

}  // namespace flash_attention_score_grad
}  // namespace aclimb::attention
