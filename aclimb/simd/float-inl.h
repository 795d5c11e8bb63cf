// Vector loads and stores of every floating storage type as float32 lanes, and of float32 as double
// lanes. Included once per instruction set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_SIMD_FLOAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_FLOAT_INL_H_
#undef ACLIMB_SIMD_FLOAT_INL_H_
#else
#define ACLIMB_SIMD_FLOAT_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <type_traits>

#include "aclimb/core/half.h"

// Highway 1.0's emulation of binary16 reads infinity as 65536 and does not round to even, so
// targets without F16C use the integer forms below.
#undef ACLIMB_HARDWARE_FLOAT16
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define ACLIMB_HARDWARE_FLOAT16 1
#else
#define ACLIMB_HARDWARE_FLOAT16 0
#endif

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How Lanes(d) elements of T stand in memory: half types as their bits.
template <typename T, class D>
using StoredTag = std::conditional_t<std::is_same_v<T, float>, D, hn::Rebind<uint16_t, D>>;
template <typename T>
using StoredLane = std::conditional_t<std::is_same_v<T, float>, float, uint16_t>;
template <typename T>
constexpr bool kIsStorage =
    std::is_same_v<T, float> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <typename T>
HWY_INLINE const StoredLane<T>* Stored(const T* at) {
  return reinterpret_cast<const StoredLane<T>*>(at);
}
template <typename T>
HWY_INLINE StoredLane<T>* Stored(T* at) {
  return reinterpret_cast<StoredLane<T>*>(at);
}

template <typename T, class D>
HWY_INLINE hn::Vec<D> Widen(D d, hn::Vec<StoredTag<T, D>> stored) {
  static_assert(kIsStorage<T>);
  if constexpr (std::is_same_v<T, float>) {
    return stored;
  } else {
    const hn::RebindToUnsigned<D> d32;
    if constexpr (std::is_same_v<T, BFloat16>) {
      return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, stored)));
    } else {
#if ACLIMB_HARDWARE_FLOAT16
      return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), stored));
#else
      const auto bits = hn::PromoteTo(d32, stored);
      const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(d32, 0x8000u)));
      const auto magnitude = hn::And(bits, hn::Set(d32, 0x7FFFu));
      // The exponent is rebased by a multiplication, which also normalises subnormals.
      const auto scaled = hn::BitCast(
          d32, hn::Mul(hn::BitCast(d, hn::ShiftLeft<13>(magnitude)), hn::Set(d, 0x1p112f)));
      const auto special = hn::Or(hn::ShiftLeft<13>(magnitude), hn::Set(d32, 0x7F800000u));
      const auto is_special = hn::Gt(magnitude, hn::Set(d32, 0x7BFFu));
      return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(is_special, special, scaled)));
#endif
    }
  }
}

// Float32 lanes to bfloat16 bits in the high half of each 32-bit lane, nearest even; what is in the
// low half says nothing. No lane is a NaN but such as have a payload whose low half is zero: others
// may carry into the exponent.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<uint32_t, D>> RoundNumbersToBFloat16(D, hn::Vec<D> value) {
  const hn::Rebind<uint32_t, D> d32;
  const auto bits = hn::BitCast(d32, value);
  const auto is_odd = hn::TestBit(bits, hn::Set(d32, 0x10000u));
  return hn::Add(bits, hn::IfThenElse(is_odd, hn::Set(d32, 0x8000u), hn::Set(d32, 0x7FFFu)));
}
// The same of all lanes, NaN kept quiet.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<uint32_t, D>> RoundToBFloat16(D d, hn::Vec<D> value) {
  const hn::Rebind<uint32_t, D> d32;
  const auto quiet = hn::Or(hn::BitCast(d32, value), hn::Set(d32, 0x400000u));
  const auto is_nan = hn::RebindMask(d32, hn::IsNaN(value));
  return hn::IfThenElse(is_nan, quiet, RoundNumbersToBFloat16(d, value));
}
// In the low half.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<uint32_t, D>> BFloat16Bits(D d, hn::Vec<D> value) {
  return hn::ShiftRight<16>(RoundToBFloat16(d, value));
}

#if !ACLIMB_HARDWARE_FLOAT16
// Float32 lanes to binary16 bits, as ToFloat16 in core/half.h.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<uint32_t, D>> Float16Bits(D d, hn::Vec<D> value) {
  const hn::Rebind<uint32_t, D> d32;
  const auto bits = hn::BitCast(d32, value);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 0x8000u));
  const auto magnitude = hn::And(bits, hn::Set(d32, 0x7FFFFFFFu));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d32, 1u));
  const auto rebased = hn::Sub(magnitude, hn::Set(d32, 112u << 23));
  const auto normal = hn::ShiftRight<13>(hn::Add(rebased, hn::Add(odd, hn::Set(d32, 0xFFFu))));
  const auto subnormal =
      hn::Sub(hn::BitCast(d32, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f))),
              hn::Set(d32, 0x3F000000u));
  const auto payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d32, 0x3FFu));
  auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d32, 0x38800000u)), subnormal, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d32, 0x477FFFFFu)), hn::Set(d32, 0x7C00u), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d32, 0x7F800000u)),
                        hn::Or(payload, hn::Set(d32, 0x7E00u)), half);
  return hn::Or(sign, half);
}
#endif

