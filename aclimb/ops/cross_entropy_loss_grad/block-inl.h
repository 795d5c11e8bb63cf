// One vector of elements at a time: read, widen, exponentiate, scale, round, write. Included once
// per instruction set.
#if defined(ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_BLOCK_INL_H_
#undef ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_BLOCK_INL_H_
#else
#define ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_BLOCK_INL_H_
#endif

#include <type_traits>

#include "aclimb/ops/cross_entropy_loss_grad/rows.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cross_entropy_loss_grad {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;
using VF = hn::Vec<F32>;
using VI = hn::Vec<I32>;

// exp(x) * scale - less, and zero where `less` is Dropped().
template <class T>
HWY_INLINE VF Gradient(VF x, VF scale, VF less) {
  const F32 d;
  const I32 di;
  const auto dropped = hn::Eq(hn::BitCast(di, less), hn::Set(di, kDroppedBits));
  return hn::IfThenZeroElse(hn::RebindMask(d, dropped), hn::MulSub(Exp<T>(d, x), scale, less));
}

// level * weight, and Dropped() where `level` is. NaN among the weights may have any payload, but
// what is rounded to bfloat16 may not.
HWY_INLINE VF Spread(VF level, VF weight) {
  const F32 d;
  const I32 di;
  const auto dropped = hn::Eq(hn::BitCast(di, level), hn::Set(di, kDroppedBits));
  const VF clean = hn::IfThenElse(hn::IsNaN(weight), hn::NaN(d), weight);
  return hn::IfThenElse(hn::RebindMask(d, dropped), level, hn::Mul(level, clean));
}

// Rounds and writes Lanes consecutive elements. kStream: without reading the cache line first, to
// an address aligned to the bytes written.
template <bool kStream, class T>
HWY_INLINE void Put(VF value, T* to) {
  const F32 d;
  if constexpr (kStream) {
    StreamF32(d, value, to);
  } else {
    StoreF32(d, value, to);
  }
}

// A block is what one store writes: kElements consecutive elements in kParts float32 vectors. Lane
// i of part k is element Index(k)[i].
template <class T>
struct Block {
  static constexpr int64_t kElements = static_cast<int64_t>(HWY_LANES(float));

  static HWY_INLINE VI Index(int part) { return hn::Iota(I32(), part); }
  // Of kElements consecutive floats, those of a part.
  static HWY_INLINE VF Floats(const float* from, int) { return hn::LoadU(F32(), from); }
  template <bool kStream, class F>
  static HWY_INLINE void Map(const T* from, T* to, F&& f) {
    Put<kStream>(f(LoadF32(F32(), from), 0), to);
  }
};

#if HWY_TARGET != HWY_SCALAR
// Even and odd elements make one part each, as pairs are loaded and stored.
template <>
struct Block<BFloat16> {
  static constexpr int64_t kElements = 2 * static_cast<int64_t>(HWY_LANES(float));

  static HWY_INLINE VI Index(int part) {
    const I32 di;
    return hn::Add(hn::ShiftLeft<1>(hn::Iota(di, 0)), hn::Set(di, part));
  }
  static HWY_INLINE VF Floats(const float* from, int part) {
    VF even, odd;
    hn::LoadInterleaved2(F32(), from, even, odd);
    return part == 0 ? even : odd;
  }
  template <bool kStream, class F>
  static HWY_INLINE void Map(const BFloat16* from, BFloat16* to, F&& f) {
    const F32 d;
    VF even, odd;
    LoadPairs(d, from, even, odd);
    // NaN comes from bfloat16 operands or is the default one.
    StorePairs<kStream, /*kShortNaNs=*/true>(d, f(even, 0), f(odd, 1), to);
  }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss_grad
HWY_AFTER_NAMESPACE();

#endif
