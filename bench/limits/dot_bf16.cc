// Highway 1.0.3 has no target with the bfloat16 dot product, so this one names its own.
#include "bench/limits/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define ACLIMB_EACH_ROW(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

namespace aclimb::bench {
namespace {

bool HasDotBf16() {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) return false;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & (1u << 5)) != 0;
}

__attribute__((target("avx512f,avx512bw,avx512bf16"))) float Loop(int64_t steps) {
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
  if (!HasDotBf16()) return 0;
  KeepResult(Loop(steps));
  return 2.0 * 2.0 * 12 * 32 * static_cast<double>(steps);
}

}  // namespace aclimb::bench
#else
namespace aclimb::bench {
double GemmBf16(int64_t) { return 0; }
}  // namespace aclimb::bench
#endif
