#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/pooling/draw.h"
#include "aclimb/ops/pooling/max3d_contracts.h"
#include "aclimb/ops/pooling/truths.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::pooling::max3d {

template <const Places& kPlaces>
VolumeWindows CallWindows(const truth::Call& call) {
  return VolumeWindowsOf(call.Shape(kPlaces.self.at), {.kernel = call.Ints(kPlaces.kernel.at),
                                                       .stride = call.Ints(kPlaces.stride.at),
                                                       .padding = call.Ints(kPlaces.padding.at),
                                                       .dilation = &call.Ints(kPlaces.dilation.at),
                                                       .ceil = call.Bool(kPlaces.ceil.at)});
}

// Where windows have their maxima: element by element, a NaN replaces what was found before.
inline std::vector<Maximum> Maxima(const VolumeWindows& windows,
                                   const std::vector<double>& values) {
  std::vector<Maximum> maxima;
  const std::array<Axis, 3>& axes = windows.axes;
  for (int64_t n = 0; n < windows.volumes * windows.Out(); ++n) {
    const int64_t window[3] = {n / (axes[1].out * axes[2].out) % axes[0].out,
                               n / axes[2].out % axes[1].out, n % axes[2].out};
    Maximum best;
    for (int64_t tap = 0; tap < axes[0].kernel * axes[1].kernel * axes[2].kernel; ++tap) {
      const int64_t taps[3] = {tap / (axes[1].kernel * axes[2].kernel),
                               tap / axes[2].kernel % axes[1].kernel, tap % axes[2].kernel};
      int64_t index = 0;
      bool inside = true;
      for (size_t d = 0; d < 3; ++d) {
        const Axis& axis = axes[d];
        const int64_t at = window[d] * axis.stride - axis.pad_begin + taps[d] * axis.dilation;
        inside = inside && at >= 0 && at < axis.in;
        index = index * axis.in + at;
      }
      if (!inside) continue;
      const double value = values[static_cast<size_t>(n / windows.Out() * windows.In() + index)];
      if (best.index < 0 || value > best.value || std::isnan(value)) best = {value, index};
    }
    maxima.push_back(best);
  }
  return maxima;
}

inline void ForwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace forward;  // NOLINT: the positions
  std::vector<double> values, indices;
  for (const Maximum& maximum : Maxima(CallWindows<kPlaces>(call), call.Values(kSelf))) {
    values.push_back(maximum.value);
    indices.push_back(static_cast<double>(maximum.index));
  }
  outputs.Set(kOut, std::move(values), truth::Allowance{});
  outputs.Set(kIndices, std::move(indices), truth::Allowance{});
}

inline void BackwardTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace backward;  // NOLINT: the positions
  const VolumeWindows windows = CallWindows<kPlaces>(call);
  Sums sums(windows.volumes * windows.In());
  for (int64_t n = 0; n < windows.volumes * windows.Out(); ++n) {
    const int64_t index = call.Ints(kIndices)[static_cast<size_t>(n)];
    if (index < 0 || index >= windows.In()) continue;
    sums.Add(n / windows.Out() * windows.In() + index,
             call.Values(kGradOutput)[static_cast<size_t>(n)]);
  }
  sums.Put(call, kGradInput, outputs);
}

// Volumes, and windows of which at least one fits. Returns the shape of what they give.
template <const Places& kPlaces>
std::vector<int64_t> DrawWindows(truth::Draw& draw, truth::Call& call,
                                 const std::vector<int64_t>& shape) {
  std::vector<int64_t> kernel, stride, padding, dilation;
  for (size_t d = 0; d < 3; ++d) {
    const int64_t in = shape[shape.size() - 3 + d], apart = 1 + draw.Below(8) / 6;
    const auto [size, pad] = DrawFitting(draw, in, apart, 4);
    kernel.push_back(size);
    stride.push_back(1 + draw.Below(3));
    padding.push_back(pad);
    dilation.push_back(apart);
  }
  for (std::vector<int64_t>* values : {&kernel, &stride, &padding, &dilation}) {
    MaybeOneForAll(draw, *values);
  }
  if (draw.Below(4) == 3) stride.clear();
  call.SetInts(kPlaces.kernel.at, std::move(kernel));
  call.SetInts(kPlaces.stride.at, std::move(stride));
  call.SetInts(kPlaces.padding.at, std::move(padding));
  call.SetInts(kPlaces.dilation.at, std::move(dilation));
  call.SetInteger(kPlaces.ceil.at, draw.Flip() ? 1 : 0);
  truth::DrawTensor(draw, call, kPlaces.self.at, shape);
  const VolumeWindows windows = CallWindows<kPlaces>(call);
  const std::array<Axis, 3>& axes = windows.axes;
  draw.SetCost(static_cast<double>(windows.volumes * windows.Out()) *
               static_cast<double>(axes[0].kernel * axes[1].kernel * axes[2].kernel));
  return PooledShape(shape, windows);
}

inline std::vector<int64_t> DrawVolumes(truth::Draw& draw) {
  constexpr int64_t kExtents[] = {4, 1, 2, 3, 5, 7, 8, 11};
  constexpr int64_t kCounts[] = {2, 1, 3, 0, 1, 2};
  std::vector<int64_t> shape;
  if (draw.Flip()) shape.push_back(draw.Pick(kCounts));
  shape.push_back(draw.Pick(kCounts));
  const int64_t scale = draw.most_elements() > 100'000 ? 3 : 1;
  for (int d = 0; d < 3; ++d) {
    const int64_t most = std::max<int64_t>(2, draw.most_elements() / 64);
    shape.push_back(std::min(scale * draw.Pick(kExtents), most));
  }
  return shape;
}

inline void DrawForward(truth::Draw& draw, truth::Call& call) {
  using namespace forward;  // NOLINT: the positions
  std::vector<int64_t> pooled = DrawWindows<kPlaces>(draw, call, DrawVolumes(draw));
  truth::DrawTensor(draw, call, kOut, pooled, call.DTypeOf(kSelf));
  truth::DrawTensor(draw, call, kIndices, std::move(pooled));
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawBackward(truth::Draw& draw, truth::Call& call) {
  using namespace backward;  // NOLINT: the positions
  const std::vector<int64_t> shape = DrawVolumes(draw);
  const std::vector<int64_t> pooled = DrawWindows<kPlaces>(draw, call, shape);
  truth::DrawTensor(draw, call, kGradOutput, pooled, call.DTypeOf(kSelf));
  // Some of them are outside.
  const int64_t end = CallWindows<kPlaces>(call).In() + 2;
  truth::DrawTensor(draw, call, kIndices, pooled, DType::kInt32);
  std::vector<double> indices = truth::DrawIndices(draw, call.ElementCount(kIndices), end);
  for (double& index : indices) index -= 1;
  call.SetTensor(kIndices, pooled, DType::kInt32, std::move(indices));
  truth::DrawTensor(draw, call, kGradInput, shape, call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::pooling::max3d