// The inverse of Widen, nearest even.
template <typename T, class D>
HWY_INLINE hn::Vec<StoredTag<T, D>> Narrow(D d, hn::Vec<D> value) {
  static_assert(kIsStorage<T>);
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    // Values below 2^16 pass Highway's saturating demotion unchanged.
    const hn::Rebind<int32_t, D> di32;
    const StoredTag<T, D> d16;
    if constexpr (std::is_same_v<T, BFloat16>) {
      return hn::DemoteTo(d16, hn::BitCast(di32, BFloat16Bits(d, value)));
    } else {
#if ACLIMB_HARDWARE_FLOAT16
      return hn::BitCast(d16, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), value));
#else
      return hn::DemoteTo(d16, hn::BitCast(di32, Float16Bits(d, value)));
#endif
    }
  }
}

// Doubles to float32, nearest even; infinite beyond the largest number, where the emulations of
// Highway 1.0 would give that number.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<float, D>> ToFloats(D d, hn::Vec<D> value) {
  const hn::Rebind<float, D> narrow;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  HWY_ALIGN double doubles[hn::MaxLanes(D())];
  HWY_ALIGN float floats[hn::MaxLanes(D())];
  hn::Store(value, d, doubles);
  for (size_t i = 0; i < hn::Lanes(d); ++i) floats[i] = static_cast<float>(doubles[i]);
  return hn::Load(narrow, floats);
#else
  (void)d;
  return hn::DemoteTo(narrow, value);
#endif
}

// Lanes(d) elements, unaligned.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadF32(D d, const T* from) {
  return Widen<T>(d, hn::LoadU(StoredTag<T, D>(), Stored(from)));
}
template <class D, typename T>
HWY_INLINE void StoreF32(D d, hn::Vec<D> value, T* to) {
  hn::StoreU(Narrow<T>(d, value), StoredTag<T, D>(), Stored(to));
}

// Loads elements of T as lanes of D: T is the type of a lane, or float where lanes are double.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadAs(D d, const T* from) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}
// Stores lanes of D as elements of T: around the caches if it streams and T is the type of a lane.
template <class D, typename T>
HWY_INLINE void StoreAs(D d, hn::Vec<D> value, bool stream, T* to) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    stream ? hn::Stream(value, d, to) : hn::StoreU(value, d, to);
  } else {
    hn::StoreU(ToFloats(d, value), hn::Rebind<T, D>(), to);
  }
}

// StoreF32 without reading the cache line first, for outputs that do not fit in the caches. `to` is
// aligned to the bytes written; end with hwy::FlushStream(). Narrow targets have no such store for
// half types and write normally.
template <class D, typename T>
HWY_INLINE void StreamF32(D d, hn::Vec<D> value, T* to) {
  if constexpr (std::is_same_v<T, float> || ACLIMB_HARDWARE_FLOAT16) {
    hn::Stream(Narrow<T>(d, value), StoredTag<T, D>(), Stored(to));
  } else {
    StoreF32(d, value, to);
  }
}

// Whether masked loads and stores touch no memory behind the mask.
template <typename T>
constexpr bool kHasMasks = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL ||
                           (HWY_TARGET == HWY_AVX2 && std::is_same_v<T, float>);
template <typename T, class D>
using StoredMask = hn::Mask<StoredTag<T, D>>;

// Some of Lanes(d) elements, chosen by a mask of their stored lanes; zero where it is off.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadMasked(D d, StoredMask<T, D> mask, const T* from) {
  static_assert(kHasMasks<T>);
  return Widen<T>(d, hn::MaskedLoad(mask, StoredTag<T, D>(), Stored(from)));
}
template <class D, typename T>
HWY_INLINE void StoreMasked(D d, hn::Vec<D> value, StoredMask<T, D> mask, T* to) {
  static_assert(kHasMasks<T>);
  hn::BlendedStore(Narrow<T>(d, value), mask, StoredTag<T, D>(), Stored(to));
}

// The first `count` of Lanes(d) elements, the rest zero; reads nothing behind them.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadFirst(D d, const T* from, int64_t count) {
  if constexpr (kHasMasks<T>) {
    return LoadMasked(d, hn::FirstN(StoredTag<T, D>(), static_cast<size_t>(count)), from);
  } else {
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(float)] = {};
    for (int64_t i = 0; i < count; ++i) lanes[i] = from[i];
    return LoadF32(d, lanes);
  }
}

