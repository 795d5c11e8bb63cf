#include "aclimb/ops/convolution_backward/products/dot_kernels.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "aclimb/core/cpu_target.h"
#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/pairs.h"

namespace aclimb::convolution_backward::vectors::dots {
namespace {

// A mask of the first `count` of 16.
__mmask16 Some(int64_t count) { return static_cast<__mmask16>(First(std::min(count, kLanes))); }

// The 16 pairs of each of up to 16 rows, from the first of `depth` scalars on, by columns.
ACLIMB_PAIRS inline void LoadTransposed(const BFloat16* from, int64_t stride, int64_t rows,
                                        int64_t depth, __m512i (&pairs)[kLanes]) {
  const uint32_t mask = First(depth);
  for (int64_t i = 0; i < kLanes; ++i) {
    pairs[i] = i < rows ? Load(from + i * stride, mask) : _mm512_setzero_si512();
  }
  Transpose(pairs);
}

// sum += row * panel
template <int kVectors>
ACLIMB_PAIRS inline void AddProducts(const char* const (&row)[kRows], const float* panel,
                                     int64_t depth, __m512 (&sum)[kRows][kVectors]) {
  for (int64_t k = 0; k < depth; ++k, panel += kVectors * kLanes) {
    __m512bh columns[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      columns[v] = (__m512bh)_mm512_load_ps(panel + v * kLanes);
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r) {
      int32_t pair;
      std::memcpy(&pair, row[r] + k * 4, sizeof(pair));
      const auto value = (__m512bh)_mm512_set1_epi32(pair);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        sum[r][v] = _mm512_dpbf16_ps(sum[r][v], value, columns[v]);
      }
    }
  }
}

template <int kVectors>
ACLIMB_PAIRS inline void Clear(__m512 (&sum)[kRows][kVectors]) {
#pragma GCC unroll 8
  for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) sum[r][v] = _mm512_setzero_ps();
  }
}

template <int kVectors>
ACLIMB_PAIRS inline void StoreRow(const __m512 (&sum)[kVectors], bool add, float* to) {
#pragma GCC unroll 3
  for (int v = 0; v < kVectors; ++v) {
    float* const at = to + v * kLanes;
    _mm512_storeu_ps(at, add ? _mm512_add_ps(sum[v], _mm512_loadu_ps(at)) : sum[v]);
  }
}

template <int kVectors>
ACLIMB_PAIRS void SumBlock(const float* left, const Segment* segments, int64_t count,
                           const float* right, bool add, float* sums, int64_t stride,
                           const int32_t* to, int64_t rows) {
  __m512 sum[kRows][kVectors];
  Clear(sum);
  // The sums so far come from a far cache while this part of them is computed.
  for (int64_t r = 0; add && r < rows; ++r) {
    const float* const at = sums + to[r] * stride;
    __builtin_prefetch(at);
    __builtin_prefetch(at + kVectors * kLanes - 1);
  }
  for (int64_t s = 0; s < count; ++s) {
    const char* row[kRows];
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r) {
      row[r] = reinterpret_cast<const char*>(left + segments[s].left[r]);
    }
    AddProducts<kVectors>(row, right + segments[s].right * kVectors * kLanes, segments[s].depth,
                          sum);
  }
#pragma GCC unroll 8
  for (int64_t r = 0; r < kRows; ++r) {
    if (r < rows) StoreRow<kVectors>(sum[r], add, sums + to[r] * stride);
  }
}

}  // namespace

bool IsSupported() {
  static const bool supported =
      MostCpuTarget() >= CpuTarget::kAvx512BFloat16 && __builtin_cpu_supports("avx512bf16") != 0;
  return supported;
}

ACLIMB_PAIRS void PackRightTransposed(const BFloat16* from, int64_t stride, int64_t columns,
                                      int64_t depth, float* panel, int64_t width) {
  for (int64_t c = 0; c < columns; c += kLanes) {
    const __mmask16 mask = Some(columns - c);
    for (int64_t k = 0; k < depth; k += 2 * kLanes) {
      __m512i pairs[kLanes];
      LoadTransposed(from + c * stride + k, stride, columns - c, depth - k, pairs);
      for (int64_t i = 0; i < std::min(kLanes, CeilDivide(depth - k, int64_t{2})); ++i) {
        _mm512_mask_storeu_ps(panel + (k / 2 + i) * width + c, mask, (__m512)pairs[i]);
      }
    }
  }
}

