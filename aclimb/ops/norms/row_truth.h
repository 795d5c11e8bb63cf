#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/truth/outputs.h"

// What normalized rows and their gradients are, in double, for any way in which rows and weights
// lie.
namespace aclimb::norms {

// How the elements of rows lie, and which weights they have.
struct RowMap {
  int64_t rows = 0;
  int64_t length = 0;
  // Element i of row r: `run` neighbours follow each other, then `step` elements on.
  int64_t row_step = 0;
  int64_t run = 1;
  int64_t step = 0;
  // Row r has set r % sets of weights, each for so many neighbours.
  int64_t sets = 1;
  int64_t set_step = 0;
  int64_t weight_run = 1;

  // Divisions take most of a test's time where they can be left out.
  int64_t Place(int64_t r, int64_t i) const {
    return r * row_step + (run >= length ? i : i / run * step + i % run);
  }
  int64_t Weight(int64_t r, int64_t i) const {
    return (sets == 1 ? 0 : r % sets * set_step) + (weight_run == 1 ? i : i / weight_run);
  }
};

// Rows that follow each other, whose elements have a weight each.
inline RowMap DenseRows(int64_t rows, int64_t length) {
  return {.rows = rows, .length = length, .row_step = length, .run = std::max<int64_t>(1, length)};
}

inline double At(const std::vector<double>& values, int64_t i) {
  return values[static_cast<size_t>(i)];
}

// One rounding to the dtype.
inline truth::Allowance RoundingOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {4.9e-4, 6e-8};
    case DType::kBFloat16:
      return {4e-3, 1e-38};
    default:
      return {6e-8, 1e-44};
  }
}

// What float32 loses of a term, a few roundings.
inline constexpr double kTermError = 2e-6;

// Values with what each may be off, before they are rounded to a dtype.
struct Results {
  std::vector<double> values = {};
  std::vector<double> errors = {};

  void Add(double value, double error) {
    values.push_back(value);
    errors.push_back(error);
  }
};

inline void SetRounded(truth::Outputs& outputs, int parameter, DType dtype, Results results) {
  const truth::Allowance rounding = RoundingOf(dtype);
  for (size_t i = 0; i < results.values.size(); ++i) {
    results.errors[i] += rounding.relative * std::fabs(results.values[i]) + rounding.absolute;
  }
  outputs.Set(parameter, std::move(results.values), std::move(results.errors));
}

struct Normalized {
  Results out = {};
  Results mean = {};
  Results variance = {};  // of all elements of a row
  Results rstd = {};
};

// (x - mean) * rstd * weight + bias; an empty weight is 1, an empty bias 0.
//   centered  false: the mean is 0
//   x_error  what an x may be off already
inline Normalized NormalizedRows(const RowMap& map, const std::vector<double>& x,
                                 const std::vector<double>& weight, const std::vector<double>& bias,
                                 double eps, bool centered = true, double x_error = 0) {
  Normalized result;
  result.out.values.resize(x.size());
  result.out.errors.resize(x.size());
  const auto count = static_cast<double>(map.length);
  for (int64_t r = 0; r < map.rows; ++r) {
    double sum = 0, largest = 0, squares = 0;
    for (int64_t i = 0; i < map.length; ++i) {
      const double value = At(x, map.Place(r, i));
      sum += value;
      largest = std::fmax(largest, std::fabs(value));
    }
    const double mean = centered ? sum / count : 0;
    for (int64_t i = 0; i < map.length; ++i) {
      const double off = At(x, map.Place(r, i)) - mean;
      squares += off * off;
    }
    const double variance = squares / count, rstd = 1 / std::sqrt(variance + eps);
    // The mean is a float32.
    const double off_mean = kTermError * largest + x_error;
    result.mean.Add(mean, off_mean);
    const double off_variance = kTermError * variance + off_mean * off_mean +
                                2 * x_error * (std::sqrt(variance) + std::fabs(mean));
    result.variance.Add(variance, off_variance);
    result.rstd.Add(rstd, kTermError * rstd + off_variance * rstd * rstd * rstd);
    for (int64_t i = 0; i < map.length; ++i) {
      const auto at = static_cast<size_t>(map.Place(r, i));
      const double w = weight.empty() ? 1 : At(weight, map.Weight(r, i));
      const double b = bias.empty() ? 0 : At(bias, map.Weight(r, i));
      const double normal = (x[at] - mean) * rstd;
      result.out.values[at] = normal * w + b;
      result.out.errors[at] =
          kTermError * (std::fabs(normal * w) + std::fabs(b)) +
          (off_mean + x_error + std::fabs(normal) * off_variance * rstd) * rstd * std::fabs(w);
    }
  }
  return result;
}

struct RowGradients {
  RowGradients(size_t elements, int64_t weights) {
    x.values.resize(elements);
    x.errors.resize(elements);
    for (Results* sums : {&weight, &bias}) {
      sums->values.resize(static_cast<size_t>(weights));
      sums->errors.resize(static_cast<size_t>(weights));
    }
  }

  Results x = {};
  Results weight = {};
  Results bias = {};
};

// Gradients of such rows from the statistics of the forward call; an empty weight is 1.
inline RowGradients GradientsOfRows(const RowMap& map, const std::vector<double>& grad,
                                    const std::vector<double>& x, const std::vector<double>& mean,
                                    const std::vector<double>& rstd,
                                    const std::vector<double>& weight, int64_t weights,
                                    bool centered = true) {
  RowGradients result(x.size(), weights);
  const auto count = static_cast<double>(map.length);
  for (int64_t r = 0; r < map.rows; ++r) {
    const double m = centered ? At(mean, r) : 0, s = At(rstd, r);
    double sum = 0, product = 0, sum_size = 0, product_size = 0;
    const auto each = [&](const auto& body) {
      for (int64_t i = 0; i < map.length; ++i) {
        const auto at = static_cast<size_t>(map.Place(r, i));
        const auto k = static_cast<size_t>(map.Weight(r, i));
        const double w = weight.empty() ? 1 : weight[k];
        body(at, k, grad[at] * w, (x[at] - m) * s, (std::fabs(x[at]) + std::fabs(m)) * std::fabs(s),
             std::fabs(w));
      }
    };
    each([&](size_t at, size_t k, double g, double normal, double size, double) {
      sum += g;
      product += g * normal;
      sum_size += std::fabs(g);
      product_size += std::fabs(g) * size;
      result.weight.values[k] += grad[at] * normal;
      result.weight.errors[k] += kTermError * std::fabs(grad[at]) * size;
      result.bias.values[k] += grad[at];
      result.bias.errors[k] += kTermError * std::fabs(grad[at]);
    });
    each([&](size_t at, size_t, double g, double normal, double size, double) {
      const double value = g - (centered ? sum / count : 0) - normal * (product / count);
      const double terms =
          std::fabs(g) + (centered ? sum_size / count : 0) + size * product_size / count;
      result.x.values[at] = value * s;
      result.x.errors[at] = kTermError * terms * std::fabs(s);
    });
  }
  return result;
}

}  // namespace aclimb::norms
