#pragma once

#include <utility>

#include "aclimb/ops/copies/contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::copies {

// The dtypes of a pair, of which no conversion is to BOOL from a complex number.
inline std::pair<DType, DType> DrawPair(truth::Draw& draw, const contract::Parameter& parameter) {
  const contract::DTypeMask mask = parameter.dtypes[draw.product()];
  const DType from = truth::DrawDType(draw, mask);
  const DType to = truth::DrawDType(draw, mask);
  return {from, IsComplex(from) && to == DType::kBool ? from : to};
}

namespace inplace_copy {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const auto [from, to] = DrawPair(draw, call.ParameterAt(kSrc));
  std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  truth::DrawTensor(draw, call, kSelfRef, shape, to);
  const int64_t left_out = draw.Flip() ? draw.Below(static_cast<int64_t>(shape.size()) + 1) : 0;
  shape.erase(shape.begin(), shape.begin() + left_out);
  for (int64_t& extent : shape) extent = draw.Byte() >= 224 ? 1 : extent;
  truth::DrawTensor(draw, call, kSrc, std::move(shape), from);
}

}  // namespace inplace_copy

namespace cast {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const auto [from, to] = DrawPair(draw, call.ParameterAt(kSelf));
  const std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  truth::DrawTensor(draw, call, kSelf, shape, from);
  call.SetInteger(kDType, static_cast<int64_t>(to));
  truth::DrawTensor(draw, call, kOut, shape, to);
}

}  // namespace cast

namespace permute {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, kSelf);
  const std::vector<int64_t>& shape = call.Shape(kSelf);
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<int64_t> dims, rest, moved;
  for (int64_t d = 0; d < rank; ++d) rest.push_back(d);
  while (!rest.empty()) {
    const auto at = rest.begin() + draw.Below(static_cast<int64_t>(rest.size()));
    moved.push_back(shape[static_cast<size_t>(*at)]);
    dims.push_back(draw.Byte() >= 224 ? *at - rank : *at);
    rest.erase(at);
  }
  call.SetInts(kDims, std::move(dims));
  truth::DrawTensor(draw, call, kOut, std::move(moved), call.DTypeOf(kSelf));
}

}  // namespace permute

}  // namespace aclimb::copies
