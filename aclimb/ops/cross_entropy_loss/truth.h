#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/ops/cross_entropy_loss/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::cross_entropy_loss {

// How far a sum may be off whose terms have these absolute values in all: by the precision of what
// is computed in float32, and by the rounding of the result.
inline double Allowed(DType dtype, double value, double magnitude) {
  const bool half = dtype != DType::kFloat32;
  const double unit = !half ? 0x1p-23 : dtype == DType::kFloat16 ? 0x1p-11 : 0x1p-8;
  const double smallest = dtype == DType::kFloat16 ? 0x1p-25 : 0x1p-134;
  // The exponential of a half type is not as precise.
  return unit * std::fabs(value) + (half ? 2e-5 : 1e-6) * magnitude + smallest;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int64_t rows = call.Shape(kInput)[0], columns = call.Shape(kInput)[1];
  const std::string reduction = call.Text(kReduction, "mean");
  const double smoothing = call.Real(kLabelSmoothing), scale = call.Real(kLseSquareScale);
  const auto weight = [&](int64_t c) {
    return call.IsGiven(kWeight) ? call.Values(kWeight)[static_cast<size_t>(c)] : 1.0;
  };
  std::vector<double> log_prob, loss, loss_size, zloss, lse, lse_size;
  double weights = 0, kept = 0;
  for (int64_t n = 0; n < rows; ++n) {
    const double* const x = call.Values(kInput).data() + n * columns;
    double largest = -HUGE_VAL, size = 0, sum = 0;
    for (int64_t c = 0; c < columns; ++c) {
      largest = std::max(largest, x[c]);
      if (std::isfinite(x[c])) size = std::max(size, std::fabs(x[c]));
    }
    // Of a row of -inf alone the sum is 0.
    const double shift = largest == -HUGE_VAL ? 0 : largest;
    for (int64_t c = 0; c < columns; ++c) sum += std::exp(x[c] - shift);
    lse.push_back(shift + std::log(sum));
    lse_size.push_back(size + 1);
    for (int64_t c = 0; c < columns; ++c) log_prob.push_back(x[c] - largest - std::log(sum));
    const int64_t target = call.Ints(kTarget)[static_cast<size_t>(n)];
    loss.push_back(0);
    loss_size.push_back(0);
    zloss.push_back(0);
    if (target == call.Integer(kIgnoreIndex) || target < 0 || target >= columns) continue;
    const double* const log_p = log_prob.data() + n * columns;
    weights += weight(target);
    kept += 1;
    loss.back() = -(1 - smoothing) * weight(target) * log_p[target];
    loss_size.back() = std::fabs(weight(target)) * (size + 8);
    for (int64_t c = 0; c < columns && smoothing != 0; ++c) {
      loss.back() -= smoothing / static_cast<double>(columns) * weight(c) * log_p[c];
      loss_size.back() +=
          smoothing / static_cast<double>(columns) * std::fabs(weight(c)) * (size + 8);
    }
    if (scale != 0) zloss.back() = scale * lse.back() * lse.back();
  }
  const DType dtype = call.DTypeOf(kInput);
  const auto set = [&](int parameter, std::vector<double> values,
                       const std::vector<double>& sizes) {
    std::vector<double> allowed;
    for (size_t i = 0; i < values.size(); ++i) {
      allowed.push_back(Allowed(dtype, values[i], sizes[i]));
    }
    outputs.Set(parameter, std::move(values), std::move(allowed));
  };
  std::vector<double> zloss_size;
  for (size_t n = 0; n < zloss.size(); ++n) {
    zloss_size.push_back(
        scale == 0 ? 0 : std::fabs(2 * scale * lse[n] * lse_size[n]) + std::fabs(zloss[n]));
  }
  const auto reduce = [&](std::vector<double>& values, double divisor) {
    double total = 0;
    for (const double value : values) total += value;
    values = {reduction == "mean" ? total / divisor : total};
  };
  if (reduction != "none") {
    reduce(loss, weights);
    reduce(loss_size, weights);
    // Nothing is nothing whatever the number of rows.
    reduce(zloss, scale == 0 ? 1 : kept);
    reduce(zloss_size, scale == 0 ? 1 : kept);
  }
  for (size_t i = 0; i < loss.size(); ++i) {
    loss[i] += zloss[i];
    loss_size[i] += zloss_size[i];
  }
  set(kLossOut, loss, loss_size);
  std::vector<double> sizes;
  for (int64_t i = 0; i < rows * columns; ++i) {
    sizes.push_back(lse_size[static_cast<size_t>(i / columns)] + 8);
  }
  set(kLogProbOut, std::move(log_prob), sizes);
  const auto wanted = [&](int parameter) {
    return call.IsGiven(parameter) && call.ElementCount(parameter) > 0;
  };
  if (wanted(kZlossOut)) set(kZlossOut, std::move(zloss), zloss_size);
  if (wanted(kLseForZlossOut)) set(kLseForZlossOut, std::move(lse), lse_size);
}

}  // namespace aclimb::cross_entropy_loss
