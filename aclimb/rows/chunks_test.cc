#include "aclimb/rows/chunks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "aclimb/core/half.h"

namespace aclimb::rows {
namespace {

constexpr int64_t kCount = 1000;
// More elements than any cache holds.
constexpr int64_t kVast = int64_t{1} << 50;

std::vector<float> Numbers() {
  std::vector<float> numbers;
  // As every dtype has them.
  for (int64_t i = 0; i < kCount; ++i) numbers.push_back(static_cast<float>(i % 200 - 100) / 4);
  return numbers;
}

struct Memory {
  alignas(64) char bytes[kCount * 4 + 64];
};

void Fill(DType dtype, Memory& memory) {
  const std::vector<float> numbers = Numbers();
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint16_t half =
        dtype == DType::kFloat16 ? ToFloat16(numbers[i]).bits : ToBFloat16(numbers[i]).bits;
    if (dtype == DType::kFloat32) {
      std::memcpy(memory.bytes + 4 * i, &numbers[i], 4);
    } else {
      std::memcpy(memory.bytes + 2 * i, &half, 2);
    }
  }
}

TEST(Chunks, AreReadAsFloat32) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    Memory memory;
    Fill(dtype, memory);
    const Reader reader(memory.bytes, dtype);
    float buffer[kCount];
    const float* const got = reader.Load(3, 100, buffer);
    EXPECT_EQ(got == buffer, dtype != DType::kFloat32);
    const std::vector<float> expected = Numbers();
    for (size_t i = 0; i < 100; ++i) EXPECT_EQ(got[i], expected[i + 3]);
    reader.Prefetch(kCount, 1'000'000);  // past the end
  }
}

TEST(Chunks, AreWrittenInPlaceThroughABufferOrAroundTheCaches) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    Memory expected;
    Fill(dtype, expected);
    const auto size = static_cast<int64_t>(SizeOf(dtype));
    for (const bool vast : {false, true}) {
      for (const int64_t run : {32, 31}) {
        Memory memory;
        std::memset(memory.bytes, 0x5A, sizeof(memory.bytes));
        const Writer writer(memory.bytes, dtype, vast ? kVast : kCount, run);
        float buffer[kCount];
        float* const place = writer.Place(320, buffer);
        // Runs that are no whole lines are not streamed.
        EXPECT_EQ(place == buffer, dtype != DType::kFloat32 || (vast && run == 32));
        const std::vector<float> numbers = Numbers();
        std::copy_n(numbers.begin() + 320, 320, place);
        writer.Store(place, 320, 320);
        writer.Flush();
        EXPECT_EQ(std::memcmp(memory.bytes + 320 * size, expected.bytes + 320 * size,
                              static_cast<size_t>(320 * size)),
                  0);
        EXPECT_EQ(memory.bytes[320 * size - 1], 0x5A);
        EXPECT_EQ(memory.bytes[640 * size], 0x5A);
      }
    }
  }
}

TEST(Chunks, PiecesCoverAll) {
  int64_t next = 0;
  InPieces(2 * kPiece + 7, [&](int64_t at, int64_t n) {
    EXPECT_EQ(at, next);
    EXPECT_LE(n, kPiece);
    next += n;
  });
  EXPECT_EQ(next, 2 * kPiece + 7);
}

}  // namespace
}  // namespace aclimb::rows
