#include "aclimb/ops/convolution_backward/geometry.h"

#include <gtest/gtest.h>

namespace aclimb::convolution_backward {
namespace {

// By walking every window and every tap.
int64_t TapsOneByOne(const Geometry& g, int d) {
  int64_t taps = 0;
  for (int64_t window = 0; window < g.out[d]; ++window) {
    for (int64_t tap = 0; tap < g.kernel[d]; ++tap) {
      const int64_t at = window * g.stride[d] - g.pad_begin[d] + tap * g.dilation[d];
      taps += at >= 0 && at < g.in[d];
    }
  }
  return taps;
}

TEST(ConvolutionGeometry, FlopsLeaveOutPadding) {
  int64_t sum = 0;
  for (int64_t in : {1, 2, 7, 20}) {
    for (int64_t kernel : {1, 2, 3, 9}) {
      for (int64_t stride : {1, 2, 5}) {
        for (int64_t dilation : {1, 3}) {
          for (int64_t pad : {0, 1, 4, 11}) {
            const auto out = WindowCount(in, pad, pad + 1, kernel, dilation, stride);
            if (!out) continue;
            Geometry g;
            g.batch = 2;
            g.groups = 3;
            g.x_channels = 5;
            g.y_channels = 7;
            g.in[1] = in;
            g.out[1] = *out;
            g.kernel[1] = kernel;
            g.stride[1] = stride;
            g.dilation[1] = dilation;
            g.pad_begin[1] = pad;
            g.pad_end[1] = pad + 1;
            const int64_t taps = TapsOneByOne(g, 1);
            EXPECT_EQ(FlopsOf(g), static_cast<double>(2 * 2 * 3 * 5 * 7 * taps))
                << in << ' ' << kernel << ' ' << stride << ' ' << dilation << ' ' << pad;
            sum += taps;
          }
        }
      }
    }
  }
  EXPECT_GT(sum, 0);
}

TEST(ConvolutionGeometry, FlopsOfThreeDimensionsMultiply) {
  Geometry g;
  g.batch = 1;
  g.x_channels = 1;
  g.y_channels = 1;
  for (int d = 0; d < kDims; ++d) {
    g.in[d] = g.out[d] = 4 + d;
    g.kernel[d] = 3;
    g.pad_begin[d] = g.pad_end[d] = 1;
  }
  // 3 taps a window, but for two windows at the borders that have 2.
  EXPECT_EQ(FlopsOf(g), 2.0 * 10 * 13 * 16);
}

}  // namespace
}  // namespace aclimb::convolution_backward
