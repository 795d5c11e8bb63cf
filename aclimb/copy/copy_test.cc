#include "aclimb/copy/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "aclimb/copy/stream.h"
#include "aclimb/copy/test_view.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::copy {
namespace {

using aclimb::testing::kStorageDTypes;
using aclimb::testing::Random;
using aclimb::testing::TestView;

void ExpectCopied(const TestView& from, const TestView& to) {
  ASSERT_TRUE(Copy(from.view(), to.view()));
  for (int64_t i = 0; i < to.count(); ++i) {
    ASSERT_EQ(to.Read(i), testing::AsElement(to.view().dtype, from.Read(i)))
        << NameOf(from.view().dtype) << " to " << NameOf(to.view().dtype) << " at " << i;
  }
  ASSERT_TRUE(to.SurroundingsIntact());
}

TEST(Copy, EveryPairOfDTypesTransposedAndNot) {
  EachTarget([] {
    Random random(1);
    for (const DType from : kStorageDTypes) {
      for (const DType to : kStorageDTypes) {
        for (const std::vector<int>& order : {std::vector<int>{0, 1, 2}, {0, 2, 1}, {2, 1, 0}}) {
          TestView source(from, {2, 70, 133}, order);
          source.FillWhole(random);
          ExpectCopied(source, TestView(to, {2, 70, 133}));
        }
      }
    }
  });
}

TEST(Copy, RandomViews) {
  Random random(2);
  const int64_t extents[] = {1, 1, 2, 3, 4, 5, 17, 40};
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> shape;
    const auto rank = static_cast<size_t>(random.Integer(0, 4));
    while (shape.size() < rank) shape.push_back(extents[random.Integer(0, 7)]);
    const DType from = kStorageDTypes[random.Integer(0, 9)];
    const DType to = random.Chance(0.4) ? from : kStorageDTypes[random.Integer(0, 9)];
    const auto repeated = random.Chance(0.3) ? static_cast<unsigned>(random.Integer(0, 15)) : 0u;
    TestView source(from, shape, testing::AnyOrder(random, rank), random.Integer(0, 1), repeated);
    source.FillWhole(random);
    TestView target(to, shape, testing::AnyOrder(random, rank), random.Integer(0, 1));
    SetTeamSize(static_cast<int>(random.Integer(1, 3)));
    ExpectCopied(source, target);
    if (HasFatalFailure()) break;
  }
  SetTeamSize(0);
}

// Rows whose elements are equal, or next to each other, or 2 or 3 apart, from and to such rows.
TEST(Copy, ShortRows) {
  Random random(4);
  for (const DType dtype : {DType::kUInt8, DType::kInt16, DType::kFloat32, DType::kInt64}) {
    for (const int64_t length : {2, 3, 4, 7, 31, 70}) {
      const std::vector<int64_t> shape = {50, 3, length, 1};
      for (int64_t gap = 0; gap <= 2; ++gap) {
        for (const unsigned repeated : {0u, 4u}) {
          TestView source(dtype, shape, {0, 1, 2, 3}, gap, repeated);
          source.FillWhole(random);
          ExpectCopied(source, TestView(dtype, shape));
          ExpectCopied(source, TestView(dtype, shape, {0, 1, 2, 3}, 1));
          ExpectCopied(source, TestView(dtype, shape, {1, 0, 2, 3}, 2));
        }
      }
    }
  }
}

// Several pieces for a team, the bits of NaN payloads among them.
TEST(Copy, EqualDTypesAreCopiedBitByBit) {
  Random random(3);
  for (const DType dtype : kStorageDTypes) {
    for (const std::vector<int>& order : {std::vector<int>{0, 1}, {1, 0}}) {
      TestView source(dtype, {400, 700}, order), target(dtype, {400, 700});
      const auto size = SizeOf(dtype);
      for (int64_t i = 0; i < source.count(); ++i) {
        const uint64_t bits = random.Next();
        std::memcpy(source.At(i), &bits, size);
      }
      SetTeamSize(3);
      ASSERT_TRUE(Copy(source.view(), target.view()));
      for (int64_t i = 0; i < source.count(); ++i) {
        ASSERT_EQ(std::memcmp(source.At(i), target.At(i), size), 0) << NameOf(dtype) << ' ' << i;
      }
    }
  }
  SetTeamSize(0);
}

