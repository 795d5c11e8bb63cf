#include "aclimb/simd/walk.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace aclimb {
namespace {

TensorView View(std::vector<int64_t> shape, std::vector<int64_t> stride) {
  TensorView view;
  view.rank = static_cast<int>(shape.size());
  for (int d = 0; d < view.rank; ++d) {
    view.shape[d] = shape[d];
    view.stride[d] = stride[d];
  }
  return view;
}

// Every pair (offset in a, offset in b), by plain nested counting.
std::map<int64_t, int64_t> Pairs(const TensorView& a, const TensorView& b) {
  std::map<int64_t, int64_t> pairs;
  const int64_t count = a.ElementCount();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at_a = 0, at_b = 0;
    for (int d = a.rank - 1; d >= 0; --d) {
      at_a += rest % a.shape[d] * a.stride[d];
      at_b += rest % a.shape[d] * b.stride[d];
      rest /= a.shape[d];
    }
    pairs[at_b] = at_a;
  }
  return pairs;
}

void ExpectVisitsAll(const TensorView& a, const TensorView& b) {
  const auto walk = Walk<2>::Make({&a, &b});
  for (int64_t piece : {1, 3, 1000}) {
    std::map<int64_t, int64_t> seen;
    for (int64_t begin = 0; begin < walk.count; begin += piece) {
      walk.Visit(begin, std::min(walk.count, begin + piece), [&](const int64_t* at, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          seen[at[1] + i * walk.stride[1][walk.rank - 1]] =
              at[0] + i * walk.stride[0][walk.rank - 1];
        }
      });
    }
    EXPECT_EQ(seen, Pairs(a, b));
  }
}

TEST(Walk, VisitsEveryElementOfStridedViews) {
  ExpectVisitsAll(View({4, 6}, {6, 1}), View({4, 6}, {1, 4}));
  ExpectVisitsAll(View({2, 3, 4}, {100, 10, 2}), View({2, 3, 4}, {12, 4, 1}));
  ExpectVisitsAll(View({3, 1, 5}, {0, 77, 1}), View({3, 1, 5}, {5, 5, 1}));
  ExpectVisitsAll(View({}, {}), View({}, {}));
  ExpectVisitsAll(View({1, 1}, {9, 9}), View({1, 1}, {4, 2}));
  ExpectVisitsAll(View({2, 2, 2, 2, 2, 2, 2, 2}, {128, 64, 32, 16, 8, 4, 2, 1}),
                  View({2, 2, 2, 2, 2, 2, 2, 2}, {1, 2, 4, 8, 16, 32, 64, 128}));
}

TEST(Walk, EquallyPermutedViewsBecomeOneRun) {
  const TensorView a = View({4, 6}, {1, 4});
  const auto walk = Walk<2>::Make({&a, &a});
  EXPECT_EQ(walk.rank, 1);
  EXPECT_EQ(walk.extent[0], 24);
  EXPECT_TRUE(walk.InnerIsContiguous());
}

TEST(Walk, EmptyViewsVisitNothing) {
  const TensorView a = View({3, 0, 2}, {0, 2, 1});
  const auto walk = Walk<2>::Make({&a, &a});
  EXPECT_EQ(walk.count, 0);
}

}  // namespace
}  // namespace aclimb
