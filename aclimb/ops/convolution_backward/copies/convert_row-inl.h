// Rows of one storage type as another. Included once per instruction set by files that use
// hwy/foreach_target.h.
#if defined(ACLIMB_CONVERT_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_CONVERT_ROW_INL_H_
#undef ACLIMB_CONVERT_ROW_INL_H_
#else
#define ACLIMB_CONVERT_ROW_INL_H_
#endif

#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `count` elements side by side, to nearest even.
template <typename From, typename To>
HWY_INLINE void ConvertRow(const From* from, int64_t count, To* to) {
  using aclimb::HWY_NAMESPACE::LoadF32, aclimb::HWY_NAMESPACE::LoadFirst;
  using aclimb::HWY_NAMESPACE::StoreF32, aclimb::HWY_NAMESPACE::StoreFirst;
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) StoreF32(d, LoadF32(d, from + i), to + i);
  if (i < count) StoreFirst(d, LoadFirst(d, from + i, count - i), to + i, count - i);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::convolution_backward
HWY_AFTER_NAMESPACE();

#endif
