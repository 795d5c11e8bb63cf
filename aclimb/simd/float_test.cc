// Every instruction set reads and writes half types exactly as core/half.h says.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/simd/float_test.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {

template <typename T>
void Read(const void* from, int64_t stride, int64_t count, float* to) {
  GatherF32(static_cast<const T*>(from), stride, count, to);
}
template <typename T>
void Write(const float* from, int64_t count, void* to, int64_t stride) {
  ScatterF32(from, count, static_cast<T*>(to), stride);
}
void DoublesToFloats(const double* from, int64_t count, float* to) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i + lanes <= count; i += lanes) {
    StoreAs(d, LoadAs(d, from + i), false, to + i);
  }
}
void ReadFloat16(const void* from, int64_t stride, int64_t count, float* to) {
  Read<Float16>(from, stride, count, to);
}
void ReadBFloat16(const void* from, int64_t stride, int64_t count, float* to) {
  Read<BFloat16>(from, stride, count, to);
}
void WriteFloat16(const float* from, int64_t count, void* to, int64_t stride) {
  Write<Float16>(from, count, to, stride);
}
void WriteBFloat16(const float* from, int64_t count, void* to, int64_t stride) {
  Write<BFloat16>(from, count, to, stride);
}
// Writes two vectors at a time, one after the other and in turns; returns the lanes of a vector.
int64_t WriteTwoVectors(const float* from, int64_t count, BFloat16* whole, BFloat16* turns) {
#if HWY_TARGET == HWY_SCALAR
  Write<BFloat16>(from, count, whole, 1);
  Write<BFloat16>(from, count, turns, 1);
  return 1;
#else
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < count; i += 2 * lanes) {
    const auto first = hn::LoadU(d, from + i), second = hn::LoadU(d, from + i + lanes);
    StoreTwo<false>(d, first, second, whole + i);
    StorePairs<false>(d, first, second, turns + i);
  }
  return lanes;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "aclimb/simd/each_target.h"

namespace aclimb {
namespace {

HWY_EXPORT(ReadFloat16);
HWY_EXPORT(ReadBFloat16);
HWY_EXPORT(WriteFloat16);
HWY_EXPORT(WriteBFloat16);
HWY_EXPORT(DoublesToFloats);
HWY_EXPORT(WriteTwoVectors);

template <typename T>
void ExpectReads(void (*read)(const void*, int64_t, int64_t, float*)) {
  std::vector<T> halves(65536);
  for (uint32_t i = 0; i < 65536; ++i) halves[i].bits = static_cast<uint16_t>(i);
  for (int64_t stride : {1, 3}) {
    const int64_t count = 65536 / stride;
    std::vector<float> floats(static_cast<size_t>(count), -7.0f);
    read(halves.data(), stride, count, floats.data());
    for (int64_t i = 0; i < count; ++i) {
      const float expected = ToFloat(halves[static_cast<size_t>(i * stride)]);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(floats[static_cast<size_t>(i)])) << i;
      } else {
        ASSERT_EQ(BitsOf(floats[static_cast<size_t>(i)]), BitsOf(expected)) << i;
      }
    }
  }
}

// Every half value, every tie between neighbours and the floats beside the ties.
std::vector<float> HardFloats() {
  std::vector<float> floats;
  for (uint32_t i = 0; i < 65536; ++i) {
    for (uint32_t low : {0u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu, 0x1000u, 0x0FFFu, 0x1001u}) {
      floats.push_back(FloatOfBits((i << 16) | low));
    }
    const float half = ToFloat(Float16{static_cast<uint16_t>(i)});
    const float next = ToFloat(Float16{static_cast<uint16_t>(i + 1)});
    floats.push_back(half);
    floats.push_back((half + next) / 2);
  }
  return floats;
}

template <typename T>
void ExpectWrites(void (*write)(const float*, int64_t, void*, int64_t)) {
  const std::vector<float> floats = HardFloats();
  for (int64_t stride : {1, 2}) {
    const int64_t count = static_cast<int64_t>(floats.size()) - 3;
    std::vector<T> halves(floats.size() * static_cast<size_t>(stride), T{0xBEEF});
    write(floats.data(), count, halves.data(), stride);
    for (int64_t i = 0; i < count; ++i) {
      const float value = floats[static_cast<size_t>(i)];
      const T got = halves[static_cast<size_t>(i * stride)];
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(ToFloat(got))) << BitsOf(value);
      } else {
        ASSERT_EQ(got.bits, FromFloat<T>(value).bits) << value << ' ' << BitsOf(value);
      }
    }
    EXPECT_EQ(halves.back().bits, 0xBEEF);
  }
}

TEST(FloatInl, EveryTargetReadsAndWritesHalves) {
  EachTarget([] {
    ExpectReads<Float16>(HWY_DYNAMIC_DISPATCH(ReadFloat16));
    ExpectReads<BFloat16>(HWY_DYNAMIC_DISPATCH(ReadBFloat16));
    ExpectWrites<Float16>(HWY_DYNAMIC_DISPATCH(WriteFloat16));
    ExpectWrites<BFloat16>(HWY_DYNAMIC_DISPATCH(WriteBFloat16));
  });
}

TEST(FloatInl, EveryTargetWritesTwoVectorsOfBFloat16) {
  const std::vector<float> floats = HardFloats();
  const auto count = static_cast<int64_t>(floats.size());
  ASSERT_EQ(count % 64, 0);
  EachTarget([&] {
    std::vector<BFloat16> whole(floats.size()), turns(floats.size());
    const int64_t lanes =
        HWY_DYNAMIC_DISPATCH(WriteTwoVectors)(floats.data(), count, whole.data(), turns.data());
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t in_two = i % (2 * lanes);
      const int64_t turn = i - in_two + in_two % lanes * 2 + in_two / lanes;
      ASSERT_EQ(whole[at].bits, ToBFloat16(floats[at]).bits) << BitsOf(floats[at]);
      ASSERT_EQ(turns[static_cast<size_t>(turn)].bits, whole[at].bits) << BitsOf(floats[at]);
    }
  });
}

TEST(FloatInl, EveryTargetRoundsDoublesAsTheCompilerDoes) {
  EachTarget([] {
    const double infinity = HUGE_VAL, nan = std::nan("");
    const std::vector<double> from = {
        1.1,     -0.0, 1e-45, 1e-50,     3.4028235e38,   -3.5e38,  infinity, -1e300,
        0x1p128, nan,  1e-39, -infinity, 0x1.ffffffp127, 16777217, 0x1p-126, -1.0000001};
    std::vector<float> got(from.size());
    HWY_DYNAMIC_DISPATCH(DoublesToFloats)
    (from.data(), static_cast<int64_t>(from.size()), got.data());
    for (size_t i = 0; i < from.size(); ++i) {
      const auto want = static_cast<float>(from[i]);
      EXPECT_TRUE(BitsOf(got[i]) == BitsOf(want) || (std::isnan(got[i]) && std::isnan(want)))
          << from[i] << ": " << got[i];
    }
  });
}

}  // namespace
}  // namespace aclimb
#endif
