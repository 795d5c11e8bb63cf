#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "aclimb/ops/unique_slices/contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::unique_slices {

// In the order of their elements; NaN is larger than all numbers.
inline bool ComesBefore(const std::vector<double>& a, const std::vector<double>& b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](double x, double y) { return std::isnan(y) ? !std::isnan(x) : x < y; });
}

// Of slices as they lie, or in order.
inline void Unique(const truth::Call& call, truth::Outputs& outputs, bool in_order,
                   bool returns_inverse, bool returns_counts) {
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  const std::vector<double>& elements = call.Values(kSelf);
  const int64_t dim = call.Integer(kDim);
  const auto length = static_cast<size_t>(LengthOf(shape, dim));
  size_t inner = 1;
  if (dim != kNoDim && !shape.empty()) {
    const auto rank = static_cast<int64_t>(shape.size());
    for (int64_t d = (dim < 0 ? dim + rank : dim) + 1; d < rank; ++d) {
      inner *= static_cast<size_t>(shape[static_cast<size_t>(d)]);
    }
  }
  // Each slice as a list of its elements: a NaN is not even equal to itself.
  std::vector<std::vector<double>> slices(length);
  for (size_t i = 0; i < elements.size(); ++i) slices[i / inner % length].push_back(elements[i]);
  std::vector<size_t> order(length), firsts;
  std::iota(order.begin(), order.end(), size_t{0});
  if (in_order) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return ComesBefore(slices[a], slices[b]); });
  }
  std::vector<double> inverse(length), counts(length);
  for (size_t i = 0; i < length; ++i) {
    if (i == 0 || slices[order[i]] != slices[order[i - 1]]) firsts.push_back(order[i]);
    inverse[order[i]] = static_cast<double>(firsts.size() - 1);
    ++counts[firsts.size() - 1];
  }
  std::vector<double> values;
  for (size_t i = 0; i < elements.size(); i += length * inner) {
    for (const size_t first : firsts) {
      const auto from = elements.begin() + static_cast<int64_t>(i + first * inner);
      values.insert(values.end(), from, from + static_cast<int64_t>(inner));
    }
  }
  values.resize(elements.size());
  outputs.Set(kValues, std::move(values), truth::Allowance{});
  if (returns_inverse) outputs.Set(kInverse, std::move(inverse), truth::Allowance{});
  if (returns_counts) outputs.Set(kCounts, std::move(counts), truth::Allowance{});
}
inline void UniqueConsecutiveTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace unique_consecutive;  // NOLINT: the positions
  Unique(call, outputs, false, call.Bool(kReturnInverse), call.Bool(kReturnCounts));
}
inline void UniqueDimTruth(const truth::Call& call, truth::Outputs& outputs) {
  Unique(call, outputs, true, call.Bool(unique_dim::kReturnInverse), true);
}

// Self and the dimension, which may be none.
inline int64_t DrawSlices(truth::Draw& draw, truth::Call& call, bool may_be_none) {
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  const auto rank = std::max<int64_t>(1, static_cast<int64_t>(shape.size()));
  const int64_t dim =
      may_be_none && draw.Flip() ? kNoDim : draw.Below(rank) - (draw.Flip() ? rank : 0);
  // Slices follow each other twice, now and then.
  std::vector<double> values = call.Values(kSelf);
  if (!shape.empty() && draw.Flip()) {
    const int64_t along = dim == kNoDim ? rank - 1 : dim < 0 ? dim + rank : dim;
    int64_t step = 1;
    for (int64_t d = along + 1; d < rank; ++d) step *= shape[static_cast<size_t>(d)];
    const int64_t extent = shape[static_cast<size_t>(along)];
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) / step % extent;
      if (at % 3 != 0) values[i] = values[i - static_cast<size_t>(step)];
    }
    call.SetTensor(kSelf, std::vector<int64_t>(shape), call.DTypeOf(kSelf), std::move(values));
  }
  call.SetInteger(kDim, dim);
  return dim;
}
// Outputs as the flags want them.
inline void DrawFound(truth::Draw& draw, truth::Call& call, int64_t dim, bool returns_inverse,
                      bool returns_counts) {
  const std::vector<int64_t> shape = call.Shape(kSelf);
  const std::vector<int64_t> line = {LengthOf(shape, dim)}, any = {draw.Below(3)};
  truth::DrawTensor(draw, call, kValues, dim == kNoDim ? line : shape, call.DTypeOf(kSelf));
  truth::DrawTensor(draw, call, kInverse, !returns_inverse ? any : dim == kNoDim ? shape : line);
  truth::DrawTensor(draw, call, kCounts, returns_counts ? line : any);
  truth::MarkUnlessObeyed(draw, call);
}
inline void DrawUniqueConsecutive(truth::Draw& draw, truth::Call& call) {
  using namespace unique_consecutive;  // NOLINT: the positions
  const int64_t dim = DrawSlices(draw, call, true);
  for (const int flag : {kReturnInverse, kReturnCounts}) call.SetInteger(flag, draw.Flip() ? 0 : 1);
  DrawFound(draw, call, dim, call.Bool(kReturnInverse), call.Bool(kReturnCounts));
}
inline void DrawUniqueDim(truth::Draw& draw, truth::Call& call) {
  using namespace unique_dim;  // NOLINT: the positions
  const int64_t dim = DrawSlices(draw, call, false);
  for (const int flag : {kSorted, kReturnInverse}) call.SetInteger(flag, draw.Flip() ? 0 : 1);
  DrawFound(draw, call, dim, call.Bool(kReturnInverse), true);
}

}  // namespace aclimb::unique_slices
