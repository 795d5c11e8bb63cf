#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/unique_consecutive/contract.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::unique_consecutive {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
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
  std::vector<size_t> firsts;
  std::vector<double> inverse, counts(length);
  for (size_t i = 0; i < length; ++i) {
    if (i == 0 || slices[i] != slices[i - 1]) firsts.push_back(i);
    inverse.push_back(static_cast<double>(firsts.size() - 1));
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
  if (call.Bool(kReturnInverse)) outputs.Set(kInverse, std::move(inverse), truth::Allowance{});
  if (call.Bool(kReturnCounts)) outputs.Set(kCounts, std::move(counts), truth::Allowance{});
}

inline void DrawUnique(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  const auto rank = std::max<int64_t>(1, static_cast<int64_t>(shape.size()));
  const int64_t dim = draw.Flip() ? kNoDim : draw.Below(rank) - (draw.Flip() ? rank : 0);
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
  for (const int flag : {kReturnInverse, kReturnCounts}) call.SetInteger(flag, draw.Flip() ? 0 : 1);
  const std::vector<int64_t> line = {LengthOf(shape, dim)}, any = {draw.Below(3)};
  truth::DrawTensor(draw, call, kValues, dim == kNoDim ? line : shape, call.DTypeOf(kSelf));
  truth::DrawTensor(draw, call, kInverse,
                    !call.Bool(kReturnInverse) ? any
                    : dim == kNoDim            ? shape
                                               : line);
  truth::DrawTensor(draw, call, kCounts, call.Bool(kReturnCounts) ? line : any);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::unique_consecutive