// Around the caches, from and to odd addresses; nothing before or behind is written.
TEST(Copy, LargerThanCaches) {
  const int64_t count = CacheShareBytes() + 12'345;
  std::vector<char> from(static_cast<size_t>(count) + 2, 1), to(static_cast<size_t>(count) + 2, 2);
  for (int64_t i = 0; i < count; i += 977) from[static_cast<size_t>(i)] = static_cast<char>(i);
  TensorView source{.data = from.data() + 1, .dtype = DType::kUInt8, .rank = 1};
  TensorView target{.data = to.data() + 1, .dtype = DType::kUInt8, .rank = 1};
  source.shape[0] = target.shape[0] = count;
  source.stride[0] = target.stride[0] = 1;
  ASSERT_TRUE(Copy(source, target));
  EXPECT_EQ(std::memcmp(source.data, target.data, static_cast<size_t>(count)), 0);
  EXPECT_EQ(to.front() + to.back(), 4);
  // One element everywhere, converted.
  int32_t element = 0x107;
  source = {.data = &element, .dtype = DType::kInt32, .rank = 1};
  source.shape[0] = count;
  ASSERT_TRUE(Copy(source, target));
  EXPECT_EQ(std::count(to.begin() + 1, to.end() - 1, 7), count);
  EXPECT_EQ(to.front() + to.back(), 4);
}

// Half types, which stream, and what lies an odd number of bytes behind an element's place.
TEST(Copy, ConvertedLargerThanCaches) {
  const int64_t count = CacheShareBytes() / 4 + 12'345;
  std::vector<float> floats(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    floats[static_cast<size_t>(i)] = static_cast<float>(i % 9973) / 7 - 300;
  }
  for (const int64_t offset : {2, 3}) {
    std::vector<char> to(static_cast<size_t>(count) * 2 + 8, 3);
    TensorView source{.data = floats.data(), .dtype = DType::kFloat32, .rank = 1};
    TensorView target{.data = to.data() + offset, .dtype = DType::kBFloat16, .rank = 1};
    source.shape[0] = target.shape[0] = count;
    source.stride[0] = target.stride[0] = 1;
    ASSERT_TRUE(Copy(source, target));
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; ++i) {
      BFloat16 got;
      std::memcpy(&got, to.data() + offset + 2 * i, sizeof(got));
      if (got.bits != ToBFloat16(floats[static_cast<size_t>(i)]).bits) ++wrong;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(std::count(to.begin(), to.begin() + offset, 3), offset);
    EXPECT_EQ(std::count(to.end() - 8 + offset, to.end(), 3), 8 - offset);
  }
}

