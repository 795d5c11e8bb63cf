#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/convolution_backward/plan.h"
#include "aclimb/ops/convolution_backward/test_dtypes.h"
#include "aclimb/ops/convolution_backward/test_fenced_tensor.h"
#include "aclimb/ops/convolution_backward/test_geometry.h"
#include "tests/support/compare.h"

// The tensors of a geometry, for the tests of kernels and plans.
namespace aclimb::convolution_backward {

inline Tensor ImagesLike(const Geometry& g, int64_t channels, const int64_t (&extents)[kDims],
                         DType dtype, int64_t gap) {
  return Tensor({g.batch, g.groups * channels, extents[0], extents[1], extents[2]}, dtype, gap);
}

// With `turned` windows, whose lines and columns have changed places in memory.
inline Tensor WeightLike(const Geometry& g, DType dtype, int64_t gap, bool turned) {
  const int lines = turned ? 2 : 1, columns = 3 - lines;
  Tensor weight(
      {g.groups * g.y_channels, g.x_channels, g.kernel[0], g.kernel[lines], g.kernel[columns]},
      dtype, gap);
  if (turned) {
    std::swap(weight.view.shape[3], weight.view.shape[4]);
    std::swap(weight.view.stride[3], weight.view.stride[4]);
  }
  return weight;
}

struct Operands {
  Operands(const Geometry& g, const DTypes& of, int64_t gap, bool turns = false)
      : geometry(g),
        dtypes(of),
        turned(turns),
        x(ImagesLike(g, g.x_channels, g.in, of.x, gap)),
        y(ImagesLike(g, g.y_channels, g.out, of.y, gap)),
        weight(WeightLike(g, of.weight, gap, turns)) {}

  // What a task gives, and room for it.
  std::vector<double> Truth(Task task) const {
    return TruthOf(geometry, task, x.Values(), y.Values(), weight.Values());
  }
  Tensor Result(Task task, DType dtype, int64_t gap = 0) const {
    const Geometry& g = geometry;
    if (task == Task::kGradWeight) return WeightLike(g, dtype, gap, turned);
    return task == Task::kForward ? ImagesLike(g, g.y_channels, g.out, dtype, gap)
                                  : ImagesLike(g, g.x_channels, g.in, dtype, gap);
  }
  void Fill(testing::Random& random) {
    for (Tensor* tensor : {&x, &y, &weight}) tensor->Fill(random);
  }

  Geometry geometry;
  DTypes dtypes;
  bool turned;
  Tensor x, y, weight;
};

// Sums of sixteenths are exact in float32: only the result is rounded, to nearest even.
inline void ExpectRounded(const std::vector<double>& got, const std::vector<double>& right,
                          DType dtype) {
  ASSERT_EQ(got.size(), right.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(right[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << "element " << i << " is " << got[i];
    } else {
      ASSERT_EQ(got[i], Rounded(right[i], dtype)) << "element " << i;
    }
  }
}

// Dense tensors of a call, for plans that are not run: x, y and the weight are its parameters 0, 1
// and 2.
inline Triple<Place> DensePlaces(const Geometry& g, DType dtype) {
  const auto place = [&](int parameter, int64_t a, int64_t b, const int64_t(&extents)[kDims]) {
    TensorView view;
    view.dtype = dtype;
    view.rank = 2 + kDims;
    view.shape[0] = a;
    view.shape[1] = b;
    std::copy(extents, extents + kDims, view.shape + 2);
    Place made;
    made.parameter = parameter;
    made.view = DenseLike(view, nullptr);
    return made;
  };
  return {place(0, g.batch, g.groups * g.x_channels, g.in),
          place(1, g.batch, g.groups * g.y_channels, g.out),
          place(2, g.groups * g.y_channels, g.x_channels, g.kernel)};
}

}  // namespace aclimb::convolution_backward
