// Highway 1.0.3 has no targets with bfloat16 products, so these loops name their own.
#include "bench/limits/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ACLIMB_EACH_ROW(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

namespace aclimb::bench {
namespace {

bool HasDots() {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) return false;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & (1u << 5)) != 0;
}

// AMX: a process asks Linux for the registers first.
bool HasTiles() {
  constexpr unsigned kBf16AndTiles = (1u << 22) | (1u << 24);
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // of <asm/prctl.h> since Linux 5.16
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & kBf16AndTiles) != kBf16AndTiles) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// A product of 32 by 32 elements of the result, 32 deep a step: four tiles of sums.
__attribute__((target("amx-tile,amx-bf16"))) float TileLoop(int64_t steps) {
  constexpr int64_t kTile = 16 * 64;  // bytes: 16 rows of 32 bfloat16
  constexpr int64_t kDepth = 4;
  alignas(64) uint16_t panels[kTile * kDepth];    // of two tiles each
  for (uint16_t& value : panels) value = 0x3800;  // not zero, which would take less power
  struct alignas(64) {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};
  } config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = 64;
    config.rows[tile] = 16;
  }
  asm volatile("" : : "r"(&config) : "memory");  // gcc 12 thinks that it reads eight bytes
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t step = 0; step < steps; ++step) {
    const auto* const panel =
        reinterpret_cast<const char*>(panels) + (step & (kDepth - 1)) * 2 * kTile;
    _tile_loadd(4, panel, 64);
    _tile_loadd(5, panel + kTile, 64);
    _tile_loadd(6, panel, 64);
    _tile_loadd(7, panel + kTile, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  alignas(64) float sums[16 * 16];
  _tile_stored(0, sums, 64);
  _tile_release();
  return sums[0];
}

__attribute__((target("avx512f,avx512bw,avx512bf16"))) float DotLoop(int64_t steps) {
  constexpr int64_t kDepth = 128;
  // Each float-sized element is a pair of bfloat16.
  alignas(64) float a[kDepth * 12];
  alignas(64) float b[kDepth * 32];
  for (float& value : a) value = 1e-4f;
  for (float& value : b) value = 1e-4f;
#define ACLIMB_DECLARE(i) __m512 left##i = _mm512_setzero_ps(), right##i = _mm512_setzero_ps();
  ACLIMB_EACH_ROW(ACLIMB_DECLARE)
#undef ACLIMB_DECLARE
  for (int64_t step = 0; step < steps; ++step) {
    const float* const row = a + (step & (kDepth - 1)) * 12;
    const float* const column = b + (step & (kDepth - 1)) * 32;
    const __m512bh b0 = (__m512bh)_mm512_load_ps(column);
    const __m512bh b1 = (__m512bh)_mm512_load_ps(column + 16);
#define ACLIMB_STEP(i)                                       \
  {                                                          \
    const __m512bh value = (__m512bh)_mm512_set1_ps(row[i]); \
    left##i = _mm512_dpbf16_ps(left##i, value, b0);          \
    right##i = _mm512_dpbf16_ps(right##i, value, b1);        \
  }
    ACLIMB_EACH_ROW(ACLIMB_STEP)
#undef ACLIMB_STEP
  }
  __m512 sum = _mm512_setzero_ps();
#define ACLIMB_ADD(i) sum = _mm512_add_ps(sum, _mm512_add_ps(left##i, right##i));
  ACLIMB_EACH_ROW(ACLIMB_ADD)
#undef ACLIMB_ADD
  // gcc 12 warns about its own _mm512_reduce_add_ps.
  alignas(64) float lanes[16];
  _mm512_store_ps(lanes, sum);
  return lanes[0] + lanes[15];
}

}  // namespace

double GemmBf16(int64_t steps) {
  static const bool tiles = HasTiles(), dots = HasDots();
  if (tiles) {
    KeepResult(TileLoop(steps));
    return 2.0 * 32 * 32 * 32 * static_cast<double>(steps);
  }
  if (!dots) return 0;
  KeepResult(DotLoop(steps));
  return 2.0 * 2.0 * 12 * 32 * static_cast<double>(steps);
}

}  // namespace aclimb::bench
#else
namespace aclimb::bench {
double GemmBf16(int64_t) { return 0; }
}  // namespace aclimb::bench
#endif