// Few of every length and many, from and to any address; nothing before or behind is written.
TEST(Copy, Bytes) {
  std::vector<int64_t> lengths(261);
  std::iota(lengths.begin(), lengths.end(), 0);
  lengths.insert(lengths.end(), {399, 2048, 2113, 70'001});
  EachTarget([&lengths] {
    const RowCopier copier(false);
    for (const int64_t bytes : lengths) {
      for (int odd = 0; odd < 4; ++odd) {
        std::vector<char> from(static_cast<size_t>(bytes) + 4), to(from.size(), 9);
        for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(10 + i * 7919 % 113);
        copier.Copy(from.data() + 3 - odd, bytes, to.data() + odd);
        ASSERT_EQ(std::memcmp(from.data() + 3 - odd, to.data() + odd, static_cast<size_t>(bytes)),
                  0)
            << bytes;
        ASSERT_EQ(std::count(to.begin(), to.end(), 9), 4) << bytes;
      }
    }
  });
}

// Of every short length and some long ones; nothing between them is written.
TEST(Copy, Rows) {
  EachTarget([] {
    constexpr int64_t kRows = 3, kStep = 900;
    std::vector<char> from(kRows * kStep);
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(10 + i * 7919 % 113);
    for (int64_t bytes = 1; bytes < 800; bytes += bytes < 270 ? 1 : 61) {
      std::vector<char> to(from.size(), 9);
      RowCopier(false).CopyRows(from.data() + 1, kStep - 5, bytes, kRows, to.data() + 3, kStep - 7);
      for (int64_t r = 0; r < kRows; ++r) {
        ASSERT_EQ(std::memcmp(from.data() + 1 + r * (kStep - 5), to.data() + 3 + r * (kStep - 7),
                              static_cast<size_t>(bytes)),
                  0)
            << bytes;
      }
      ASSERT_EQ(std::count(to.begin(), to.end(), 9), kRows * (kStep - bytes)) << bytes;
    }
  });
}

template <typename T>
void ExpectRowsGathered() {
  constexpr int64_t kRows = 3, kMost = 40, kFirst = 3 * kMost;
  std::vector<T> from(2 * kFirst + 2 * kRows);
  std::iota(from.begin(), from.end(), T{10});
  for (const int64_t stride : {-3, -1, 0, 1, 2}) {
    for (int64_t count = 1; count <= kMost; ++count) {
      std::vector<T> to(kRows * (kMost + 1), T{9});
      GatherRows(sizeof(T), from.data() + kFirst, stride, count, kRows, {2, kMost + 1}, to.data());
      for (int64_t r = 0; r < kRows; ++r) {
        for (int64_t i = 0; i <= kMost; ++i) {
          const T expected =
              i < count ? from[static_cast<size_t>(kFirst + 2 * r + i * stride)] : T{9};
          ASSERT_EQ(to[static_cast<size_t>(r * (kMost + 1) + i)], expected)
              << count << " of stride " << stride;
        }
      }
    }
  }
}

TEST(Copy, GathersRows) {
  ExpectRowsGathered<uint8_t>();
  ExpectRowsGathered<uint16_t>();
  ExpectRowsGathered<uint32_t>();
  ExpectRowsGathered<uint64_t>();
}

// At any address; nothing before or behind is written.
TEST(Copy, RepeatsAPattern) {
  EachTarget([] {
    for (const int64_t element : {1, 2, 4, 8}) {
      char pattern[kPatternBytes];
      for (int64_t i = 0; i < kPatternBytes; ++i) pattern[i] = static_cast<char>(1 + i % element);
      for (const int64_t bytes : {element, 56 * element, 131 * element}) {
        for (int odd = 0; odd < 4; ++odd) {
          std::vector<char> to(static_cast<size_t>(bytes) + 4, 9);
          RepeatBytes(pattern, bytes, to.data() + odd, odd % 2 == 1);
          for (int64_t i = 0; i < bytes; ++i) {
            ASSERT_EQ(to[static_cast<size_t>(odd + i)], 1 + i % element) << i;
          }
          EXPECT_EQ(std::count(to.begin(), to.end(), 9), 4);
        }
      }
    }
  });
}

TEST(Copy, EmptyViewsAndCancelledRuns) {
  EXPECT_TRUE(Copy(TestView(DType::kInt8, {0, 3}).view(), TestView(DType::kBool, {0, 3}).view()));
  SetCancelQuery([] { return 1; });
  const TestView from(DType::kFloat32, {9}), to(DType::kFloat32, {9});
  EXPECT_FALSE(Copy(from.view(), to.view()));
  SetCancelQuery(nullptr);
}

}  // namespace
}  // namespace aclimb::copy
