#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace aclimb::embedding_dense_backward
