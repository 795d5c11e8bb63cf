#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/inverse/condition.h"
#include "aclimb/ops/inverse/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::inverse {

using Matrix = std::vector<std::vector<long double>>;

// Columns of ones beside the matrix become its inverse, where rows are scaled and added until the
// matrix itself is what stood there.
inline Matrix InverseOf(Matrix matrix) {
  const size_t rows = matrix.size();
  for (size_t r = 0; r < rows; ++r) {
    matrix[r].resize(2 * rows);
    matrix[r][rows + r] = 1;
  }
  for (size_t k = 0; k < rows; ++k) {
    size_t best = k;
    for (size_t r = k; r < rows; ++r) {
      if (std::fabs(matrix[r][k]) > std::fabs(matrix[best][k])) best = r;
    }
    std::swap(matrix[k], matrix[best]);
    const std::vector<long double> row = matrix[k];
    for (size_t r = 0; r < rows; ++r) {
      const long double factor = matrix[r][k] / row[k];
      for (size_t c = 0; c < 2 * rows; ++c) {
        matrix[r][c] = r == k ? row[c] / row[k] : matrix[r][c] - factor * row[c];
      }
    }
  }
  for (std::vector<long double>& row : matrix) {
    row.erase(row.begin(), row.begin() + static_cast<int64_t>(rows));
  }
  return matrix;
}

// The largest row sum of |a| |b|.
inline long double ConditionOf(const Matrix& a, const Matrix& b) {
  long double most = 0;
  for (const std::vector<long double>& row : a) {
    long double sum = 0;
    for (size_t k = 0; k < row.size(); ++k) {
      for (const long double x : b[k]) sum += std::fabs(row[k]) * std::fabs(x);
    }
    if (std::isnan(sum)) return sum;
    most = std::max(most, sum);
  }
  return most;
}

// The largest element of each column, without its sign.
inline std::vector<long double> ColumnsOf(const Matrix& matrix) {
  std::vector<long double> columns(matrix.size(), 0);
  for (const std::vector<long double>& row : matrix) {
    for (size_t c = 0; c < row.size(); ++c) columns[c] = std::fmax(columns[c], std::fabs(row[c]));
  }
  return columns;
}

// An inverse is off by its largest element times its condition and some roundings for each row. In
// double the columns' scales, which the rows of the inverse divide by, change nothing. Where
// float32 may have found the condition small enough, roundings are of float32: by measurement,
// inverses of random matrices of 64 to 200 rows are off by 6e-9 of the condition at most, and by
// 2e-7 where that is about 1. This allows a tenth of the largest element at the limit.
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto rows = static_cast<size_t>(call.Shape(kSelf).back());
  const std::vector<double>& given = call.Values(kSelf);
  const DType out = call.DTypeOf(kOut);
  std::vector<double> values, allowed;
  for (size_t first = 0; first < given.size(); first += rows * rows) {
    Matrix matrix(rows);
    for (size_t r = 0; r < rows; ++r) {
      const auto begin = given.begin() + static_cast<int64_t>(first + r * rows);
      matrix[r].assign(begin, begin + static_cast<int64_t>(rows));
    }
    const Matrix inverse = InverseOf(matrix);
    const long double unscaled = ConditionOf(inverse, matrix);
    const bool in_float = unscaled <= 2 * kMostFloatCondition &&
                          IsInvertedInFloat(call.DTypeOf(kSelf), out, static_cast<int64_t>(rows));
    const std::vector<long double> columns = ColumnsOf(matrix);
    Matrix scaled = matrix, scaled_inverse = inverse;
    long double most = 0;
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < rows; ++c) {
        scaled[r][c] /= columns[c];
        scaled_inverse[r][c] *= columns[r];
        most = std::fmax(most, std::fabs((in_float ? inverse : scaled_inverse)[r][c]));
      }
    }
    const auto condition = static_cast<double>(ConditionOf(scaled_inverse, scaled));
    for (size_t r = 0; r < rows; ++r) {
      const long double part =
          in_float ? 6e-7L + 5e-8L * unscaled
                   : 2e-15L * static_cast<long double>(rows) * condition / columns[r];
      const auto off = static_cast<double>(part * most);
      for (size_t c = 0; c < rows; ++c) {
        const double value =
            condition <= kMostCondition ? static_cast<double>(inverse[r][c]) : std::nan("");
        values.push_back(value);
        allowed.push_back(off + truth::RoundingOf(out) * std::fabs(value) + truth::LeastOf(out));
      }
    }
  }
  outputs.Set(kOut, std::move(values), std::move(allowed));
}

// Mostly matrices with large diagonals, in any order of the rows, so that each has an inverse.
inline void Draw(truth::Draw& draw, truth::Call& call) {
  truth::DrawFromContract(draw, call);
  if (!call.IsGiven(kSelf) || draw.Byte() >= 224) return;
  const int64_t rows = call.Shape(kSelf).back(), turn = draw.Below(7);
  std::vector<double> values = call.Values(kSelf);
  for (size_t at = 0; at < values.size(); ++at) {
    const auto place = static_cast<int64_t>(at) % (rows * rows);
    if ((place / rows + turn) % rows != place % rows) continue;
    values[at] = std::copysign(static_cast<double>(8 * rows), values[at]);
  }
  call.At(kSelf).values = std::move(values);
}

}  // namespace aclimb::inverse
