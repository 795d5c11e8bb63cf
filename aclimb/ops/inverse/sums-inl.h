// Sums that conditions are made of. Included once per instruction set by files that use
// hwy/foreach_target.h.
#if defined(ACLIMB_OPS_INVERSE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_INVERSE_SUMS_INL_H_
#undef ACLIMB_OPS_INVERSE_SUMS_INL_H_
#else
#define ACLIMB_OPS_INVERSE_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace aclimb::inverse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sum of the elements of a row without their signs, each times its factor; null: all are 1.
template <typename T>
HWY_INLINE T SumOfSizes(const T* row, const T* factors, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto add = [&](int64_t c, hn::Vec<decltype(d)> sum) HWY_ATTR {
    const auto size = hn::Abs(hn::LoadU(d, row + c));
    return factors == nullptr ? hn::Add(size, sum)
                              : hn::MulAdd(size, hn::LoadU(d, factors + c), sum);
  };
  auto even = hn::Zero(d), odd = hn::Zero(d);
  int64_t c = 0;
  for (; c + 2 * lanes <= count; c += 2 * lanes) {
    even = add(c, even);
    odd = add(c + lanes, odd);
  }
  for (; c + lanes <= count; c += lanes) even = add(c, even);
  T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  for (; c < count; ++c) sum += std::fabs(row[c]) * (factors == nullptr ? 1 : factors[c]);
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::inverse
HWY_AFTER_NAMESPACE();

#endif
