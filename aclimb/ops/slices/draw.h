#pragma once

#include <utility>

#include "aclimb/core/dimensions.h"
#include "aclimb/ops/slices/contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::slices {

struct Bounds {
  int64_t start, end, step;
};
// Often some in the middle, sometimes from the end or outside.
inline Bounds DrawBounds(truth::Draw& draw, int64_t length) {
  Bounds bounds = {draw.Below(length + 1) / 2, length - draw.Below(length + 1) / 3,
                   1 + (draw.Flip() ? draw.Below(4) : 0)};
  if (draw.Byte() >= 192) bounds.start -= length;
  if (draw.Byte() >= 192) bounds.end -= length;
  if (draw.Byte() >= 224) bounds.end += 3 * length;
  if (draw.Byte() >= 240) bounds.start -= 3 * length;
  return bounds;
}

inline int64_t DrawDim(truth::Draw& draw, int64_t rank) {
  const int64_t dim = draw.Below(rank);
  return draw.Byte() >= 192 ? dim - rank : dim;
}

inline void DrawSlice(truth::Draw& draw, truth::Call& call) {
  using namespace slice;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  const auto rank = static_cast<int>(shape.size());
  const int64_t dim = DrawDim(draw, rank);
  int64_t& length = shape[WrapDimension(dim, rank)];
  const Bounds bounds = DrawBounds(draw, length);
  call.SetInteger(kDim, dim);
  call.SetInteger(kStart, bounds.start);
  call.SetInteger(kEnd, bounds.end);
  call.SetInteger(kStep, bounds.step);
  length = CutOf(bounds.start, bounds.end, bounds.step, length).extent;
  truth::DrawTensor(draw, call, kOut, std::move(shape), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

// Some dimensions, in any order.
inline std::vector<int64_t> DrawDims(truth::Draw& draw, int64_t rank) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (draw.Flip()) continue;
    dims.insert(dims.begin() + draw.Below(static_cast<int64_t>(dims.size()) + 1),
                draw.Byte() >= 192 ? d - rank : d);
  }
  return dims;
}

inline void DrawSliceV2(truth::Draw& draw, truth::Call& call) {
  using namespace slice_v2;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  const auto rank = static_cast<int>(shape.size());
  std::vector<int64_t> axes = DrawDims(draw, rank), starts, ends, steps;
  for (const int64_t axis : axes) {
    int64_t& length = shape[WrapDimension(axis, rank)];
    const Bounds bounds = DrawBounds(draw, length);
    starts.push_back(bounds.start);
    ends.push_back(bounds.end);
    steps.push_back(bounds.step);
    length = CutOf(bounds.start, bounds.end, bounds.step, length).extent;
  }
  call.SetInts(kStarts, std::move(starts));
  call.SetInts(kEnds, std::move(ends));
  call.SetInts(kAxes, std::move(axes));
  call.SetInts(kSteps, std::move(steps));
  truth::DrawTensor(draw, call, kOut, std::move(shape), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawFlip(truth::Draw& draw, truth::Call& call) {
  using namespace flip;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  call.SetInts(kDims, DrawDims(draw, static_cast<int64_t>(call.Shape(kSelf).size())));
  truth::DrawTensor(draw, call, kOut, call.Shape(kSelf), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawRoll(truth::Draw& draw, truth::Call& call) {
  using namespace roll;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kX);
  const auto rank = static_cast<int64_t>(call.Shape(kX).size());
  std::vector<int64_t> dims = DrawDims(draw, rank), shifts;
  if (rank > 0 && draw.Byte() >= 192) dims.push_back(draw.Below(rank));
  for (size_t i = 0; i < dims.size(); ++i) shifts.push_back(draw.Below(21) - 10);
  call.SetInts(kShifts, std::move(shifts));
  call.SetInts(kDims, std::move(dims));
  truth::DrawTensor(draw, call, kOut, call.Shape(kX), call.DTypeOf(kX));
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::slices
