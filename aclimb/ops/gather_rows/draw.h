#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/gather_rows/contract.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::gather_rows {

inline DType DrawType(truth::Draw& draw) { return truth::DrawDType(draw, kTypes[draw.product()]); }
inline DType DrawIndexType(truth::Draw& draw) {
  return truth::DrawDType(draw, kIndexTypes[draw.product()]);
}
inline int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}
// Few enough that a slice for each is not too much.
inline std::vector<int64_t> DrawIndexShape(truth::Draw& draw, int most_rank, int64_t slice) {
  std::vector<int64_t> shape = truth::DrawShape(draw, 0, most_rank);
  for (int64_t& extent : shape) {
    if (CountOf(shape) * slice > 2 * draw.most_elements() && extent > 1) extent = 1;
  }
  return shape;
}

// Indices of an empty dimension: there are none.
inline std::vector<double> DrawIndicesOf(truth::Draw& draw, int64_t count, int64_t extent) {
  if (extent == 0 && count > 0) draw.MarkStrange();
  return truth::DrawIndices(draw, count, extent);
}

inline void DrawEmbedding(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kWidths[] = {4, 1, 0, 8, 17, 64, 100, 256};
  constexpr int64_t kLengths[] = {5, 1, 0, 16, 100, 2};
  const int64_t width = draw.Pick(kWidths), rows = draw.Pick(kLengths);
  const DType dtype = DrawType(draw);
  std::vector<int64_t> lookups = DrawIndexShape(draw, 7, width);
  call.SetTensor(kWeight, {rows, width}, dtype, truth::DrawValues(draw, dtype, rows * width));
  call.SetTensor(kIndices, lookups, DrawIndexType(draw),
                 DrawIndicesOf(draw, CountOf(lookups), rows));
  lookups.push_back(width);
  call.SetTensor(kRows, std::move(lookups), dtype);
}

template <bool kWraps>
void DrawOfDimension(truth::Draw& draw, truth::Call& call) {
  const DType dtype = DrawType(draw);
  std::vector<int64_t> self = truth::DrawShape(draw, 0, 8);
  const auto rank = static_cast<int64_t>(self.empty() ? 1 : self.size());
  const int64_t dim = draw.Below(rank);
  const int64_t extent = self.empty() ? 1 : self[static_cast<size_t>(dim)];
  const int64_t slice = extent == 0 ? 1 : CountOf(self) / extent;
  const int room = static_cast<int>(9 - rank);
  const std::vector<int64_t> index = DrawIndexShape(draw, kWraps ? room : 1, slice);
  std::vector<double> values = DrawIndicesOf(draw, CountOf(index), extent);
  const bool negative = kWraps && draw.Flip();
  for (double& value : values) value -= negative ? static_cast<double>(extent) : 0;
  call.SetTensor(kSelf, self, dtype, truth::DrawValues(draw, dtype, CountOf(self)));
  call.SetInteger(kDim, draw.Flip() ? dim : dim - rank);
  call.SetTensor(kIndex, index, DrawIndexType(draw), std::move(values));
  const bool without = self.empty() && CountOf(index) == 1 && draw.Flip();
  call.SetTensor(kOut, without ? std::vector<int64_t>() : GatheredShape(self, dim, index), dtype);
}

template <bool kInPlace>
void DrawReplacing(truth::Draw& draw, truth::Call& call) {
  DrawOfDimension<false>(draw, call);
  // What was gathered is what replaces.
  const DType dtype = call.DTypeOf(kSelf);
  call.SetTensor(kSource, call.Shape(kOut), dtype,
                 truth::DrawValues(draw, dtype, call.ElementCount(kOut)));
  if (!kInPlace) call.SetTensor(kOutRef, call.Shape(kSelf), dtype);
}

}  // namespace aclimb::gather_rows
