#include "tools/check/footprint.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace aclimb::check {
namespace {

constexpr uint64_t kBase = 4096;

// A view and its bytes, one by one.
struct View {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  AclimbAccess access = {};
  std::set<uint64_t> bytes;
};

View RandomView(std::mt19937& random, int most_rank) {
  View view;
  const auto rank = static_cast<size_t>(random() % static_cast<unsigned>(most_rank + 1));
  for (size_t i = 0; i < rank; ++i) {
    view.shape.push_back(1 + random() % 4);
    view.strides.push_back(random() % 12);
  }
  const int element = random() % 2 == 0 ? 1 : 4;
  const uint64_t begin = kBase + random() % 60;
  view.access.address = reinterpret_cast<const void*>(begin);
  view.access.element_bytes = element;
  view.access.rank = static_cast<int32_t>(rank);
  std::vector<uint64_t> starts = {begin};
  for (size_t i = 0; i < rank; ++i) {
    std::vector<uint64_t> more;
    for (const uint64_t start : starts) {
      for (int64_t k = 0; k < view.shape[i]; ++k) {
        more.push_back(start + static_cast<uint64_t>(k * view.strides[i] * element));
      }
    }
    starts = more;
  }
  for (const uint64_t start : starts) {
    for (int b = 0; b < element; ++b) view.bytes.insert(start + static_cast<uint64_t>(b));
  }
  return view;
}

Footprint Of(View& view) {
  view.access.shape = view.shape.data();
  view.access.strides = view.strides.data();
  return FootprintOf(view.access);
}

bool Meet(const View& a, const View& b) {
  for (const uint64_t byte : a.bytes) {
    if (b.bytes.count(byte) != 0) return true;
  }
  return false;
}

TEST(FootprintTest, HullAndOverlapAgreeWithTheBytes) {
  std::mt19937 random(2);
  int decided = 0;
  constexpr int kPairs = 20000;
  for (int i = 0; i < kPairs; ++i) {
    View a = RandomView(random, 3);
    View b = RandomView(random, 3);
    const Footprint first = Of(a);
    const Footprint second = Of(b);
    ASSERT_EQ(first.begin, *a.bytes.begin());
    ASSERT_EQ(first.end(), *a.bytes.rbegin() + 1);
    const Overlap overlap = OverlapOf(first, second);
    ASSERT_EQ(overlap, OverlapOf(second, first));
    if (overlap != Overlap::kUnknown) {
      ++decided;
      ASSERT_EQ(overlap == Overlap::kYes, Meet(a, b)) << i;
    }
    if (Covers(first, second)) {
      for (const uint64_t byte : b.bytes) ASSERT_EQ(a.bytes.count(byte), 1u) << i;
    }
  }
  EXPECT_GT(decided, kPairs * 3 / 4);
}

TEST(FootprintTest, RowsOfCommonFormsAreExact) {
  const void* base = reinterpret_cast<const void*>(kBase);
  // Two halves of the same rows.
  const Footprint left = RowsOf(base, 32, 64, 16);
  const Footprint right = RowsOf(reinterpret_cast<const void*>(kBase + 32), 32, 64, 16);
  EXPECT_EQ(OverlapOf(left, right), Overlap::kNo);
  EXPECT_EQ(OverlapOf(left, RowsOf(reinterpret_cast<const void*>(kBase + 31), 32, 64, 16)),
            Overlap::kYes);
  EXPECT_TRUE(RowsOf(base, 64, 64, 16).dense());
  EXPECT_TRUE(Covers(RowsOf(base, 64, 64, 16), left));
  EXPECT_FALSE(Covers(left, right));
}

TEST(FootprintTest, AViewWithoutElementsMeetsNothing) {
  const int64_t shape[] = {3, 0};
  const int64_t strides[] = {1, 1};
  AclimbAccess access = {};
  access.address = reinterpret_cast<const void*>(kBase);
  access.element_bytes = 4;
  access.rank = 2;
  access.shape = shape;
  access.strides = strides;
  EXPECT_EQ(OverlapOf(FootprintOf(access), RowsOf(access.address, 100, 0, 1)), Overlap::kNo);
}

}  // namespace
}  // namespace aclimb::check