ACLIMB_PAIRS void PackPieces(const BFloat16* from, int64_t stride, int64_t step, int64_t rows,
                             const Piece* pieces, int64_t count, float* to, int64_t to_stride) {
  for (int64_t p = 0; p < count; ++p) {
    const int64_t before = pieces[p].before, end = before + pieces[p].count;
    const int64_t length = end + pieces[p].after;
    const BFloat16* const first = from + pieces[p].from - before * step;
    BFloat16* const place = reinterpret_cast<BFloat16*>(to) + pieces[p].to;
    const int64_t width = step == 1 ? 2 * kLanes : kLanes;
    for (int64_t i = 0; i < length; i += width) {
      const BFloat16* row = first + i * step;
      BFloat16* at = place + i;
      const uint32_t inside = First(end - i) & ~First(before - i), all = First(length - i);
      if (step == 1) {
        for (int64_t r = 0; r < rows; ++r, row += stride, at += 2 * to_stride) {
          _mm512_mask_storeu_epi16(at, all, Load(row, inside));
        }
      } else if (step == 2) {
        // Only the even ones: there may be none behind the last.
        const uint32_t even = First(2 * (end - i)) & ~First(2 * (before - i)) & 0x55555555u;
        for (int64_t r = 0; r < rows; ++r, row += stride, at += 2 * to_stride) {
          _mm256_mask_storeu_epi16(at, static_cast<__mmask16>(all),
                                   _mm512_cvtepi32_epi16(Load(row, even)));
        }
      } else {
        for (int64_t r = 0; r < rows; ++r, row += stride, at += 2 * to_stride) {
          for (int64_t k = i; k < std::min(i + width, length); ++k) {
            at[k - i] = k >= before && k < end ? row[(k - i) * step] : BFloat16();
          }
        }
      }
    }
  }
}

ACLIMB_PAIRS void StoreRows(const float* sums, int64_t sums_stride, int64_t rows, int64_t columns,
                            BFloat16* to, int64_t stride) {
  for (int64_t r = 0; r < rows; ++r, sums += sums_stride, to += stride) {
    for (int64_t c = 0; c < columns; c += kLanes) {
      const __mmask16 mask = Some(columns - c);
      _mm256_mask_storeu_epi16(to + c, mask,
                               (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(mask, sums + c)));
    }
  }
}

void MultiplySegments(const float* left, const Segment* segments, int64_t count, const float* right,
                      int64_t vectors, bool add, float* sums, int64_t stride, const int32_t* to,
                      int64_t rows) {
  using Function = void (*)(const float*, const Segment*, int64_t, const float*, bool, float*,
                            int64_t, const int32_t*, int64_t);
  constexpr Function kFunctions[kMostVectors] = {SumBlock<1>, SumBlock<2>, SumBlock<3>};
  kFunctions[vectors - 1](left, segments, count, right, add, sums, stride, to, rows);
}

}  // namespace aclimb::convolution_backward::vectors::dots

#else

// Other processors: nobody calls the rest.
namespace aclimb::convolution_backward::vectors::dots {

bool IsSupported() { return false; }

void PackRightTransposed(const BFloat16*, int64_t, int64_t, int64_t, float*, int64_t) {}
void PackPieces(const BFloat16*, int64_t, int64_t, int64_t, const Piece*, int64_t, float*,
                int64_t) {}
void StoreRows(const float*, int64_t, int64_t, int64_t, BFloat16*, int64_t) {}
void MultiplySegments(const float*, const Segment*, int64_t, const float*, int64_t, bool, float*,
                      int64_t, const int32_t*, int64_t) {}

}  // namespace aclimb::convolution_backward::vectors::dots

#endif
