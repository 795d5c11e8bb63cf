#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/indexing/truths.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::indexing {

inline DType DrawIndexType(truth::Draw& draw) {
  return draw.Flip() ? DType::kInt32 : DType::kInt64;
}
// Indices of [0, extent), of [-extent, extent) now and then if they may be negative; a shape
// without elements if there are none to draw.
inline void DrawIndexTensor(truth::Draw& draw, truth::Call& call, truth::Slot slot, Shape shape,
                            int64_t extent, bool negative) {
  if (extent == 0 && CountOf(shape) > 0) draw.MarkStrange();
  std::vector<double> indices =
      truth::DrawIndices(draw, CountOf(shape), std::max<int64_t>(1, extent));
  if (negative && draw.Flip()) {
    for (double& index : indices) index -= static_cast<double>(extent);
  }
  call.SetTensor(slot, std::move(shape), DrawIndexType(draw), std::move(indices));
}
inline int64_t DrawDim(truth::Draw& draw, truth::Call& call, int dim) {
  const auto rank = static_cast<int64_t>(std::max<size_t>(1, call.Shape(0).size()));
  const int64_t number = draw.Below(rank);
  call.SetInteger(dim, draw.Flip() ? number : number - rank);
  return number;
}
// Few enough that all of it is not too much.
inline void Shorten(truth::Draw& draw, Shape& shape) {
  for (int64_t& extent : shape) {
    if (CountOf(shape) > 2 * draw.most_elements() && extent > 1) extent = 1;
  }
}
// Indices for a tensor: no longer than it is, but as long as they like along `dim`.
inline Shape DrawEntries(truth::Draw& draw, const Shape& self, int64_t dim) {
  Shape shape = self;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (static_cast<int64_t>(d) == dim) {
      constexpr int64_t kCounts[] = {3, 1, 8, 0, 40, 300};
      shape[d] = self[d] == 0 ? 0 : draw.Pick(kCounts);
    } else if (draw.Byte() >= 224) {
      shape[d] = std::max<int64_t>(0, shape[d] - 1);
    }
  }
  Shorten(draw, shape);
  return shape;
}

