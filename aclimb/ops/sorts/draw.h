#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "aclimb/core/dimensions.h"
#include "aclimb/ops/sorts/truths.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::sorts {

// self, a dimension of it, and how many elements it has there.
inline int64_t DrawLine(truth::Draw& draw, truth::Call& call, int dim) {
  truth::DrawTensor(draw, call, 0);
  const auto rank = static_cast<int64_t>(std::max<size_t>(1, call.Shape(0).size()));
  call.SetInteger(dim, draw.Below(rank) - (draw.Flip() ? rank : 0));
  return LengthOf(call, call.Integer(dim));
}
// Near the ends as often as anywhere.
inline int64_t DrawUpTo(truth::Draw& draw, int64_t most) {
  if (draw.Flip()) return std::min(most, draw.Below(4));
  return draw.Flip() ? most : most * draw.Below(100) / 100;
}

inline void DrawTopk(truth::Draw& draw, truth::Call& call) {
  using namespace topk;  // NOLINT: the positions
  const int64_t length = DrawLine(draw, call, kDim), dim = call.Integer(kDim);
  call.SetInteger(kK, DrawUpTo(draw, length));
  call.SetInteger(kLargest, draw.Flip() ? 0 : 1);
  call.SetInteger(kSorted, draw.Flip() ? 0 : 1);
  std::vector<int64_t> shape = call.Shape(kSelf);
  if (!shape.empty()) {
    shape[WrapDimension(dim, shape.size())] = call.Integer(kK);
  } else if (call.Integer(kK) == 0) {
    shape = {0};
  }
  truth::DrawTensor(draw, call, kValues, shape, call.DTypeOf(kSelf));
  truth::DrawTensor(draw, call, kIndices, std::move(shape));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawKthvalue(truth::Draw& draw, truth::Call& call) {
  using namespace kthvalue;  // NOLINT: the positions
  const int64_t length = DrawLine(draw, call, kDim), dim = call.Integer(kDim);
  call.SetInteger(kK, 1 + DrawUpTo(draw, std::max<int64_t>(0, length - 1)));
  call.SetInteger(kKeepDim, draw.Flip() ? 1 : 0);
  std::vector<int64_t> shape = call.Shape(kSelf);
  if (!shape.empty()) {
    const auto at = shape.begin() + static_cast<ptrdiff_t>(WrapDimension(dim, shape.size()));
    call.Bool(kKeepDim) ? void(*at = 1) : void(shape.erase(at));
  }
  truth::DrawTensor(draw, call, kValues, shape, call.DTypeOf(kSelf));
  truth::DrawTensor(draw, call, kIndices, std::move(shape));
  truth::MarkUnlessObeyed(draw, call);
}

// What both functions have: self and their flags, then their first two outputs.
inline void DrawElements(truth::Draw& draw, truth::Call& call, std::initializer_list<int> flags) {
  truth::DrawTensor(draw, call, 0);
  for (const int flag : flags) call.SetInteger(flag, draw.Flip() ? 0 : 1);
}
inline void DrawUniqueOutputs(truth::Draw& draw, truth::Call& call, int values, int inverse,
                              bool returns_inverse) {
  truth::DrawTensor(draw, call, values, {call.ElementCount(0)}, call.DTypeOf(0));
  truth::DrawTensor(draw, call, inverse,
                    returns_inverse ? call.Shape(0) : std::vector<int64_t>{draw.Below(3)});
}
inline void DrawUnique(truth::Draw& draw, truth::Call& call) {
  using namespace unique;  // NOLINT: the positions
  DrawElements(draw, call, {kSorted, kReturnInverse});
  DrawUniqueOutputs(draw, call, kValues, kInverse, call.Bool(kReturnInverse));
  truth::MarkUnlessObeyed(draw, call);
}
inline void DrawUnique2(truth::Draw& draw, truth::Call& call) {
  using namespace unique2;  // NOLINT: the positions
  DrawElements(draw, call, {kSorted, kReturnInverse, kReturnCounts});
  DrawUniqueOutputs(draw, call, kValues, kInverse, call.Bool(kReturnInverse));
  truth::DrawTensor(draw, call, kCounts,
                    {call.Bool(kReturnCounts) ? call.ElementCount(kSelf) : draw.Below(3)});
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::sorts
