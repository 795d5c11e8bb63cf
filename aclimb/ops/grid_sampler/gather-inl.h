// Elements from anywhere in a plane, in vectors. Included once per instruction set by files that
// use hwy/foreach_target.h.
#if defined(ACLIMB_OPS_GRID_SAMPLER_GATHER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_GRID_SAMPLER_GATHER_INL_H_
#undef ACLIMB_OPS_GRID_SAMPLER_GATHER_INL_H_
#else
#define ACLIMB_OPS_GRID_SAMPLER_GATHER_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

// Where they have no registers for masks, processors gather slower than they load one by one.
#undef ACLIMB_GATHERS_FAST
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define ACLIMB_GATHERS_FAST 1
#else
#define ACLIMB_GATHERS_FAST 0
#endif

HWY_BEFORE_NAMESPACE();
namespace aclimb::grid_sampler {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector of from[at[i]].
template <class D>
HWY_INLINE hn::Vec<D> LoadEach(D d, const float* from, const int32_t* at) {
#if HWY_TARGET == HWY_SCALAR
  return hn::LoadU(d, from + *at);
#elif ACLIMB_GATHERS_FAST
  return hn::GatherIndex(d, from, hn::LoadU(hn::RebindToSigned<D>(), at));
#else
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::LoadU(d, from + *at);
  } else {
    const hn::Half<D> half;
    const auto high = LoadEach(half, from, at + hn::MaxLanes(half));
    return hn::Combine(d, high, LoadEach(half, from, at));
  }
#endif
}

// Vectors of from[at[i]] and of from[at[i] + 1]: each two are one load.
template <class D>
HWY_INLINE void LoadEachPair(D d, const float* from, const int32_t* at, hn::Vec<D>& first,
                             hn::Vec<D>& second) {
#if HWY_TARGET == HWY_SCALAR
  first = hn::LoadU(d, from + *at);
  second = hn::LoadU(d, from + *at + 1);
#elif ACLIMB_GATHERS_FAST
  const hn::RepartitionToWide<D> wide;
  const auto gather = [&](const int32_t* half) HWY_ATTR {
    const auto index = hn::LoadU(hn::Rebind<int32_t, decltype(wide)>(), half);
    const auto offset =
        hn::ShiftLeft<2>(hn::PromoteTo(hn::RebindToSigned<decltype(wide)>(), index));
    return hn::BitCast(d, hn::GatherOffset(wide, reinterpret_cast<const double*>(from), offset));
  };
  const auto low = gather(at), high = gather(at + hn::MaxLanes(wide));
  first = hn::ConcatEven(d, high, low);
  second = hn::ConcatOdd(d, high, low);
#else
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    hn::Vec<decltype(half)> low_first, low_second, high_first, high_second;
    LoadEachPair(half, from, at, low_first, low_second);
    LoadEachPair(half, from, at + hn::MaxLanes(half), high_first, high_second);
    first = hn::Combine(d, high_first, low_first);
    second = hn::Combine(d, high_second, low_second);
  } else {
    const hn::RepartitionToWide<D> wide;
    const auto pair = [&](int i) HWY_ATTR {
      return hn::LoadU(hn::Half<decltype(wide)>(), reinterpret_cast<const double*>(from + at[i]));
    };
    const auto low = hn::BitCast(d, hn::Combine(wide, pair(1), pair(0)));
    const auto high = hn::BitCast(d, hn::Combine(wide, pair(3), pair(2)));
    first = hn::ConcatEven(d, high, low);
    second = hn::ConcatOdd(d, high, low);
  }
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::grid_sampler
HWY_AFTER_NAMESPACE();

#endif
