#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclimb/ops/norms/row_truth.h"

// Gradients of rows whose weights have several elements each, in double. Sums are multiplied by the
// statistics once: that tells where infinities meet 0, and each other.
namespace aclimb::norms {

// Sums of gradients, and of their products with x - mean, and how large their terms are.
struct Pairs {
  double sum = 0, product = 0, sum_size = 0, product_size = 0;

  void Add(double grad, double x, double mean) {
    sum += grad;
    product += grad * (x - mean);
    sum_size += std::fabs(grad);
    product_size += std::fabs(grad) * (std::fabs(x) + std::fabs(mean));
  }
};
struct ChannelWay {
  bool one_weight = false;        // a row has one, by which the result is multiplied last
  bool fixed_statistics = false;  // they do not depend on x
};

inline void AddRowGradients(const RowMap& map, int64_t r, const std::vector<double>& grad,
                            const std::vector<double>& x, double m, double s,
                            const std::vector<double>& weight, const ChannelWay& way,
                            RowGradients& result) {
  const auto count = static_cast<double>(map.length);
  const auto weight_of = [&](int64_t i) {
    return weight.empty() ? 1 : At(weight, map.Weight(r, i));
  };
  double sum = 0, product = 0, sum_size = 0, product_size = 0;
  for (int64_t first = 0; first < map.length; first += map.weight_run) {
    Pairs own;
    for (int64_t i = first; i < std::min(map.length, first + map.weight_run); ++i) {
      const auto at = static_cast<size_t>(map.Place(r, i));
      own.Add(grad[at], x[at], m);
    }
    const auto k = static_cast<size_t>(map.Weight(r, first));
    result.weight.values[k] += own.product * s;
    result.weight.errors[k] += kTermError * own.product_size * std::fabs(s);
    result.bias.values[k] += own.sum;
    result.bias.errors[k] += kTermError * own.sum_size;
    const double w = way.one_weight ? 1 : weight_of(first);
    sum += w * own.sum;
    product += w * own.product;
    sum_size += std::fabs(w) * own.sum_size;
    product_size += std::fabs(w) * own.product_size;
  }
  for (int64_t i = 0; i < map.length; ++i) {
    const auto at = static_cast<size_t>(map.Place(r, i));
    const double off = x[at] - m, w = weight_of(i), inner = way.one_weight ? 1 : w;
    double terms = std::fabs(inner * grad[at]);
    if (way.fixed_statistics) {
      result.x.values[at] = grad[at] * s * w;
    } else {
      terms += sum_size / count + (std::fabs(x[at]) + std::fabs(m)) * s * s * product_size / count;
      result.x.values[at] =
          way.one_weight ? (grad[at] - sum / count - off * (product * s * s / count)) * s * w
                         : w * s * grad[at] - off * (product * s * s * s / count) - s * sum / count;
    }
    result.x.errors[at] = kTermError * terms * std::fabs(s) * (way.one_weight ? std::fabs(w) : 1);
  }
}

// Gradients of such rows from the statistics of the forward call; an empty weight is 1.
inline RowGradients GradientsOfChannels(const RowMap& map, const std::vector<double>& grad,
                                        const std::vector<double>& x,
                                        const std::vector<double>& mean,
                                        const std::vector<double>& rstd,
                                        const std::vector<double>& weight, int64_t weights,
                                        const ChannelWay& way = {}) {
  RowGradients result(x.size(), weights);
  for (int64_t r = 0; r < map.rows; ++r) {
    AddRowGradients(map, r, grad, x, At(mean, r), At(rstd, r), weight, way, result);
  }
  return result;
}

}  // namespace aclimb::norms
