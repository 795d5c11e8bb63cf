// What multiplies the operands of factors.h. Included once per instruction set by files that use
// hwy/foreach_target.h.
#if defined(ACLIMB_FACTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_FACTORS_INL_H_
#undef ACLIMB_FACTORS_INL_H_
#else
#define ACLIMB_FACTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <type_traits>

#include "aclimb/ops/convolution_backward/factors.h"
#include "aclimb/simd/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward::vectors {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using aclimb::HWY_NAMESPACE::kHasPairs;

// sum + a * b, in each lane of the products of both halves of a pair.
template <Factors kFactors, class D>
HWY_INLINE hn::Vec<D> MultiplyAdd(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> sum) {
  (void)d;
  if constexpr (kFactors == Factors::kFloat32) {
    return hn::MulAdd(a, b, sum);
  } else {
    return aclimb::HWY_NAMESPACE::MultiplyPairs(a, b, sum);
  }
}

// Calls body(std::integral_constant<Factors, factors>()).
template <class Body>
HWY_INLINE void WithFactors(Factors factors, const Body& body) {
  if constexpr (kHasPairs) {
    if (factors == Factors::kPairs) {
      return body(std::integral_constant<Factors, Factors::kPairs>());
    }
  }
  body(std::integral_constant<Factors, Factors::kFloat32>());
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::convolution_backward::vectors
HWY_AFTER_NAMESPACE();

#endif
