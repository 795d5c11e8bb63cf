#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/pooling/adaptive_max_contracts.h"
#include "aclimb/ops/pooling/truths.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::pooling {

// [N, C, H, W] or [C, H, W], or with D before H, sometimes of no planes.
template <size_t kDims = 2>
std::vector<int64_t> DrawPlanes(truth::Draw& draw) {
  constexpr int64_t kExtents[] = {5, 1, 2, 3, 4, 7, 8, 13, 24, 40};
  constexpr int64_t kCounts[] = {2, 1, 3, 0, 4, 1, 9, 6, 17};
  std::vector<int64_t> shape;
  if (draw.Flip()) shape.push_back(draw.Pick(kCounts));
  shape.push_back(draw.Pick(kCounts));
  // Where large calls are wanted they are cut into several pieces.
  const int64_t scale = draw.most_elements() > 100'000 ? kDims == 2 ? 5 : 2 : 1;
  // Small calls stay small.
  const int64_t most = kDims == 2 ? std::max<int64_t>(2, draw.most_elements() / 16)
                                  : std::max<int64_t>(2, draw.most_elements() / 64);
  for (size_t d = 0; d < kDims; ++d) {
    const int64_t extent = draw.Pick(kExtents);
    shape.push_back(std::min(scale * (kDims == 2 ? extent : std::min<int64_t>(extent, 12)), most));
  }
  return shape;
}

// Along one dimension of `in` elements, of which those of a window are `apart`: how many a window
// has, `most` or fewer, and a padding with which at least one fits.
struct FittingWindow {
  int64_t size, pad;
};
inline FittingWindow DrawFitting(truth::Draw& draw, int64_t in, int64_t apart, int64_t most) {
  int64_t size = 1 + draw.Below(16) % most;
  // The widest padding may be what makes a window fit.
  while (true) {
    const int64_t span = apart * (size - 1) + 1, pad = draw.Below(span / 2 + 1);
    if (span <= in + 2 * pad) return {size, pad};
    --size;
  }
}

// Equal numbers may be told by one.
inline void MaybeOneForAll(truth::Draw& draw, std::vector<int64_t>& values) {
  const auto equals_first = [&](int64_t value) { return value == values[0]; };
  if (std::all_of(values.begin(), values.end(), equals_first) && draw.Flip()) values.resize(1);
}

inline Windows WindowsOf(const truth::Call& call, const Places& places) {
  return WindowsOf(call.Shape(places.self.at), places.dims,
                   {.kernel = call.Ints(places.kernel.at),
                    .stride = call.Ints(places.stride.at),
                    .padding = call.Ints(places.padding.at),
                    .dilation = places.dilation.at < 0 ? nullptr : &call.Ints(places.dilation.at),
                    .ceil = call.Integer(places.ceil.at) != 0});
}

// Attributes of windows of which at least one fits.
inline void DrawWindows(truth::Draw& draw, truth::Call& call, const Places& places,
                        const std::vector<int64_t>& shape) {
  std::vector<int64_t> kernel, stride, padding, padding_end, dilation;
  const bool both_ends = call.ParameterAt(places.ceil.at).kind == Kind::kInteger && draw.Flip();
  for (size_t d = 0; d < places.dims; ++d) {
    const int64_t in = shape[shape.size() - places.dims + d];
    const int64_t apart = places.dilation.at < 0 ? 1 : 1 + draw.Below(8) / 6;
    const auto [size, pad] = DrawFitting(draw, in, apart, places.dims == 2 ? 5 : 4);
    kernel.push_back(size);
    stride.push_back(1 + draw.Below(3));
    padding.push_back(pad);
    // The other end may have another padding with which a window fits.
    const int64_t span = apart * (size - 1) + 1, least = std::max<int64_t>(0, span - in - pad);
    padding_end.push_back(both_ends ? least + draw.Below(span / 2 + 1 - least) : pad);
    dilation.push_back(apart);
  }
  MaybeOneForAll(draw, kernel);
  MaybeOneForAll(draw, dilation);
  MaybeOneForAll(draw, stride);
  if (draw.Below(4) == 3) stride.clear();
  if (both_ends) {
    padding = {padding[0], padding_end[0], padding[1], padding_end[1]};
  } else {
    MaybeOneForAll(draw, padding);
  }
  call.SetInts(places.kernel.at, std::move(kernel));
  call.SetInts(places.stride.at, std::move(stride));
  call.SetInts(places.padding.at, std::move(padding));
  if (places.dilation.at >= 0) call.SetInts(places.dilation.at, std::move(dilation));
  call.SetInteger(places.ceil.at, draw.Flip() ? 1 : 0);
}

