// How a vector of a line of x is loaded and stored, whole or in part. Included once per instruction
// set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_VECTOR_ACCESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_VECTOR_ACCESS_INL_H_
#undef ACLIMB_VECTOR_ACCESS_INL_H_
#else
#define ACLIMB_VECTOR_ACCESS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "aclimb/ops/convolution_backward/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

using Tag = hn::ScalableTag<float>;

// Lanes [first, last) of a vector, whose others are beside a line of x.
template <typename T>
struct Part {
  int64_t first, last;
  StoredMask<T, Tag> mask;

  // The vector at element `at` of a line of `extent`.
  HWY_INLINE Part(int64_t at, int64_t extent) {
    const Tag d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    first = std::clamp<int64_t>(-at, 0, lanes);
    last = std::clamp<int64_t>(extent - at, first, lanes);
    if constexpr (kHasMasks<T>) mask = MaskOf<T>(d, 0, first, last);
  }
  HWY_INLINE hn::Vec<Tag> Load(const T* at) const {
    const Tag d;
    if constexpr (kHasMasks<T>) {
      return LoadMasked(d, mask, at);
    } else {
      HWY_ALIGN T inside[HWY_MAX_BYTES / sizeof(float)] = {};
      for (int64_t i = first; i < last; ++i) inside[i] = at[i];
      return LoadF32(d, inside);
    }
  }
  HWY_INLINE void Store(hn::Vec<Tag> value, T* at) const {
    const Tag d;
    if constexpr (kHasMasks<T>) {
      StoreMasked(d, value, mask, at);
    } else {
      HWY_ALIGN T inside[HWY_MAX_BYTES / sizeof(float)];
      StoreF32(d, value, inside);
      for (int64_t i = first; i < last; ++i) at[i] = inside[i];
    }
  }
};
// All of them.
template <typename T>
struct Whole {
  HWY_INLINE hn::Vec<Tag> Load(const T* at) const { return LoadF32(Tag(), at); }
  HWY_INLINE void Store(hn::Vec<Tag> value, T* at) const { StoreF32(Tag(), value, at); }
};

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
