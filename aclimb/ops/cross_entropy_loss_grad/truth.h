#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace aclimb::cross_entropy_loss_grad {

// One call in plain numbers; vectors that were not given are empty.
struct Problem {
  int64_t rows = 0;
  int64_t columns = 0;
  std::string_view reduction = "mean";
  std::vector<double> grad_loss = {};  // one per row for "none", else one
  std::vector<double> log_prob = {};
  std::vector<int64_t> target = {};
  std::vector<double> weight = {};
  std::vector<double> grad_zloss = {};
  std::vector<double> lse = {};
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  double lse_square_scale = 0;
};

// The formula of the document, literally. With `magnitude`, the sum of the
// absolute values of its terms instead: what rounding errors are proportional to.
inline std::vector<double> Truth(const Problem& p, bool magnitude = false) {
  const auto at = [](const std::vector<double>& values, int64_t i) {
    return values[values.size() == 1 ? 0 : static_cast<size_t>(i)];
  };
  const auto weight = [&](int64_t c) { return p.weight.empty() ? 1.0 : at(p.weight, c); };
  const auto kept = [&](int64_t n) {
    const int64_t t = p.target[static_cast<size_t>(n)];
    return t != p.ignore_index && t >= 0 && t < p.columns;
  };
  const auto term = [&](double value) { return magnitude ? std::fabs(value) : value; };
  double denominator = p.reduction == "mean" ? 0 : 1;
  double count = denominator;
  double all_weights = 0;
  for (int64_t c = 0; c < p.columns; ++c) all_weights += weight(c);
  for (int64_t n = 0; n < p.rows && p.reduction == "mean"; ++n) {
    if (!kept(n)) continue;
    denominator += weight(p.target[static_cast<size_t>(n)]);
    count += 1;
  }
  std::vector<double> result(p.log_prob.size(), 0.0);
  for (int64_t n = 0; n < p.rows; ++n) {
    if (!kept(n)) continue;
    const int64_t t = p.target[static_cast<size_t>(n)];
    const double g = at(p.grad_loss, n);
    const double a = g * (1 - p.label_smoothing) / denominator * weight(t);
    const double b = g * p.label_smoothing / (static_cast<double>(p.columns) * denominator);
    for (int64_t c = 0; c < p.columns; ++c) {
      const size_t i = static_cast<size_t>(n * p.columns + c);
      const double probability = std::exp(p.log_prob[i]);
      double sum = term(a * probability);
      if (c == t) sum += term(-a);
      if (p.label_smoothing != 0) {
        sum += term(b * probability * all_weights) + term(-b * weight(c));
      }
      if (p.lse_square_scale != 0) {
        const double z = g + (p.grad_zloss.empty() ? 0 : at(p.grad_zloss, n));
        sum += term(probability * 2 * p.lse_square_scale * at(p.lse, n) * z / count);
      }
      result[i] = sum;
    }
  }
  return result;
}

}  // namespace aclimb::cross_entropy_loss_grad
