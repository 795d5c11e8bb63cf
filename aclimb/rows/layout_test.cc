#include "aclimb/rows/layout.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace aclimb::rows {
namespace {

TensorView View(std::initializer_list<int64_t> shape, std::initializer_list<int64_t> stride) {
  TensorView view;
  view.dtype = DType::kFloat32;
  for (const int64_t extent : shape) view.shape[view.rank++] = extent;
  int d = 0;
  for (const int64_t step : stride) view.stride[d++] = step;
  return view;
}

TEST(Layout, DimensionsAroundTheOneMakeRows) {
  const TensorView view = View({2, 3, 4, 5}, {60, 20, 5, 1});
  const Layout layout = LayoutAlong({&view, 1}, 1, 16);
  EXPECT_EQ(layout.outer, 2);
  EXPECT_EQ(layout.length, 3);
  EXPECT_EQ(layout.inner, 20);
}

TEST(Layout, APermutedOutputGivesTheOrder) {
  // Channels last: the channels are neighbours.
  const TensorView view = View({2, 3, 4, 5}, {60, 1, 15, 3});
  const Layout layout = LayoutAlong({&view, 1}, 1, 16);
  EXPECT_EQ(layout.outer, 40);
  EXPECT_EQ(layout.length, 3);
  EXPECT_EQ(layout.inner, 1);
  EXPECT_TRUE(Permuted(view, layout.order).IsContiguous());
}

TEST(Layout, ExtentsOfOneMayHaveAnyStride) {
  const TensorView view = View({4, 1, 5}, {1, 7, 4});
  for (const int dim : {0, 2}) {
    const Layout layout = LayoutAlong({&view, 1}, dim, 2);
    EXPECT_TRUE(Permuted(view, layout.order).IsContiguous());
    EXPECT_EQ(layout.length, view.shape[dim]);
  }
  EXPECT_EQ(LayoutAlong({&view, 1}, 1, 2).length, 1);
}

TEST(Layout, FewNeighboursAreLaidOneAfterTheOther) {
  const TensorView view = View({2, 8, 3}, {24, 3, 1});
  const Layout layout = LayoutAlong({&view, 1}, 1, 4);
  EXPECT_EQ(layout.outer, 6);
  EXPECT_EQ(layout.length, 8);
  EXPECT_EQ(layout.inner, 1);
  EXPECT_EQ(Permuted(view, layout.order).shape[2], 8);
}

TEST(Layout, ASingleElementIsARow) {
  const TensorView view = View({}, {});
  const Layout layout = LayoutAlong({&view, 1}, 0, 16);
  EXPECT_EQ(layout.outer, 1);
  EXPECT_EQ(layout.length, 1);
  EXPECT_EQ(layout.inner, 1);
}

}  // namespace
}  // namespace aclimb::rows
