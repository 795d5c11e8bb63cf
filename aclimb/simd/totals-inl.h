// Long sums: short blocks of terms are added in float32, the sums of the blocks in double. Each
// addition to a float32 sum is off by up to half a unit in its last place. Equal terms are off the
// same way, so that n of them, added one after the other, leave the sum off by up to n / 2^26 of
// itself; blocks keep n small. Included once per instruction set by files that use
// hwy/foreach_target.h.
#if defined(ACLIMB_SIMD_TOTALS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_TOTALS_INL_H_
#undef ACLIMB_SIMD_TOTALS_INL_H_
#else
#define ACLIMB_SIMD_TOTALS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// totals[i] += sums[i], or = sums[i] when `first`: a total keeps the sign of a zero then.
HWY_INLINE void AddToTotals(const float* sums, int64_t count, bool first, double* totals) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> d32;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto wide = hn::PromoteTo(d, hn::LoadU(d32, sums + i));
    hn::StoreU(first ? wide : hn::Add(hn::LoadU(d, totals + i), wide), d, totals + i);
  }
  for (; i < count; ++i) {
    const double wide = static_cast<double>(sums[i]);
    totals[i] = first ? wide : totals[i] + wide;
  }
}

// sums[i] = (totals[i] + sums[i]) / divisor, rounded once: the last block joins the others.
HWY_INLINE void RoundTotals(const double* totals, int64_t count, double divisor, float* sums) {
  for (int64_t i = 0; i < count; ++i) {
    sums[i] = static_cast<float>((totals[i] + static_cast<double>(sums[i])) / divisor);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