// About how many elements all windows have.
inline void SetCost(truth::Draw& draw, const Windows& windows) {
  draw.SetCost(
      static_cast<double>(windows.planes * windows.Out()) *
      static_cast<double>(windows.depth.kernel * windows.height.kernel * windows.width.kernel));
}

template <const Places& kPlaces>
void DrawMax(truth::Draw& draw, truth::Call& call) {
  const std::vector<int64_t> shape = DrawPlanes<kPlaces.dims>(draw);
  truth::DrawTensor(draw, call, kPlaces.self.at, shape);
  DrawWindows(draw, call, kPlaces, shape);
  if (kPlaces.indices.at < 0) {
    call.SetInts(plain::kDilations, std::vector<int64_t>(static_cast<size_t>(draw.Below(5)), 1));
    call.SetInteger(plain::kAutoPad, 0);
  }
  const Windows windows = WindowsOf(call, kPlaces);
  const DType dtype = call.DTypeOf(kPlaces.self.at);
  truth::DrawTensor(draw, call, kPlaces.pooled.at, PooledShape(shape, kPlaces.dims, windows),
                    dtype);
  if (kPlaces.indices.at >= 0) {
    const bool mask =
        contract::Has(call.ParameterAt(kPlaces.indices.at).dtypes[draw.product()], DType::kInt8);
    truth::DrawTensor(draw, call, kPlaces.indices.at,
                      mask ? MaskShape(shape, windows) : PooledShape(shape, kPlaces.dims, windows));
  }
  SetCost(draw, windows);
  truth::MarkUnlessObeyed(draw, call);
}

// With the indices of some forward call, or any.
template <const Places& kPlaces>
void DrawMaxGradient(truth::Draw& draw, truth::Call& call) {
  using namespace backward;  // NOLINT: the positions
  const std::vector<int64_t> shape = DrawPlanes<kPlaces.dims>(draw);
  truth::DrawTensor(draw, call, kSelf, shape);
  const DType dtype = call.DTypeOf(kSelf);
  DrawWindows(draw, call, kPlaces, shape);
  const Windows windows = WindowsOf(call, kPlaces);
  truth::DrawTensor(draw, call, kGradOutput, PooledShape(shape, kPlaces.dims, windows), dtype);
  const bool mask = contract::Has(call.ParameterAt(kIndices).dtypes[draw.product()], DType::kInt8);
  truth::DrawTensor(draw, call, kIndices,
                    mask ? MaskShape(shape, windows) : PooledShape(shape, kPlaces.dims, windows));
  if (draw.Below(8) != 7) {
    const int64_t count = call.ElementCount(kSelf);
    const std::vector<Maximum> maxima = MaximaOf(windows, truth::DrawValues(draw, dtype, count));
    call.SetTensor(kIndices, call.Shape(kIndices), call.DTypeOf(kIndices),
                   IndicesOf(call, kPlaces, windows, maxima));
  }
  truth::DrawTensor(draw, call, kGradInput, shape, dtype);
  SetCost(draw, windows);
  truth::MarkUnlessObeyed(draw, call);
}

