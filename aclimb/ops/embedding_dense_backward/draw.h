#pragma once

#include <iterator>
#include <utility>
#include <vector>

#include "aclimb/ops/embedding_dense_backward/contract.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::embedding_dense_backward {

// Rows of grad go to any row of the table. Now and then some of them go to none, or their index
// lies between two.
inline std::vector<double> DrawRows(truth::Draw& draw, int64_t count, int64_t rows) {
  std::vector<double> indices = truth::DrawIndices(draw, count, rows);
  const auto end = static_cast<double>(rows);
  const double strays[] = {-1, end, 0.75, -0.5, end - 0.25, 0x1p32, -0x1p32, 1e30};
  if (draw.Below(4) != 3) return indices;
  for (size_t i = 0; i < indices.size(); i += 5) indices[i] = strays[i % std::size(strays)];
  return indices;
}

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kWidths[] = {4, 1, 0, 8, 17, 64, 100, 256, 2100};
  constexpr int64_t kRows[] = {5, 1, 0, 16, 100, 300, 2, 1000};
  const std::vector<int64_t> lookups = truth::DrawShape(draw, 0, 7);
  int64_t count = 1;
  for (const int64_t extent : lookups) count *= extent;
  int64_t width = draw.Pick(kWidths);
  if (count * width > 2 * draw.most_elements()) width = 1;
  const int64_t rows = width > 256 ? 3 : draw.Pick(kRows);
  std::vector<int64_t> grad_shape = lookups;
  grad_shape.push_back(width);
  const auto dtype = [&](int parameter) {
    const contract::DTypeMask mask = kParameters[parameter].dtypes[draw.product()];
    return mask == 0 ? DType::kFloat32 : truth::DrawDType(draw, mask);
  };
  const DType grad = dtype(kGrad), indices = dtype(kIndices);
  // Only the number of indices counts, not their shape.
  std::vector<int64_t> index_shape = lookups;
  if (draw.Flip()) {
    index_shape.assign(static_cast<size_t>(1 + draw.Below(8)), 1);
    index_shape.back() = count;
  }
  call.SetTensor(kIndices, std::move(index_shape), indices, DrawRows(draw, count, rows));
  call.SetTensor(kGrad, std::move(grad_shape), grad, truth::DrawValues(draw, grad, count * width));
  call.SetTensor(kOut, {rows, width}, dtype(kOut));
  call.SetInteger(kNumWeights, rows);
  call.SetInteger(kPaddingIdx, draw.Below(10) - 1);
  call.SetInteger(kScaleGradByFreq, draw.Flip() ? 1 : 0);
}

}  // namespace aclimb::embedding_dense_backward