// Writes the first `count` lanes only.
template <class D, typename T>
HWY_INLINE void StoreFirst(D d, hn::Vec<D> value, T* to, int64_t count) {
  if constexpr (kHasMasks<T>) {
    StoreMasked(d, value, hn::FirstN(StoredTag<T, D>(), static_cast<size_t>(count)), to);
  } else {
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(float)] = {};
    StoreF32(d, value, lanes);
    for (int64_t i = 0; i < count; ++i) to[i] = lanes[i];
  }
}

#if HWY_TARGET != HWY_SCALAR
// 2 * Lanes consecutive bfloat16 as two float32 vectors, the even and the odd ones: widening and
// narrowing need no shuffles then.
template <class D>
HWY_INLINE void LoadPairs(D d, const BFloat16* from, hn::Vec<D>& even, hn::Vec<D>& odd) {
  const hn::RebindToUnsigned<D> du;
  const hn::Repartition<uint16_t, D> d16;
  const auto pair = hn::BitCast(du, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from)));
  even = hn::BitCast(d, hn::ShiftLeft<16>(pair));
  odd = hn::BitCast(d, hn::And(pair, hn::Set(du, 0xFFFF0000u)));
}
// RoundToBFloat16() of two vectors. NaN are rare: both have one test, which infinities may fail
// too. kShortNaNs: the low halves of NaN payloads are zero, as where all operands were bfloat16.
template <bool kShortNaNs, class D, class U>
HWY_INLINE void RoundTwo(D d, hn::Vec<D> first, hn::Vec<D> second, U& first_bits, U& second_bits) {
  first_bits = RoundNumbersToBFloat16(d, first);
  second_bits = RoundNumbersToBFloat16(d, second);
  if constexpr (!kShortNaNs) {
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(hn::Add(first, second))))) {
      first_bits = RoundToBFloat16(d, first);
      second_bits = RoundToBFloat16(d, second);
    }
  }
}
// kStream: past the caches, to an address aligned to the vector.
template <bool kStream, bool kShortNaNs = false, class D>
HWY_INLINE void StorePairs(D d, hn::Vec<D> even, hn::Vec<D> odd, BFloat16* to) {
  const hn::RebindToUnsigned<D> du;
  const hn::Repartition<uint16_t, D> d16;
  hn::Vec<decltype(du)> low, high;
  RoundTwo<kShortNaNs>(d, even, odd, low, high);
  const auto both =
      hn::BitCast(d16, hn::Or(hn::ShiftRight<16>(low), hn::And(high, hn::Set(du, 0xFFFF0000u))));
  if constexpr (kStream) {
    hn::Stream(both, d16, reinterpret_cast<uint16_t*>(to));
  } else {
    hn::StoreU(both, d16, reinterpret_cast<uint16_t*>(to));
  }
}
// Two consecutive vectors as bfloat16: narrowing both takes one shuffle, where each by itself takes
// two. kStream: past the caches, to an address aligned to the vector.
template <bool kStream, class D>
HWY_INLINE void StoreTwo(D d, hn::Vec<D> first, hn::Vec<D> second, BFloat16* to) {
  const hn::Repartition<uint16_t, D> d16;
  hn::Vec<hn::RebindToUnsigned<D>> low, high;
  RoundTwo</*kShortNaNs=*/false>(d, first, second, low, high);
  const auto both = hn::ConcatOdd(d16, hn::BitCast(d16, high), hn::BitCast(d16, low));
  if constexpr (kStream) {
    hn::Stream(both, d16, reinterpret_cast<uint16_t*>(to));
  } else {
    hn::StoreU(both, d16, reinterpret_cast<uint16_t*>(to));
  }
}
#endif

// Elements [0, count) of a run, `stride` apart, to or from consecutive float32 values.
template <typename T>
HWY_INLINE void GatherF32(const T* from, int64_t stride, int64_t count, float* to) {
  if (stride == 1) {
    const hn::ScalableTag<float> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(LoadF32(d, from + i), d, to + i);
    for (; i < count; ++i) to[i] = ToFloat(from[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i] = ToFloat(from[i * stride]);
}

template <typename T>
HWY_INLINE void ScatterF32(const float* from, int64_t count, T* to, int64_t stride) {
  if constexpr (!std::is_same_v<T, double>) {
    if (stride == 1) {
      const hn::ScalableTag<float> d;
      const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
      int64_t i = 0;
      for (; i + lanes <= count; i += lanes) StoreF32(d, hn::LoadU(d, from + i), to + i);
      for (; i < count; ++i) to[i] = FromFloat<T>(from[i]);
      return;
    }
  }
  for (int64_t i = 0; i < count; ++i) to[i * stride] = FromFloat<T>(from[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
