#include "aclimb/copy/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "aclimb/copy/cast.h"
#include "aclimb/copy/test_view.h"
#include "aclimb/simd/each_target.h"

namespace aclimb::copy {
namespace {

using aclimb::testing::kMoreStorageDTypes;
using aclimb::testing::kStorageDTypes;
using aclimb::testing::Random;
using aclimb::testing::ReadElement;
using aclimb::testing::WriteElement;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename From, typename To>
std::vector<To> Convert(const std::vector<From>& from) {
  std::vector<To> to(from.size());
  std::memset(static_cast<void*>(to.data()), 0xC3, to.size() * sizeof(To));
  Converter(kStorageDType<From>, kStorageDType<To>)
      .Run(from.data(), static_cast<int64_t>(from.size()), to.data());
  return to;
}

// At every length around a vector's, from every dtype to every one.
TEST(Convert, EveryPairAtEveryLength) {
  EachTarget([] {
    std::vector<DType> all(std::begin(kStorageDTypes), std::end(kStorageDTypes));
    all.insert(all.end(), std::begin(kMoreStorageDTypes), std::end(kMoreStorageDTypes));
    for (const DType from : all) {
      for (const DType to : all) {
        const Converter converter(from, to);
        ASSERT_EQ(converter.Changes(), from != to);
        if (from == to) continue;
        for (int64_t count : {0, 1, 2, 3, 7, 8, 15, 17, 31, 33, 63, 65, 130, 1030}) {
          testing::TestView source(from, {count}), target(to, {count});
          Random random(5);
          source.FillWhole(random);
          converter.Run(source.view().data, count, target.view().data);
          for (int64_t i = 0; i < count; ++i) {
            ASSERT_EQ(target.Read(i), testing::AsElement(to, source.Read(i)))
                << NameOf(from) << " to " << NameOf(to) << " at " << i << " of " << count;
          }
          ASSERT_TRUE(target.SurroundingsIntact()) << NameOf(from) << " to " << NameOf(to);
        }
      }
    }
  });
}

TEST(Convert, StreamingWritesTheSameElementsAtAnyAddress) {
  constexpr int64_t kMost = 300, kGuard = 64;
  EachTarget([] {
    const DType pairs[][2] = {{DType::kFloat32, DType::kBFloat16},
                              {DType::kFloat32, DType::kFloat16},
                              {DType::kBFloat16, DType::kFloat32},
                              {DType::kFloat16, DType::kFloat32},
                              {DType::kInt32, DType::kFloat32}};
    Random random(6);
    alignas(64) unsigned char source[kMost * 4];
    for (unsigned char& byte : source) byte = static_cast<unsigned char>(random.Next());
    for (const auto& [from, to] : pairs) {
      const Converter converter(from, to);
      for (const int64_t count : {0, 1, 5, 31, 32, 64, 67, 299}) {
        const auto size = static_cast<int64_t>(SizeOf(to));
        for (int64_t offset = 0; offset < 64; offset += size) {
          alignas(64) unsigned char want[2 * kGuard + kMost * 4], got[2 * kGuard + kMost * 4];
          std::memset(want, 0xC3, sizeof(want));
          std::memset(got, 0xC3, sizeof(got));
          converter.Run(source, count, want + kGuard + offset);
          converter.Stream(source, count, got + kGuard + offset);
          ASSERT_EQ(std::memcmp(want, got, sizeof(got)), 0)
              << NameOf(from) << " to " << NameOf(to) << ", " << count << " at " << offset;
        }
      }
    }
  });
}

TEST(Convert, FloatsLoseTheirFractionAndWrapInBytes) {
  EachTarget([] {
    const std::vector<float> from = {1.9f, -1.9f, 0.5f, -0.5f, 300.7f, -300.7f};
    EXPECT_EQ((Convert<float, int32_t>(from)), (std::vector<int32_t>{1, -1, 0, 0, 300, -300}));
    EXPECT_EQ((Convert<float, int8_t>(from)), (std::vector<int8_t>{1, -1, 0, 0, 44, -44}));
    EXPECT_EQ((Convert<float, uint8_t>(from)), (std::vector<uint8_t>{1, 255, 0, 0, 44, 212}));
    const std::vector<double> wide(from.begin(), from.end());
    EXPECT_EQ((Convert<double, uint8_t>(wide)), (std::vector<uint8_t>{1, 255, 0, 0, 44, 212}));
    EXPECT_EQ((Convert<double, uint64_t>({0x1p63, 0x1p64 - 2048, -1})),
              (std::vector<uint64_t>{uint64_t{1} << 63, ~uint64_t{0} - 2047, ~uint64_t{0}}));
    EXPECT_EQ((Convert<double, int64_t>({9e15, -9e15, 2147483648.5})),
              (std::vector<int64_t>{9000000000000000, -9000000000000000, 2147483648}));
  });
}

TEST(Convert, WhatAnIntegerCannotHoldIsTheLowestOne) {
  EachTarget([] {
    const float nan = std::nanf(""), inf = HUGE_VALF;
    const auto lowest = std::numeric_limits<int32_t>::min();
    EXPECT_EQ((Convert<float, int32_t>({nan, inf, -inf, 3e9f, -3e9f, -2147483648.0f})),
              (std::vector<int32_t>(6, lowest)));
    EXPECT_EQ((Convert<double, int32_t>({2147483647.9, -2147483648.9})),
              (std::vector<int32_t>{2147483647, lowest}));
    EXPECT_EQ((Convert<float, int64_t>({nan, inf, 1e19f})),
              (std::vector<int64_t>(3, std::numeric_limits<int64_t>::min())));
    EXPECT_EQ((Convert<float, int16_t>({nan, inf})), (std::vector<int16_t>{0, 0}));
  });
}

TEST(Convert, WhatIsNotZeroIsTrueAndAnyByteButZeroIs) {
  EachTarget([] {
    const std::vector<float> from = {0.0f, -0.0f, std::nanf(""), 1e-45f, -3};
    const bool truth[] = {false, false, true, true, true};
    const std::vector<Bool> got = Convert<float, Bool>(from);
    for (size_t i = 0; i < from.size(); ++i) EXPECT_EQ(got[i].byte, truth[i] ? 1 : 0) << i;
    std::vector<Float16> halves;
    for (const float value : from) halves.push_back(ToFloat16(value));
    EXPECT_EQ((Convert<Float16, Bool>(halves)[2].byte), 1);
    EXPECT_EQ((Convert<Bool, int32_t>({{0}, {1}, {2}, {255}})), (std::vector<int32_t>{0, 1, 1, 1}));
  });
}

TEST(Convert, IntegersWrap) {
  EachTarget([] {
    EXPECT_EQ((Convert<int64_t, int32_t>({(int64_t{1} << 32) + 5, -1})),
              (std::vector<int32_t>{5, -1}));
    EXPECT_EQ((Convert<int32_t, int8_t>({200, -200})), (std::vector<int8_t>{-56, 56}));
    EXPECT_EQ((Convert<int8_t, uint8_t>({-1})), (std::vector<uint8_t>{255}));
    EXPECT_EQ((Convert<int32_t, uint64_t>({-1})), (std::vector<uint64_t>{~uint64_t{0}}));
    EXPECT_EQ((Convert<uint64_t, int16_t>({0x12345u})), (std::vector<int16_t>{0x2345}));
  });
}

// The half type's number next to `value`, even if there are two; by looking at all neighbours.
template <typename T>
T Nearest(long double value) {
  const auto guess = FromFloat<T>(static_cast<float>(value)).bits;
  T best{guess};
  const auto distance = [&](uint16_t bits) {
    const float at = ToFloat(T{bits});
    // Past the largest number there would be one more.
    const long double one_more = std::is_same_v<T, Float16> ? 0x1p16L : 0x1p128L;
    const long double stands = std::isinf(at) ? std::copysign(one_more, at) : at;
    return std::fabs(stands - value);
  };
  for (const int step : {-1, 1}) {
    const auto bits = static_cast<uint16_t>(guess + step);
    if (((bits ^ guess) & 0x8000) != 0 || std::isnan(ToFloat(T{bits}))) continue;
    const long double there = distance(bits), here = distance(best.bits);
    if (there < here || (there == here && bits % 2 == 0)) best.bits = bits;
  }
  return best;
}

template <typename From, typename T>
void ExpectRoundedOnce(const std::vector<From>& from) {
  const std::vector<T> got = Convert<From, T>(from);
  for (size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(got[i].bits, Nearest<T>(static_cast<long double>(from[i])).bits)
        << +from[i] << " to " << NameOf(kStorageDType<T>);
  }
}

TEST(Convert, HalfTypesAreRoundedOnceFromWiderOnes) {
  EachTarget([] {
    Random random(9);
    std::vector<double> reals = {0x1.00400001p0,
                                 0x1.010000000001p0,
                                 65519.9999999,
                                 65520,
                                 1e-8,
                                 -1e-300,
                                 0x1.0020000001p-14,
                                 0x1.ff0001p127,
                                 -3e38,
                                 1e39,
                                 -1e300,
                                 9.2e-41,
                                 -1e-40,
                                 0x1.8000001p-133,
                                 0x1p-134,
                                 0x1.fffffffp-127,
                                 -0.0};
    std::vector<int64_t> wide = {0x1010000000000001, 0x101, -0x1010000000000001, 1 << 24,
                                 0x01010001};
    std::vector<int32_t> whole = {0x01010001, 0x01010000, -0x01010001, 65519, 65520, 0x7fffffff};
    for (int i = 0; i < 3000; ++i) {
      // Near the middle between two half numbers: a little more, or less, or none.
      const auto bits = static_cast<uint16_t>(random.Integer(0x3000, 0x4800));
      const double low = static_cast<double>(ToFloat(BFloat16{bits}));
      const double high = static_cast<double>(ToFloat(BFloat16{static_cast<uint16_t>(bits + 1)}));
      const double middle = (low + high) / 2;
      reals.push_back(middle * (1 + static_cast<double>(random.Integer(-1, 1)) * 0x1p-50));
      const int shift = static_cast<int>(random.Integer(0, 45));
      wide.push_back((random.Integer(0x101, 0x1ff) << (shift + 9)) + random.Integer(-1, 1));
      whole.push_back(static_cast<int32_t>(random.Next()));
    }
    std::vector<uint64_t> large;
    for (const int64_t value : wide) large.push_back(static_cast<uint64_t>(value) << 2);
    ExpectRoundedOnce<uint64_t, BFloat16>(large);
    ExpectRoundedOnce<uint32_t, BFloat16>({0x81010001u, 0x81010000u, 0xffffffffu, 65519});
    ExpectRoundedOnce<double, Float16>(reals);
    ExpectRoundedOnce<double, BFloat16>(reals);
    // A vector of doubles without one that is too small for it.
    std::vector<double> normal = {1e39, -1e300, 0x1.ff0001p127, -3e38, kInf, -kInf, 0.0, -0.0};
    for (int i = 0; i < 40; ++i) normal.push_back(std::ldexp(random.Real(1, 2), i - 20));
    ExpectRoundedOnce<double, Float16>(normal);
    ExpectRoundedOnce<double, BFloat16>(normal);
    ExpectRoundedOnce<int64_t, Float16>(wide);
    ExpectRoundedOnce<int64_t, BFloat16>(wide);
    ExpectRoundedOnce<int32_t, Float16>(whole);
    ExpectRoundedOnce<int32_t, BFloat16>(whole);
  });
}

TEST(Convert, SpecialFloatsStay) {
  EachTarget([] {
    for (const DType from : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
      for (const DType to : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
        if (from == to) continue;
        // As many as fill vectors, and some more.
        constexpr int64_t kCount = 35;
        testing::TestView source(from, {kCount}), target(to, {kCount});
        const double values[] = {std::nan(""), kInf, -kInf};
        for (int64_t i = 0; i < kCount; ++i) source.Write(i, values[i % 3]);
        Converter(from, to).Run(source.view().data, kCount, target.view().data);
        for (int64_t i = 0; i < kCount; ++i) {
          const double got = target.Read(i);
          EXPECT_TRUE(i % 3 == 0 ? std::isnan(got) : got == values[i % 3])
              << NameOf(from) << " to " << NameOf(to) << ": " << got << " at " << i;
        }
      }
    }
  });
}

}  // namespace
}  // namespace aclimb::copy
