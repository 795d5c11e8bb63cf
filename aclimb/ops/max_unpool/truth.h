#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "aclimb/ops/max_unpool/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::max_unpool {

// Elements of a plane of a tensor.
inline int64_t PlaneSize(const truth::Call& call, int at, size_t dims) {
  const std::vector<int64_t>& shape = call.Shape(at);
  int64_t size = 1;
  for (size_t d = shape.size() - dims; d < shape.size(); ++d) size *= shape[d];
  return size;
}

template <const Places& kPlaces, bool kForward>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int64_t small = PlaneSize(call, kPlaces.small, kPlaces.dims);
  const int64_t large = PlaneSize(call, kPlaces.large, kPlaces.dims);
  const int from = kForward ? kPlaces.small : kPlaces.large;
  const int to = kForward ? kPlaces.large : kPlaces.small;
  std::vector<double> values(static_cast<size_t>(call.ElementCount(to)), 0.0);
  for (int64_t n = 0; n < call.ElementCount(kPlaces.indices); ++n) {
    const auto i = static_cast<size_t>(n);
    const auto at = static_cast<size_t>(n / small * large + call.Ints(kPlaces.indices)[i]);
    values[kForward ? at : i] = truth::CastValue(call.Values(from)[kForward ? i : at],
                                                 call.DTypeOf(from), call.DTypeOf(to));
  }
  outputs.Set(to, std::move(values), truth::Allowance{});
}

// What was pooled and the attributes. Returns the shape of where its indices lead to.
template <const Places& kPlaces>
std::vector<int64_t> DrawIndexed(truth::Draw& draw, truth::Call& call, int self) {
  constexpr int64_t kExtents[] = {2, 1, 3, 4, 5, 7, 0, 12};
  std::vector<int64_t> shape, size;
  for (size_t d = draw.Flip() ? 0 : 1; d < 2 + kPlaces.dims; ++d) {
    shape.push_back(draw.Pick(kExtents));
  }
  int64_t room = 1;
  for (size_t d = shape.size() - kPlaces.dims; d < shape.size(); ++d) {
    size.push_back(shape[d] + draw.Below(4));
    room *= size.back();
  }
  truth::DrawTensor(draw, call, self, shape);
  const DType dtype = draw.Flip() ? DType::kInt64 : DType::kInt32;
  std::vector<double> indices = truth::DrawIndices(draw, call.ElementCount(self), room);
  call.SetTensor(kPlaces.indices, shape, dtype, std::move(indices));
  if (kPlaces.dims == 3) {
    call.SetInts(kPlaces.size + 1, {1 + draw.Below(3), 2, 1});
    call.SetInts(kPlaces.size + 2, {0, draw.Below(2), 0});
  }
  std::copy(size.begin(), size.end(), shape.end() - static_cast<std::ptrdiff_t>(kPlaces.dims));
  call.SetInts(kPlaces.size, std::move(size));
  return shape;
}

template <const Places& kPlaces>
void DrawForward(truth::Draw& draw, truth::Call& call) {
  std::vector<int64_t> large = DrawIndexed<kPlaces>(draw, call, kPlaces.small);
  truth::DrawTensor(draw, call, kPlaces.large, std::move(large), call.DTypeOf(kPlaces.small));
  truth::MarkUnlessObeyed(draw, call);
}

template <const Places& kPlaces, int kSelf>
void DrawBackward(truth::Draw& draw, truth::Call& call) {
  std::vector<int64_t> large = DrawIndexed<kPlaces>(draw, call, kSelf);
  truth::DrawTensor(draw, call, kPlaces.large, std::move(large), call.DTypeOf(kSelf));
  // The gradient in planes may be converted.
  if (kPlaces.dims == 2 && draw.Flip()) {
    truth::DrawTensor(draw, call, kPlaces.small, call.Shape(kSelf));
  } else {
    truth::DrawTensor(draw, call, kPlaces.small, call.Shape(kSelf), call.DTypeOf(kSelf));
  }
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::max_unpool