// Of the mean, or of its gradient kGradInput.
template <const Places& kPlaces, int kGradInput = -1>
void DrawAverage(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kDivisors[] = {0, 0, 0, 7, -2, 1};
  const std::vector<int64_t> shape = DrawPlanes<kPlaces.dims>(draw);
  truth::DrawTensor(draw, call, kPlaces.self.at, shape);
  const DType dtype = call.DTypeOf(kPlaces.self.at);
  DrawWindows(draw, call, kPlaces, shape);
  const int next = kPlaces.ceil.at;
  call.SetInteger(next + 1, draw.Flip() ? 1 : 0);
  call.SetInteger(next + 2, draw.Pick(kDivisors));
  if (kPlaces.dims == 2) call.SetInteger(next + 3, draw.Below(4));
  const Windows windows = WindowsOf(call, kPlaces);
  truth::DrawTensor(draw, call, kPlaces.pooled.at, PooledShape(shape, kPlaces.dims, windows),
                    dtype);
  if (kGradInput >= 0) truth::DrawTensor(draw, call, kGradInput, shape, dtype);
  SetCost(draw, windows);
  truth::MarkUnlessObeyed(draw, call);
}

// The shape of so many windows that share planes of `shape`.
inline std::vector<int64_t> DrawShares(truth::Draw& draw, size_t dims, std::vector<int64_t> shape) {
  constexpr int64_t kCounts[] = {2, 1, 3, 5, 0, 7, 9};
  for (size_t d = shape.size() - dims; d < shape.size(); ++d) shape[d] = draw.Pick(kCounts);
  return shape;
}

// Planes, the wanted number of windows and a tensor that has an element for each; all three forward
// operators' first parameters.
template <const Places& kPlaces>
std::vector<int64_t> DrawSharing(truth::Draw& draw, truth::Call& call) {
  using namespace adaptive;  // NOLINT: the positions
  const std::vector<int64_t> shape = DrawPlanes<kPlaces.dims>(draw);
  std::vector<int64_t> pooled = DrawShares(draw, kPlaces.dims, shape);
  truth::DrawTensor(draw, call, kSelf, shape);
  call.SetInts(kOutputSize,
               {pooled.end() - static_cast<std::ptrdiff_t>(kPlaces.dims), pooled.end()});
  truth::DrawTensor(draw, call, kPlaces.pooled.at, pooled, call.DTypeOf(kSelf));
  return pooled;
}

template <size_t kDims>
void DrawAdaptive(truth::Draw& draw, truth::Call& call) {
  DrawSharing<adaptive::kPlaces<kDims>>(draw, call);
  truth::MarkUnlessObeyed(draw, call);
}

template <size_t kDims>
void DrawAdaptiveMax(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, adaptive_max::kIndicesOut,
                    DrawSharing<adaptive_max::kPlaces<kDims>>(draw, call));
  truth::MarkUnlessObeyed(draw, call);
}

template <size_t kDims>
void DrawAdaptiveGradient(truth::Draw& draw, truth::Call& call) {
  using namespace adaptive_backward;  // NOLINT: the positions
  const std::vector<int64_t> shape = DrawPlanes<kDims>(draw);
  truth::DrawTensor(draw, call, kSelf, shape);
  const DType dtype = call.DTypeOf(kSelf);
  truth::DrawTensor(draw, call, kGradOutput, DrawShares(draw, kDims, shape), dtype);
  truth::DrawTensor(draw, call, kOut, shape, dtype);
  truth::MarkUnlessObeyed(draw, call);
}

// With the indices of some forward call, or any.
template <size_t kDims>
void DrawAdaptiveMaxGradient(truth::Draw& draw, truth::Call& call) {
  using namespace adaptive_max_backward;  // NOLINT: the positions
  const std::vector<int64_t> shape = DrawPlanes<kDims>(draw);
  const std::vector<int64_t> pooled = DrawShares(draw, kDims, shape);
  truth::DrawTensor(draw, call, kSelf, shape);
  const DType dtype = call.DTypeOf(kSelf);
  truth::DrawTensor(draw, call, kGradOutput, pooled, dtype);
  truth::DrawTensor(draw, call, kIndices, pooled);
  if (draw.Below(8) != 7) {
    const std::vector<double> values = truth::DrawValues(draw, dtype, call.ElementCount(kSelf));
    call.SetTensor(kIndices, pooled, call.DTypeOf(kIndices),
                   IndicesOf(SharedMaxima(SharingWindows(shape, kDims, pooled), values)));
  }
  truth::DrawTensor(draw, call, kGradInput, shape, dtype);
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::pooling
