// The forms of a formula of two operands. Included once per instruction set by files that use
// hwy/foreach_target.h.
#if defined(ACLIMB_OPS_BINARY_FORMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_BINARY_FORMS_INL_H_
#undef ACLIMB_OPS_BINARY_FORMS_INL_H_
#else
#define ACLIMB_OPS_BINARY_FORMS_INL_H_
#endif

#include <type_traits>

#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/ops/binary/formulas.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::binary {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

// The second operand is the attributes' scalar.
template <class F>
struct WithScalar : F {
  static constexpr int kInputs = 1;
  explicit WithScalar(const Attributes& attributes) : F{attributes} {}

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return F::template operator()<T>(d, x, hn::Set(d, this->scalar.template As<float>()));
  }
  template <class T>
  auto Scalar(T x) const {
    return F::Scalar(x, this->scalar.template As<T>());
  }
};

// The first one is.
template <class F>
struct AfterScalar : F {
  static constexpr int kInputs = 1;
  explicit AfterScalar(const Attributes& attributes) : F{attributes} {}

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V y) const {
    return F::template operator()<T>(d, hn::Set(d, this->scalar.template As<float>()), y);
  }
  template <class T>
  auto Scalar(T y) const {
    return F::Scalar(this->scalar.template As<T>(), y);
  }
};

// Integers wrap where they overflow; narrow ones would become int.
template <typename T>
using Unsigned = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
template <typename T>
HWY_INLINE T WrappedSum(T x, T y) {
  return static_cast<T>(static_cast<Unsigned<T>>(x) + static_cast<Unsigned<T>>(y));
}
template <typename T>
HWY_INLINE T WrappedDifference(T x, T y) {
  return static_cast<T>(static_cast<Unsigned<T>>(x) - static_cast<Unsigned<T>>(y));
}
template <typename T>
HWY_INLINE T WrappedProduct(T x, T y) {
  return static_cast<T>(static_cast<Unsigned<T>>(x) * static_cast<Unsigned<T>>(y));
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::binary
HWY_AFTER_NAMESPACE();

#endif