inline void DrawGather(truth::Draw& draw, truth::Call& call) {
  using namespace gather;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  const int64_t dim = DrawDim(draw, call, kDim);
  const Shape& self = call.Shape(kSelf);
  const Shape shape = self.empty() ? self : DrawEntries(draw, self, dim);
  DrawIndexTensor(draw, call, kIndex, shape, OrOne(self)[static_cast<size_t>(dim)], false);
  call.SetTensor(kOut, shape, call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawTake(truth::Draw& draw, truth::Call& call) {
  using namespace take;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  const Shape shape = truth::DrawShape(draw, 0, 8);
  DrawIndexTensor(draw, call, kIndex, shape, call.ElementCount(kSelf), true);
  call.SetTensor(kOut, shape, call.DTypeOf(kSelf));
}

inline void DrawPut(truth::Draw& draw, truth::Call& call) {
  using namespace inplace_put;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  const Shape shape = truth::DrawShape(draw, 0, 8);
  DrawIndexTensor(draw, call, kIndex, shape, call.ElementCount(kSelf), true);
  Shape source = shape;
  std::reverse(source.begin(), source.end());
  truth::DrawTensor(draw, call, kSource, std::move(source), call.DTypeOf(kSelf));
  call.SetInteger(kAccumulate, draw.Flip() ? 1 : 0);
}

// kReduce and kOut are -1 where an operator has none.
template <bool kScalar, int kReduce, int kOut>
void DrawScatter(truth::Draw& draw, truth::Call& call) {
  using P = Scatter;
  truth::DrawTensor(draw, call, P::kSelf);
  const DType dtype = call.DTypeOf(P::kSelf);
  const int64_t dim = DrawDim(draw, call, P::kDim);
  const Shape self = call.Shape(P::kSelf);
  const Shape shape = self.empty() ? self : DrawEntries(draw, self, dim);
  DrawIndexTensor(draw, call, P::kIndex, shape, OrOne(self)[static_cast<size_t>(dim)], false);
  if (kScalar) {
    // One below 0 wraps in a dtype without sign if it is an integer.
    const DType scalar = draw.Flip() ? DType::kInt32 : DType::kFloat32;
    const double least = IsUnsigned(dtype) && IsFloating(scalar) ? 0 : -2;
    call.SetScalar(P::kSource, least + static_cast<double>(draw.Below(5)), scalar);
  } else {
    Shape source = shape;
    for (int64_t& extent : source) {
      if (draw.Byte() >= 224) ++extent;
    }
    truth::DrawTensor(draw, call, P::kSource, std::move(source), dtype);
  }
  if (kReduce >= 0) call.SetInteger(kReduce, draw.Below(3));
  if (kOut >= 0) call.SetTensor(kOut, self, dtype);
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawIndexAdd(truth::Draw& draw, truth::Call& call) {
  using namespace index_add;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  const DType dtype = call.DTypeOf(kSelf);
  const int64_t dim = DrawDim(draw, call, kDim);
  const Shape self = call.Shape(kSelf);
  Shape source = OrOne(self);
  const int64_t extent = source[static_cast<size_t>(dim)];
  constexpr int64_t kCounts[] = {3, 1, 8, 0, 40};
  int64_t& count = source[static_cast<size_t>(dim)];
  count = extent == 0 ? 0 : draw.Pick(kCounts);
  if (CountOf(source) > 2 * draw.most_elements()) count = 1;
  const bool single = count == 1 && draw.Flip();
  DrawIndexTensor(draw, call, kIndex, single ? Shape() : Shape{count}, extent, false);
  truth::DrawTensor(draw, call, kSource, self.empty() && single ? Shape() : source, dtype);
  call.SetScalar(kAlpha, static_cast<double>(draw.Below(5)) - 1,
                 draw.Flip() ? DType::kInt32 : DType::kInt64);
  call.SetTensor(kOut, self, dtype);
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawBincount(truth::Draw& draw, truth::Call& call) {
  using namespace bincount;  // NOLINT: the positions
  constexpr int64_t kCounts[] = {5, 1, 0, 40, 1000};
  constexpr int64_t kLengths[] = {8, 1, 3, 100};
  const int64_t count = draw.Pick(kCounts), length = draw.Pick(kLengths);
  constexpr DType kNumbers[] = {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8,
                                DType::kUInt8};
  call.SetTensor(kSelf, {count}, draw.Pick(kNumbers), truth::DrawIndices(draw, count, length));
  if (draw.Flip()) truth::DrawTensor(draw, call, kWeights, {count});
  call.SetInteger(kMinlength, draw.Below(length + 1));
  truth::DrawTensor(draw, call, kOut, {length});
  truth::MarkUnlessObeyed(draw, call);
}

template <int kOut>
void DrawIndexFill(truth::Draw& draw, truth::Call& call) {
  using P = IndexFill;
  truth::DrawTensor(draw, call, P::kSelf);
  const int64_t dim = DrawDim(draw, call, P::kDim);
  const int64_t extent = OrOne(call.Shape(P::kSelf))[static_cast<size_t>(dim)];
  Shape indices;
  for (int64_t n = extent == 0 ? 0 : draw.Below(4); n > 0; --n) {
    indices.push_back(draw.Byte() * extent / 256 - (draw.Flip() ? extent : 0));
  }
  call.SetInts(P::kIndex, std::move(indices));
  call.SetScalar(P::kValue, static_cast<double>(draw.Below(5)) - 2,
                 draw.Flip() ? DType::kInt32 : DType::kFloat32);
  if (kOut != P::kSelf) call.SetTensor(kOut, call.Shape(P::kSelf), call.DTypeOf(P::kSelf));
}

// self, and indices for some of its dimensions. Returns the shape that they select.
inline Shape DrawSelection(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, 0);
  const Shape self = call.Shape(0);
  const DType dtype = call.DTypeOf(0);
  const auto rank = static_cast<int>(self.size());
  const int count = 1 + static_cast<int>(draw.Below(rank));
  // How many of them may have indices, so that 8 dimensions are enough.
  Shape selected = truth::DrawShape(draw, 0, draw.Flip() ? 2 : 8);
  Shorten(draw, selected);
  call.SetList(1, count);
  std::vector<TensorDescriptor> shapes(static_cast<size_t>(count));
  for (int d = 0; d < count; ++d) {
    const int64_t extent = self[static_cast<size_t>(d)];
    TensorDescriptor& index = shapes[static_cast<size_t>(d)];
    if (draw.Byte() >= 128 && d + 1 < count) {
      call.SetTensor({1, d}, {0}, dtype, {});
      index.shape = {0};
      continue;
    }
    Shape own = selected;
    if (draw.Byte() >= 192)
      own.erase(own.begin(), own.begin() + draw.Below(static_cast<int64_t>(own.size()) + 1));
    for (int64_t& e : own) {
      if (draw.Byte() >= 240) e = 1;
    }
    DrawIndexTensor(draw, call, {1, d}, own, extent, true);
    index.shape = own;
  }
  for (int d = 0; d < count; ++d) shapes[static_cast<size_t>(d)].dtype = call.DTypeOf({1, d});
  const Selection selection(self, shapes);
  if (selection.fault() != nullptr) draw.MarkStrange();
  Shape shape = selection.shape();
  if (CountOf(shape) > 8 * draw.most_elements()) draw.MarkStrange();
  return shape;
}

inline void DrawIndex(truth::Draw& draw, truth::Call& call) {
  Shape shape = DrawSelection(draw, call);
  call.SetTensor(Index::kOut, draw.strange() ? Shape{1} : std::move(shape), call.DTypeOf(0));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawIndexPut(truth::Draw& draw, truth::Call& call) {
  using P = IndexPut;
  Shape values = DrawSelection(draw, call);
  if (draw.strange()) values = {1};
  if (draw.Byte() >= 192) {
    values.erase(values.begin(),
                 values.begin() + draw.Below(static_cast<int64_t>(values.size()) + 1));
  }
  for (int64_t& extent : values) {
    if (draw.Byte() >= 240) extent = 1;
  }
  truth::DrawTensor(draw, call, P::kValues, std::move(values), call.DTypeOf(P::kSelf));
  call.SetInteger(P::kAccumulate, draw.Flip() ? 1 : 0);
  call.SetInteger(P::kUnsafe, draw.Flip() ? 1 : 0);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::indexing
