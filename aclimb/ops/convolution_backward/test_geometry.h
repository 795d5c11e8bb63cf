#pragma once

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "aclimb/ops/convolution_backward/geometry.h"

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

}  // namespace aclimb::convolution_backward
