#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/limits/arithmetic.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

#include "bench/limits/kernels.h"

// Rows of the tile: two vectors each, all in registers. Instruction sets with 16 registers hold
// six, those with 32 twelve.
#undef ACLIMB_ROWS
#undef ACLIMB_EACH_ROW
#if HWY_ARCH_X86 && HWY_MAX_BYTES < 64
#define ACLIMB_ROWS 6
#define ACLIMB_EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#else
#define ACLIMB_ROWS 12
#define ACLIMB_EACH_ROW(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#endif

HWY_BEFORE_NAMESPACE();
namespace aclimb::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double GemmHere(int64_t steps) {
  constexpr int64_t kDepth = 128;
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float a[kDepth * ACLIMB_ROWS];
  HWY_ALIGN float b[kDepth * 2 * HWY_MAX_BYTES / sizeof(float)];
  for (float& value : a) value = 1e-4f;
  for (float& value : b) value = 1e-4f;
#define ACLIMB_DECLARE(i) auto left##i = hn::Zero(d), right##i = hn::Zero(d);
  ACLIMB_EACH_ROW(ACLIMB_DECLARE)
#undef ACLIMB_DECLARE
  for (int64_t step = 0; step < steps; ++step) {
    const float* const row = a + (step & (kDepth - 1)) * ACLIMB_ROWS;
    const float* const column = b + (step & (kDepth - 1)) * 2 * lanes;
    const auto b0 = hn::Load(d, column);
    const auto b1 = hn::Load(d, column + lanes);
#define ACLIMB_STEP(i)                          \
  {                                             \
    const auto value = hn::Set(d, row[i]);      \
    left##i = hn::MulAdd(value, b0, left##i);   \
    right##i = hn::MulAdd(value, b1, right##i); \
  }
    ACLIMB_EACH_ROW(ACLIMB_STEP)
#undef ACLIMB_STEP
  }
  auto sum = hn::Zero(d);
#define ACLIMB_ADD(i) sum = hn::Add(sum, hn::Add(left##i, right##i));
  ACLIMB_EACH_ROW(ACLIMB_ADD)
#undef ACLIMB_ADD
  KeepResult(hn::GetLane(sum));
  return 2.0 * 2.0 * ACLIMB_ROWS * static_cast<double>(lanes * steps);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::bench {

HWY_EXPORT(GemmHere);
double GemmF32(int64_t steps) { return HWY_DYNAMIC_DISPATCH(GemmHere)(steps); }

}  // namespace aclimb::bench
#endif  // HWY_ONCE
