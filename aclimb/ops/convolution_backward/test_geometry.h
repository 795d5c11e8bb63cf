#pragma once

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/truth.h"

// Problems of the kernels' tests.
namespace aclimb::convolution_backward {

// A dimension that is not there has extents of one.
struct Axis {
  int64_t in = 1, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0;

  int64_t Out() const { return *WindowCount(in, begin, end, kernel, dilation, stride); }
};

// Channels are those of a group.
inline Geometry GeometryOf(int64_t batch, int64_t x_channels, int64_t y_channels,
                           const Axis (&axes)[kDims]) {
  Geometry g;
  g.batch = batch;
  g.x_channels = x_channels;
  g.y_channels = y_channels;
  for (int d = 0; d < kDims; ++d) {
    g.in[d] = axes[d].in;
    g.out[d] = axes[d].Out();
    g.kernel[d] = axes[d].kernel;
    g.stride[d] = axes[d].stride;
    g.dilation[d] = axes[d].dilation;
    g.pad_begin[d] = axes[d].begin;
    g.pad_end[d] = axes[d].end;
  }
  return g;
}

inline std::string Text(const Geometry& g) {
  std::ostringstream out;
  out << g.batch << " images, " << g.groups << " times " << g.x_channels << " to " << g.y_channels
      << " channels";
  for (int d = 0; d < kDims; ++d) {
    out << "; in " << g.in[d] << " kernel " << g.kernel[d] << " stride " << g.stride[d]
        << " dilation " << g.dilation[d] << " padding " << g.pad_begin[d] << "+" << g.pad_end[d];
  }
  return out.str();
}

inline std::vector<uint64_t> BitsOf(const std::vector<double>& values) {
  std::vector<uint64_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(double));
  return bits;
}

// The result of one task from the values of the others; its own do not matter.
inline std::vector<double> TruthOf(const Geometry& g, Task task, const std::vector<double>& x,
                                   const std::vector<double>& y,
                                   const std::vector<double>& weight) {
  const auto shape = [](int64_t a, int64_t b, const int64_t(&extents)[kDims]) {
    return std::vector<int64_t>{a, b, extents[0], extents[1], extents[2]};
  };
  Definition truth;
  truth.transposed = task == Task::kForward;  // whose gradInput is the forward convolution
  const auto x_shape = shape(g.batch, g.groups * g.x_channels, g.in);
  const auto y_shape = shape(g.batch, g.groups * g.y_channels, g.out);
  truth.input_shape = truth.transposed ? y_shape : x_shape;
  truth.output_shape = truth.transposed ? x_shape : y_shape;
  truth.weight_shape = shape(g.groups * g.y_channels, g.x_channels, g.kernel);
  truth.groups = g.groups;
  truth.stride = {g.stride[0], g.stride[1], g.stride[2]};
  truth.dilation = {g.dilation[0], g.dilation[1], g.dilation[2]};
  truth.pad = {g.pad_begin[0], g.pad_begin[1], g.pad_begin[2]};
  truth.wants_weight = task == Task::kGradWeight;
  truth.wants_input = !truth.wants_weight;
  truth.transposed ? truth.Compute(x, y, weight) : truth.Compute(y, x, weight);
  return task == Task::kGradWeight ? truth.grad_weight : truth.grad_input;
}

}  // namespace aclimb::convolution_backward
