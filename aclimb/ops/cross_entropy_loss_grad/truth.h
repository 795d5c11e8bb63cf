#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/ops/cross_entropy_loss_grad/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::cross_entropy_loss_grad {

// One call in plain numbers; vectors that were not given are empty.
struct Problem {
  int64_t rows = 0;
  int64_t columns = 0;
  std::string reduction = "mean";
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
      // What multiplies a probability is added up first, as PyTorch does: infinities meet there.
      double scale = term(a);
      double sum = c == t ? term(-a) : 0;
      if (p.label_smoothing != 0) {
        scale += term(b * all_weights);
        sum += term(-b * weight(c));
      }
      if (p.lse_square_scale != 0) {
        const double z = g + (p.grad_zloss.empty() ? 0 : at(p.grad_zloss, n));
        scale += term(2 * p.lse_square_scale * at(p.lse, n) * z / count);
      }
      sum += probability * scale;
      result[i] = sum;
    }
  }
  return result;
}

// How far the results of that dtype may be off.
inline std::vector<double> Allowed(const Problem& p, const std::vector<double>& values,
                                   DType dtype) {
  const bool half = dtype != DType::kFloat32;
  const double unit = !half ? 0x1p-24 : dtype == DType::kFloat16 ? 0x1p-11 : 0x1p-8;
  const double smallest = !half ? 0x1p-149 : dtype == DType::kFloat16 ? 0x1p-25 : 0x1p-134;
  // Of the exponential and of the divisor, in proportion to the terms of the sum.
  const double error = half ? 8e-6 : 1e-6;
  std::vector<double> allowed = Truth(p, /*magnitude=*/true);
  for (size_t i = 0; i < values.size(); ++i) {
    allowed[i] = unit * std::fabs(values[i]) + error * allowed[i] + smallest;
  }
  return allowed;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  // Those that were not given, or not read, count as absent.
  const auto optional = [&](int parameter) {
    return call.Touched(parameter) ? call.Values(parameter) : std::vector<double>();
  };
  const Problem problem = {.rows = call.Shape(kLogProb)[0],
                           .columns = call.Shape(kLogProb)[1],
                           .reduction = call.Text(kReduction, "mean"),
                           .grad_loss = call.Values(kGradLoss),
                           .log_prob = call.Values(kLogProb),
                           .target = call.Ints(kTarget),
                           .weight = optional(kWeight),
                           .grad_zloss = optional(kGradZloss),
                           .lse = optional(kLseForZloss),
                           .ignore_index = call.Integer(kIgnoreIndex),
                           .label_smoothing = call.Real(kLabelSmoothing),
                           .lse_square_scale = call.Real(kLseSquareScale)};
  std::vector<double> values = Truth(problem);
  std::vector<double> allowed = Allowed(problem, values, call.DTypeOf(kXGradOut));
  outputs.Set(kXGradOut, std::move(values), std::move(allowed));
}

}  // namespace aclimb::cross_entropy_loss_grad
