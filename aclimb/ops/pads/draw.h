#pragma once

#include <utility>

#include "aclimb/ops/pads/edge_contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::pads {

inline void DrawConstant(truth::Draw& draw, truth::Call& call) {
  using namespace constant;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf), pad;
  const size_t rank = shape.size();
  for (int64_t pairs = draw.Below(static_cast<int64_t>(rank) + 1); pairs > 0; --pairs) {
    for (int i = 0; i < 2; ++i) {
      const uint8_t byte = draw.Byte();
      // Small tensors stay small; sometimes something is cut off.
      pad.push_back(byte < 96 ? 0 : byte < 224 ? byte % 3 : -1);
    }
  }
  for (size_t d = 0; d < rank; ++d) {
    const Pair pair = PairOf(pad, rank, d);
    shape[d] = std::max<int64_t>(0, shape[d] + pair.before + pair.behind);
  }
  call.SetInts(kPad, std::move(pad));
  call.SetScalar(kValue, static_cast<double>(draw.Below(9)) / 2, DType::kFloat32);
  truth::DrawTensor(draw, call, kOut, std::move(shape), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

// Paddings of the last dimensions of a shape, which grows by them, up to the elements of a draw.
template <int kDims>
std::vector<int64_t> DrawPadding(truth::Draw& draw, Edge edge, std::vector<int64_t>& shape) {
  std::vector<int64_t> padding;
  const std::vector<int64_t> inner = shape;
  for (size_t i = 0; i < 2 * kDims; ++i) {
    const size_t d = shape.size() - 1 - i / 2;
    padding.push_back(edge == Edge::kMirrored
                          ? draw.Below(std::max<int64_t>(1, inner[d]))
                          : std::max<int64_t>(draw.Below(8) - (draw.Flip() ? 4 : 0), 1 - shape[d]));
    shape[d] += padding.back();
    if (padding.back() > 0 && ElementCountOf(shape) > draw.most_elements()) {
      shape[d] -= std::exchange(padding.back(), 0);
    }
  }
  return padding;
}

template <Edge kEdge, int kDims>
void DrawAround(truth::Draw& draw, truth::Call& call) {
  using namespace around;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  call.SetInts(kPadding, DrawPadding<kDims>(draw, kEdge, shape));
  truth::DrawTensor(draw, call, kOut, std::move(shape), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

template <Edge kEdge, int kDims>
void DrawGradient(truth::Draw& draw, truth::Call& call) {
  using namespace gradient;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  truth::DrawTensor(draw, call, kGradInput, shape, call.DTypeOf(kSelf));
  call.SetInts(kPadding, DrawPadding<kDims>(draw, kEdge, shape));
  truth::DrawTensor(draw, call, kGradOutput, std::move(shape), call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::pads
