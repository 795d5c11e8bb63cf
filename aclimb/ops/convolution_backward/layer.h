#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/ops/convolution_backward/geometry.h"

// Problems of benchmarks, draws and tests, in the numbers that a program passes.
namespace aclimb::convolution_backward {

using Sizes = std::vector<int64_t>;

// A convolution, the gradients of which are asked for. Sizes have an entry for each dimension.
struct Layer {
  bool transposed = false;
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  Sizes in, kernel, stride, padding, dilation;
  Sizes output_padding = {}, out = {};

  Sizes InputShape() const { return WithChannels(batch, in_channels, in); }
  Sizes OutputShape() const { return WithChannels(batch, out_channels, out); }
  Sizes WeightShape() const {
    return transposed ? WithChannels(in_channels, out_channels / groups, kernel)
                      : WithChannels(out_channels, in_channels / groups, kernel);
  }
  // From all others, without outputPadding.
  void FindOut() {
    output_padding.assign(in.size(), 0);
    out.clear();
    for (size_t d = 0; d < in.size(); ++d) {
      const int64_t reach = dilation[d] * (kernel[d] - 1) + 1, pads = 2 * padding[d];
      out.push_back(transposed ? (in[d] - 1) * stride[d] - pads + reach
                               : (in[d] + pads - reach) / stride[d] + 1);
    }
  }

 private:
  static Sizes WithChannels(int64_t first, int64_t second, const Sizes& rest) {
    Sizes shape = {first, second};
    shape.insert(shape.end(), rest.begin(), rest.end());
    return shape;
  }
};

inline Geometry GeometryOf(const Layer& layer) {
  const Sizes in = layer.InputShape(), out = layer.OutputShape();
  return MakeGeometry(layer.transposed ? out : in, layer.transposed ? in : out, layer.WeightShape(),
                      layer.groups,
                      {layer.stride, layer.dilation, layer.padding, layer.padding, {}});
}

struct NamedLayer {
  const char* name;
  Layer layer;
};

// Those of cases.inc.
inline std::vector<NamedLayer> NamedLayers() {
  std::vector<NamedLayer> all = {
#define ACLIMB_LIST(...) \
  { __VA_ARGS__ }
#define ACLIMB_CASE(name, ...) {#name, {__VA_ARGS__}},
#include "aclimb/ops/convolution_backward/cases.inc"
#undef ACLIMB_CASE
#undef ACLIMB_LIST
  };
  for (NamedLayer& named : all) named.layer.FindOut();
  return all;
}

}  // namespace aclimb::convolution_backward
