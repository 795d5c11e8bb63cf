#pragma once

#include "aclimb/ops/convolution_backward/draw.h"
#include "aclimb/ops/convolution_backward/forward_contract.h"

namespace aclimb::convolution_backward::forward {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  CallDrawer drawer(draw, call, kAt);
  const Layer& g = drawer.layer;
  drawer.Input(kInput, g.InputShape(), drawer.dtype);
  drawer.Format(kInput);
  drawer.Input(kWeight, g.WeightShape(), drawer.dtype);
  drawer.Format(kWeight);
  if (draw.Flip()) drawer.Input(kBias, {g.out_channels}, drawer.dtype);
  call.SetTensor(kOutput, g.OutputShape(), drawer.dtype);
  drawer.Format(kOutput);
  drawer.Attributes();
  call.SetInteger(kCubeMathType, draw.Below(4));
}

}  // namespace aclimb::convolution_backward::forward
