// Pieces of the kernels that multiply pairs of bfloat16 (dot_kernels.cc,
// direct_pairs.cc), in instructions that Highway does not have. For files that compile for x86
// alone; what is here is compiled for AVX-512 with AVX512_BF16 function by function, since whole
// files would leave these instructions in inline functions that processors without them share.
#pragma once

// gcc 12 takes the undefined operands in its own header for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <cstdint>

#include "aclimb/core/half.h"

#define ACLIMB_PAIRS __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))

namespace aclimb::convolution_backward {
namespace {

inline constexpr int64_t kPairLanes = 16;  // float32, or pairs, of a vector

// A mask of the first `count` of 32.
inline uint32_t First(int64_t count) {
  return count >= 32 ? ~0u : count <= 0 ? 0 : (1u << count) - 1;
}

ACLIMB_PAIRS inline __m512i Load(const BFloat16* from, uint32_t mask) {
  return _mm512_maskz_loadu_epi16(mask, from);
}

// rows[i][j] = rows[j][i], of 32 bits.
ACLIMB_PAIRS inline void Transpose(__m512i (&rows)[kPairLanes]) {
  __m512i mixed[kPairLanes];
  for (int i = 0; i < 8; ++i) {
    mixed[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
    mixed[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
  }
  for (int i = 0; i < 4; ++i) {
    rows[4 * i] = _mm512_unpacklo_epi64(mixed[4 * i], mixed[4 * i + 2]);
    rows[4 * i + 1] = _mm512_unpackhi_epi64(mixed[4 * i], mixed[4 * i + 2]);
    rows[4 * i + 2] = _mm512_unpacklo_epi64(mixed[4 * i + 1], mixed[4 * i + 3]);
    rows[4 * i + 3] = _mm512_unpackhi_epi64(mixed[4 * i + 1], mixed[4 * i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    mixed[i] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0x88);
    mixed[i + 4] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0xdd);
    mixed[i + 8] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0x88);
    mixed[i + 12] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0xdd);
  }
  for (int i = 0; i < 8; ++i) {
    rows[i] = _mm512_shuffle_i32x4(mixed[i], mixed[i + 8], 0x88);
    rows[i + 8] = _mm512_shuffle_i32x4(mixed[i], mixed[i + 8], 0xdd);
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
