#include "aclimb/ops/convolution_backward/direct/direct_blocks.h"

#if defined(__x86_64__)

#include "aclimb/core/half.h"
#include "aclimb/ops/convolution_backward/pairs.h"

namespace aclimb::convolution_backward::pairs {
namespace {

// As Block of direct_taps.cc.
template <int kTile, int kWidth>
ACLIMB_PAIRS inline void Block(const TapsStep& step, int64_t t) {
  __m512 sum[kTile][kWidth];
#pragma GCC unroll 8
  for (int c = 0; c < kTile; ++c) {
#pragma GCC unroll 8
    for (int x = 0; x < kWidth; ++x) {
      sum[c][x] = step.accumulate
                      ? _mm512_loadu_ps(step.out + c * step.out_stride + t + x * kPairLanes)
                      : _mm512_setzero_ps();
    }
  }
  const auto meets_data = [&](int64_t k) {
    const int64_t at = t + step.offsets[k];
    return at < step.data_end && at + kWidth * kPairLanes > step.data_begin;
  };
  int64_t first = 0, last = step.taps;
  while (first < last && !meets_data(first)) ++first;
  while (first < last && !meets_data(last - 1)) --last;
  for (int64_t s = 0; s < step.sources; ++s) {
    const float* source = step.source + s * step.source_stride + t;
    const float* weights = step.weights + (s * step.source_taps + first) * kTile;
    for (int64_t k = first; k < last; ++k, weights += kTile) {
      const float* at = source + step.offsets[k];
      __m512bh values[kWidth];
#pragma GCC unroll 8
      for (int x = 0; x < kWidth; ++x) {
        values[x] = (__m512bh)_mm512_loadu_ps(at + x * kPairLanes);
      }
#pragma GCC unroll 8
      for (int c = 0; c < kTile; ++c) {
        const auto weight = (__m512bh)_mm512_set1_ps(weights[c]);
#pragma GCC unroll 8
        for (int x = 0; x < kWidth; ++x) {
          sum[c][x] = _mm512_dpbf16_ps(sum[c][x], weight, values[x]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kTile; ++c) {
#pragma GCC unroll 8
    for (int x = 0; x < kWidth; ++x) {
      _mm512_storeu_ps(step.out + c * step.out_stride + t + x * kPairLanes, sum[c][x]);
    }
  }
}

template <int kTile>
ACLIMB_PAIRS void Sweep(const TapsStep& step, int64_t length) {
  constexpr int kWidth = BlockWidth(kTile);
  int64_t t = 0;
  for (; t + (kWidth - 1) * kPairLanes < length; t += kWidth * kPairLanes) {
    step.ahead->Ask();
    Block<kTile, kWidth>(step, t);
  }
  for (; t + (kWidth / 2 - 1) * kPairLanes < length; t += kWidth / 2 * kPairLanes) {
    Block<kTile, kWidth / 2>(step, t);
  }
  for (; t < length; t += kPairLanes) Block<kTile, 1>(step, t);
}

// Of an operand that several products share: GCC would read the memory again for each of a few.
ACLIMB_PAIRS inline __m512bh LoadOnce(const BFloat16* at) {
  __m512i value = _mm512_loadu_si512(at);
  asm("" : "+v"(value));
  return (__m512bh)value;
}

// As Dot of direct_outer.cc.
template <int kRows, int kColumns>
ACLIMB_PAIRS void Dot(const void* const* rows, const void* const* columns, int64_t length,
                      double* sums, int64_t stride) {
  if constexpr (kColumns <= MaxColumns(kRows)) {
    __m512 sum[kRows][kColumns];
    const BFloat16* row[kRows];
    const BFloat16* column[kColumns];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      row[r] = static_cast<const BFloat16*>(rows[r]);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) sum[r][c] = _mm512_setzero_ps();
    }
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) column[c] = static_cast<const BFloat16*>(columns[c]);
    for (int64_t t = 0; t < length; t += 2 * kPairLanes) {
      __m512bh left[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) left[r] = LoadOnce(row[r] + t);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        const __m512bh right = LoadOnce(column[c] + t);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) sum[r][c] = _mm512_dpbf16_ps(sum[r][c], left[r], right);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        sums[r * stride + c] += static_cast<double>(_mm512_reduce_add_ps(sum[r][c]));
      }
    }
  }
}

template <int kRows>
constexpr DotFunction kDotRow[kMaxDotColumns] = {Dot<kRows, 1>, Dot<kRows, 2>, Dot<kRows, 3>,
                                                 Dot<kRows, 4>, Dot<kRows, 5>, Dot<kRows, 6>,
                                                 Dot<kRows, 7>};
constexpr const DotFunction* kDots[kMaxDotRows] = {kDotRow<1>, kDotRow<2>, kDotRow<3>, kDotRow<4>,
                                                   kDotRow<5>};

}  // namespace

void SweepTile(int64_t tile, const TapsStep& step, int64_t length) {
  switch (tile) {
    case 1:
      return Sweep<1>(step, length);
    case 2:
      return Sweep<2>(step, length);
    case 3:
      return Sweep<3>(step, length);
    default:
      return Sweep<4>(step, length);
  }
}

DotFunction DotOf(int64_t rows, int64_t columns) { return kDots[rows - 1][columns - 1]; }

}  // namespace aclimb::convolution_backward::pairs

#else

// Other processors: nobody calls these.
namespace aclimb::convolution_backward::pairs {

void SweepTile(int64_t, const TapsStep&, int64_t) {}
DotFunction DotOf(int64_t, int64_t) { return nullptr; }

}  // namespace aclimb::convolution_backward::pairs

#endif
