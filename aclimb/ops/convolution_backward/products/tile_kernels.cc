#include "aclimb/ops/convolution_backward/products/tile_kernels.h"

#if defined(__x86_64__)

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/pairs.h"

#define ACLIMB_TILES \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16")))

namespace aclimb::convolution_backward::tiles {
namespace {

constexpr int64_t kLanes = 16;        // float32 of a vector, rows and columns of a tile
constexpr int64_t kTile = kStep / 2;  // elements of a tile of an operand

// Palette 1: eight tiles of 16 rows of 64 bytes.
struct Configuration {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
// In memory at all times: compilers do not know that the instruction reads it.
alignas(64) constexpr Configuration kConfiguration;

ACLIMB_TILES void Configure() { _tile_loadconfig(&kConfiguration); }

ACLIMB_TILES void Release() { _tile_release(); }

}  // namespace

bool Permitted() {
  // Linux lets a process use tile data once it has asked for it.
  constexpr int kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  static const bool permitted = syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
  return permitted;
}

Session::Session() { Configure(); }
Session::~Session() { Release(); }

ACLIMB_TILES void PackLeft(const BFloat16* from, int64_t stride, int64_t rows, int64_t depth,
                           BFloat16* panel) {
  for (int64_t r = 0; r < kSide; ++r) {
    BFloat16* to = panel + r * kSide;
    const BFloat16* const row = from + r * stride;
    for (int64_t k = 0; k < depth; k += kSide, to += kStep) {
      _mm512_store_si512(to, r < rows ? Load(row + k, First(depth - k)) : _mm512_setzero_si512());
    }
  }
}

ACLIMB_TILES void PackLeftTransposed(const BFloat16* from, int64_t stride, int64_t rows,
                                     int64_t depth, BFloat16* panel) {
  const uint32_t mask = First(rows);
  for (int64_t k = 0; k < depth; k += kSide, panel += kStep) {
    for (int64_t half = 0; half < 2; ++half) {
      const auto some = static_cast<__mmask16>(mask >> (half * kLanes));
      __m512i pairs[kLanes];
      for (int64_t i = 0; i < kLanes; ++i) {
        pairs[i] = k + 2 * i < depth ? LoadPairs(from + (k + 2 * i) * stride + half * kLanes,
                                                 stride, k + 2 * i + 1 < depth, some)
                                     : _mm512_setzero_si512();
      }
      Transpose(pairs);
      for (int64_t i = 0; i < kLanes; ++i) {
        _mm512_store_si512(panel + half * kTile + i * kSide, pairs[i]);
      }
    }
  }
}

ACLIMB_TILES void PackRight(const BFloat16* from, int64_t stride, int64_t columns, int64_t depth,
                            BFloat16* panel) {
  const uint32_t mask = First(columns);
  for (int64_t k = 0; k < RoundUp(depth, kSide); k += 2) {
    const BFloat16* const row = from + k * stride;
    const __m512i even = k < depth ? Load(row, mask) : _mm512_setzero_si512();
    const __m512i odd = k + 1 < depth ? Load(row + stride, mask) : _mm512_setzero_si512();
    BFloat16* const to = panel + k / kSide * kStep + k % kSide / 2 * kSide;
    _mm512_store_si512(to, _mm512_unpacklo_epi16(even, odd));
    _mm512_store_si512(to + kTile, _mm512_unpackhi_epi16(even, odd));
  }
}

ACLIMB_TILES void PackRightTransposed(const BFloat16* from, int64_t stride, int64_t columns,
                                      int64_t depth, BFloat16* panel) {
  for (int64_t k = 0; k < depth; k += kSide, panel += kStep) {
    const uint32_t mask = First(depth - k);
    for (int64_t half = 0; half < 2; ++half) {
      __m512i pairs[kLanes];
      for (int64_t i = 0; i < kLanes; ++i) {
        const int64_t column = half * kLanes + i;
        pairs[i] =
            column < columns ? Load(from + column * stride + k, mask) : _mm512_setzero_si512();
      }
      Transpose(pairs);
      for (int64_t i = 0; i < kLanes; ++i) {
        _mm512_store_si512(panel + half * kTile + i * kSide, pairs[i]);
      }
    }
  }
}

// Tiles 0 to 3 are sums: top left, top right, bottom left, bottom right; 4 and 5 the left operand,
// 6 and 7 the right one.
ACLIMB_TILES void Multiply(Left left, const BFloat16* right, int64_t steps, bool add, float* sums) {
  const int64_t left_row = left.stride * static_cast<int64_t>(sizeof(BFloat16));
  const BFloat16* top = left.data;
  constexpr int64_t kRow = kSide * sizeof(float), kOperandRow = kSide * sizeof(BFloat16);
  float* const bottom = sums + kLanes * kSide;
  // Compilers do not know what the instructions read and write.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (add) {
    _tile_loadd(0, sums, kRow);
    _tile_loadd(1, sums + kLanes, kRow);
    _tile_loadd(2, bottom, kRow);
    _tile_loadd(3, bottom + kLanes, kRow);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t s = 0; s < steps; ++s, top += left.step, right += kStep) {
    _tile_loadd(4, top, left_row);
    _tile_loadd(6, right, kOperandRow);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, right + kTile, kOperandRow);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, top + left.half, left_row);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, kRow);
  _tile_stored(1, sums + kLanes, kRow);
  _tile_stored(2, bottom, kRow);
  _tile_stored(3, bottom + kLanes, kRow);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

ACLIMB_TILES void StoreRows(const float* sums, bool zipped, int64_t rows, int64_t columns,
                            BFloat16* to, int64_t stride) {
  const __m512i order = zipped ? _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7)
                               : _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  const uint32_t mask = First(columns);
  for (int64_t r = 0; r < rows; ++r, sums += kSide, to += stride) {
    const __m512bh rounded =
        _mm512_cvtne2ps_pbh(_mm512_load_ps(sums + kLanes), _mm512_load_ps(sums));
    const __m512i ordered = _mm512_permutexvar_epi64(order, (__m512i)rounded);
    _mm512_mask_storeu_epi16(to, mask, ordered);
  }
}

ACLIMB_TILES void StoreColumns(const float* sums, int64_t rows, int64_t columns, BFloat16* to,
                               int64_t stride) {
  for (int64_t r = 0; r < rows; r += kLanes) {
    const auto mask = static_cast<__mmask16>(First(rows - r));
    for (int64_t c = 0; c < columns; c += kLanes) {
      __m512i block[kLanes];
      for (int64_t i = 0; i < kLanes; ++i) {
        block[i] = _mm512_load_si512(sums + (r + i) * kSide + c);
      }
      Transpose(block);
      for (int64_t i = 0; i < std::min(kLanes, columns - c); ++i) {
        const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_castsi512_ps(block[i]));
        _mm256_mask_storeu_epi16(to + (c + i) * stride + r, mask, (__m256i)rounded);
      }
    }
  }
}

}  // namespace aclimb::convolution_backward::tiles

#else
#error "Tiles are instructions of x86."
#endif
