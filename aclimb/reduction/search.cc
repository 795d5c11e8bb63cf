#include "aclimb/reduction/search.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/reduction/search.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <type_traits>

#include "aclimb/copy/storage.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::reduction {
namespace HWY_NAMESPACE {

// An element as unsigned bits, of which `counting` tell it from others: zeros of both signs are
// equal, and what is not 0 is true.
template <typename T>
struct Sought {
  static constexpr bool kIsReal = std::is_floating_point_v<T> || IsHalf(kStorageDType<T>);
  using Bits = hwy::UnsignedFromSize<sizeof(T)>;

  explicit Sought(const Slot& slot) {
    if constexpr (std::is_same_v<T, double>) {
      value = slot.real;
    } else if constexpr (kIsReal) {
      value = FromFloat<T>(static_cast<float>(slot.real));
    } else if constexpr (std::is_same_v<T, Bool>) {
      value = {static_cast<uint8_t>(slot.whole != 0)};
    } else {
      value = static_cast<T>(slot.whole);
    }
    if (kIsReal && slot.real == 0) counting = static_cast<Bits>(counting >> 1);
    bits = BitsOf(value) & counting;
  }
  static HWY_INLINE Bits BitsOf(T x) {
    if constexpr (std::is_same_v<T, Bool>) return x.byte != 0;
    if constexpr (IsHalf(kStorageDType<T>)) return x.bits;
    return std::bit_cast<Bits>(x);
  }
  HWY_INLINE bool IsIn(T x) const { return (BitsOf(x) & counting) == bits; }

  T value;
  Bits bits, counting = static_cast<Bits>(~Bits{0});
};

template <typename T>
double RealOf(T x) {
  if constexpr (std::is_same_v<T, double>) return x;
  return ToFloat(x);
}

// The compiler makes vectors of the loop over a block, which has no branches.
template <typename T>
int64_t Find(const void* from, int64_t stride, int64_t count, Slot& slot) {
  const T* const x = static_cast<const T*>(from);
  const Sought<T> sought(slot);
  int64_t i = 0;
  if constexpr (Sought<T>::kIsReal) {
    if (std::isnan(slot.real)) {
      while (i + 1 < count && !std::isnan(RealOf(x[i * stride]))) ++i;
      return i;
    }
  }
  constexpr int64_t kBlock = 128;
  const auto is_in_block = [&] {
    typename Sought<T>::Bits any = 0;
    for (int64_t k = i; k < i + kBlock; ++k) any |= sought.IsIn(x[k]) ? 1 : 0;
    return any != 0;
  };
  while (stride == 1 && i + kBlock < count && !is_in_block()) i += kBlock;
  while (i + 1 < count && !sought.IsIn(x[i * stride])) ++i;
  if constexpr (Sought<T>::kIsReal) slot.real = RealOf(x[i * stride]);
  return i;
}

Search SearchFor(int storage) {
  static constexpr Search kSearches[kStorageCount] = {
      &Find<Bool>,    &Find<uint8_t>, &Find<int8_t>, &Find<int16_t>, &Find<int32_t>,
      &Find<int64_t>, &Find<float>,   &Find<double>, &Find<Float16>, &Find<BFloat16>};
  return kSearches[storage];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::reduction {

HWY_EXPORT(SearchFor);

Search SearchOf(DType dtype) { return HWY_DYNAMIC_DISPATCH(SearchFor)(StorageIndex(dtype)); }

}  // namespace aclimb::reduction
#endif
