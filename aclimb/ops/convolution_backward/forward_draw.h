#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "aclimb/ops/convolution_backward/draw.h"
#include "aclimb/ops/convolution_backward/forward_contract.h"

namespace aclimb::convolution_backward::forward {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const DrawnGeometry g = DrawGeometry(draw);
  const DType dtype = truth::DrawDType(draw, kParameters[kInput].dtypes[draw.product()]);
  const auto format = [&](int parameter) {
    constexpr int32_t kByDims[] = {contract::kNcl, contract::kNchw, contract::kNcdhw};
    if (draw.Flip()) call.At(parameter).format = kByDims[g.in.size() - 1];
  };
  const auto input = [&](int parameter, std::vector<int64_t> shape) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    call.SetTensor(parameter, std::move(shape), dtype, truth::DrawValues(draw, dtype, count));
  };
  input(kInput, DrawnGeometry::With(g.batch, g.in_channels, g.in));
  format(kInput);
  input(kWeight, g.WeightShape());
  format(kWeight);
  if (draw.Flip()) input(kBias, {g.out_channels});
  call.SetTensor(kOutput, DrawnGeometry::With(g.batch, g.out_channels, g.out), dtype);
  format(kOutput);
  call.SetInts(kStride, g.stride);
  call.SetInts(kPadding, g.padding);
  call.SetInts(kDilation, g.dilation);
  call.SetInts(kOutputPadding, g.output_padding);
  call.SetInteger(kTransposed, g.transposed ? 1 : 0);
  call.SetInteger(kGroups, g.groups);
  call.SetInteger(kCubeMathType, draw.Below(4));
  double cost = static_cast<double>(g.batch);
  for (const int64_t extent : g.transposed ? g.in : g.out) cost *= static_cast<double>(extent);
  for (const int64_t extent : g.WeightShape()) cost *= static_cast<double>(extent);
  draw.SetCost(cost);
}

}  // namespace aclimb::convolution_backward::forward
