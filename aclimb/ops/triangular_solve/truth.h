#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "aclimb/ops/triangular_solve/contract.h"
#include "aclimb/ops/triangular_solve/precision.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::triangular_solve {

// Which matrix of a tensor belongs to a batch of the output, whose batch may be larger.
inline int64_t MatrixOf(const std::vector<int64_t>& own, const std::vector<int64_t>& out,
                        int64_t batch) {
  int64_t number = 0, step = 1;
  for (size_t from_end = 3; from_end <= out.size(); ++from_end) {
    const int64_t extent = out[out.size() - from_end];
    if (from_end <= own.size()) {
      const int64_t own_extent = own[own.size() - from_end];
      number += (own_extent == 1 ? 0 : batch % extent) * step;
      step *= own_extent;
    }
    batch /= extent;
  }
  return number;
}

// By substitution, and with each solution how far that of a computation may be off where each of n
// terms is off by a rounding of the sum of their sizes, in whatever order they are added. Anything
// is right behind a sum of which roundings decide whether it is 0, where it is divided by 0, or
// whether it is a number.
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& shape = call.Shape(kX);
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t batches = 1;
  for (size_t d = 0; d + 2 < shape.size(); ++d) batches *= shape[d];
  const bool upper = call.Bool(kUpper), transpose = call.Bool(kTranspose);
  const bool unit = call.Bool(kUnitriangular), from_the_end = upper != transpose;
  const DType dtype = call.DTypeOf(kX);
  const bool in_float = IsSolvedInFloat(dtype, rows);
  const double rounding = in_float ? 6e-8 : 4e-16;
  const auto overflows = [in_float](double size) {
    return in_float && std::isfinite(size) && size > std::numeric_limits<float>::max();
  };
  std::vector<double> x(static_cast<size_t>(batches * rows * columns)), allowed(x.size());
  std::vector<double> m;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t matrix = MatrixOf(call.Shape(kA), shape, batch) * rows * rows;
    const int64_t side = MatrixOf(call.Shape(kSelf), shape, batch) * rows * columns;
    const auto a = [&](int64_t i, int64_t j) {
      return call.Values(kA)[static_cast<size_t>(matrix + i * rows + j)];
    };
    const auto place = [&](int64_t i, int64_t c) {
      return static_cast<size_t>((batch * rows + i) * columns + c);
    };
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < rows; ++j) m.push_back((upper ? j >= i : j <= i) ? a(i, j) : 0);
    }
    for (int64_t c = 0; c < columns; ++c) {
      std::vector<double> errors(static_cast<size_t>(rows));
      bool is_anything = false;
      for (int64_t n = 0; n < rows; ++n) {
        const int64_t i = from_the_end ? rows - 1 - n : n;
        double value = call.Values(kSelf)[static_cast<size_t>(side + i * columns + c)];
        double size = std::fabs(value), error = 0;
        for (int64_t k = 0; k < n; ++k) {
          const int64_t j = from_the_end ? rows - 1 - k : k;
          const double factor = transpose ? a(j, i) : a(i, j);
          const double term = factor * x[place(j, c)];
          value -= term;
          size += std::fabs(term);
          error += std::fabs(factor) * errors[static_cast<size_t>(j)];
        }
        const double sum_error = error += rounding * static_cast<double>(n + 1) * size;
        const double divisor = unit ? 1 : a(i, i);
        const double solution = value / divisor;
        error = error / std::fabs(divisor) + rounding * std::fabs(solution);
        is_anything = is_anything || (divisor == 0 && std::fabs(value) <= sum_error) ||
                      overflows(size + sum_error) || overflows(std::fabs(solution) + error);
        x[place(i, c)] = solution;
        errors[static_cast<size_t>(i)] = error;
        allowed[place(i, c)] =
            is_anything
                ? truth::kAnything
                : error + truth::RoundingOf(dtype) * std::fabs(solution) + truth::LeastOf(dtype);
      }
    }
  }
  outputs.Set(kX, std::move(x), std::move(allowed));
  outputs.Set(kM, std::move(m), truth::Allowance{});
}

}  // namespace aclimb::triangular_solve
