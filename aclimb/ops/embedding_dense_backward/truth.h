#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/embedding_dense_backward/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::embedding_dense_backward {

// The whole result in double, by the document: grad is [indices.size(),
// columns], row-major; indices outside [0, rows) are skipped.
inline std::vector<double> Truth(const std::vector<double>& grad,
                                 const std::vector<int64_t>& indices, int64_t rows, int64_t columns,
                                 int64_t padding_idx, bool scale_by_freq) {
  std::vector<double> out(static_cast<size_t>(rows * columns), 0.0);
  std::vector<double> occurrences(static_cast<size_t>(rows), 0.0);
  for (int64_t row : indices) {
    if (row >= 0 && row < rows) occurrences[static_cast<size_t>(row)] += 1;
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    const int64_t row = indices[i];
    if (row < 0 || row >= rows || row == padding_idx) continue;
    for (int64_t column = 0; column < columns; ++column) {
      out[static_cast<size_t>(row * columns + column)] +=
          grad[i * static_cast<size_t>(columns) + static_cast<size_t>(column)];
    }
  }
  if (!scale_by_freq) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    const double count = occurrences[i / static_cast<size_t>(columns)];
    if (count > 0) out[i] /= count;
  }
  return out;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<double>& grad = call.Values(kGrad);
  const std::vector<int64_t>& shape = call.Shape(kOut);
  std::vector<int64_t> rows;
  for (const double index : call.Values(kIndices)) {
    const double whole = std::trunc(index);
    rows.push_back(whole >= 0 && whole < 1e15 ? static_cast<int64_t>(whole) : -1);
  }
  // Without columns or rows of grad there is nothing to sum.
  if (grad.empty()) rows.clear();
  const auto sum = [&](const std::vector<double>& terms, bool scale) {
    return Truth(terms, rows, shape[0], shape[1], call.Integer(kPaddingIdx), scale);
  };
  const bool scale = call.Bool(kScaleGradByFreq);
  std::vector<double> magnitudes = grad;
  for (double& value : magnitudes) value = std::fabs(value);
  const std::vector<double> magnitude = sum(magnitudes, scale);
  const std::vector<double> terms = sum(std::vector<double>(grad.size(), 1.0), false);
  // Of the sum in float32, which grows with its terms, and of the result.
  const DType dtype = call.DTypeOf(kOut);
  const double rounding = dtype == DType::kFloat32   ? 0x1p-23
                          : dtype == DType::kFloat16 ? 0x1p-10
                                                     : 0x1p-7;
  const double tiny = dtype == DType::kFloat16 ? 0x1p-24 : 0;
  std::vector<double> values = sum(grad, scale);
  std::vector<double> allowed;
  for (size_t i = 0; i < values.size(); ++i) {
    const double steps = std::max(16.0, 2 * std::sqrt(terms[i]));
    allowed.push_back(std::fabs(values[i]) * rounding + magnitude[i] * steps * 0x1p-24 + tiny);
  }
  outputs.Set(kOut, std::move(values), std::move(allowed));
}

}  // namespace aclimb::embedding_dense_backward
