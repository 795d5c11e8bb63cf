#pragma once

#include "aclimb/ops/convolution_backward/draw.h"
#include "aclimb/ops/convolution_backward/forward_contract.h"

namespace aclimb::convolution_backward::forward {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  CallDrawer drawer(draw, call, kAt);
  const DrawnGeometry& g = drawer.geometry;
  drawer.Input(kInput, DrawnGeometry::With(g.batch, g.in_channels, g.in), drawer.dtype);
  drawer.Format(kInput);
  drawer.Input(kWeight, g.WeightShape(), drawer.dtype);
  drawer.Format(kWeight);
  if (draw.Flip()) drawer.Input(kBias, {g.out_channels}, drawer.dtype);
  call.SetTensor(kOutput, DrawnGeometry::With(g.batch, g.out_channels, g.out), drawer.dtype);
  drawer.Format(kOutput);
  drawer.Attributes();
  call.SetInteger(kCubeMathType, draw.Below(4));
}

}  // namespace aclimb::convolution_backward::forward
