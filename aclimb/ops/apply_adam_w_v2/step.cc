#include "aclimb/ops/apply_adam_w_v2/step.h"

// Targets whose vectors have no constant size cannot keep them in a struct.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/apply_adam_w_v2/step.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

#include <type_traits>

#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::apply_adam_w_v2 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

// A vector of each tensor; of max, if it is used.
template <class V>
struct Numbers {
  V grad, var, m, v, max;
};

template <class D, class N = Numbers<hn::Vec<D>>>
HWY_INLINE void Advance(D d, const Step& step, bool has_max, N& x) {
  const auto number = [d](float value) HWY_ATTR { return hn::Set(d, value); };
  const auto g = hn::Mul(number(step.sign), x.grad);
  x.m = hn::MulAdd(number(step.beta1), x.m, hn::Mul(number(1 - step.beta1), g));
  x.v = hn::MulAdd(number(step.beta2), x.v, hn::Mul(hn::Mul(number(1 - step.beta2), g), g));
  auto second = x.v;
  if (has_max) {
    // NaN stays.
    const auto stays = hn::Or(hn::Ge(x.max, x.v), hn::IsNaN(x.max));
    second = x.max = hn::IfThenElse(stays, x.max, x.v);
  }
  const auto root = hn::Add(hn::Sqrt(hn::Mul(second, number(step.scale))), number(step.eps));
  const auto decayed = hn::NegMulAdd(number(step.decay), x.var, x.var);
  x.var = hn::Sub(decayed, hn::Div(hn::Mul(number(step.rate), x.m), root));
}

template <typename T>
void UpdateTyped(const Step& given, int64_t count, const Tensors& tensors) {
  // No store changes a copy.
  const Step step = given;
  const auto* const grad = static_cast<const T*>(tensors.grad);
  auto* const var = static_cast<T*>(tensors.var);
  auto* const m = static_cast<T*>(tensors.m);
  auto* const v = static_cast<T*>(tensors.v);
  auto* const max = static_cast<T*>(tensors.max);
  const hn::ScalableTag<float> d;
  using N = Numbers<hn::Vec<decltype(d)>>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, BFloat16>) {
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
      N even, odd;
      LoadPairs(d, grad + i, even.grad, odd.grad);
      LoadPairs(d, var + i, even.var, odd.var);
      LoadPairs(d, m + i, even.m, odd.m);
      LoadPairs(d, v + i, even.v, odd.v);
      if (max != nullptr) LoadPairs(d, max + i, even.max, odd.max);
      Advance(d, step, max != nullptr, even);
      Advance(d, step, max != nullptr, odd);
      StorePairs<false>(d, even.var, odd.var, var + i);
      StorePairs<false>(d, even.m, odd.m, m + i);
      StorePairs<false>(d, even.v, odd.v, v + i);
      if (max != nullptr) StorePairs<false>(d, even.max, odd.max, max + i);
    }
  }
#endif
  const auto advance = [&](const auto& load, const auto& store) HWY_ATTR {
    N x;
    x.grad = load(grad);
    x.var = load(var);
    x.m = load(m);
    x.v = load(v);
    if (max != nullptr) x.max = load(max);
    Advance(d, step, max != nullptr, x);
    store(x.var, var);
    store(x.m, m);
    store(x.v, v);
    if (max != nullptr) store(x.max, max);
  };
  for (; i + lanes <= count; i += lanes) {
    advance([&](const T* from) HWY_ATTR { return LoadF32(d, from + i); },
            [&](auto value, T* to) HWY_ATTR { StoreF32(d, value, to + i); });
  }
  if (i == count) return;
  advance([&](const T* from) HWY_ATTR { return LoadFirst(d, from + i, count - i); },
          [&](auto value, T* to) HWY_ATTR { StoreFirst(d, value, to + i, count - i); });
}

void UpdateHere(const Step& step, DType dtype, int64_t count, const Tensors& tensors) {
  if (dtype == DType::kFloat16) return UpdateTyped<Float16>(step, count, tensors);
  if (dtype == DType::kBFloat16) return UpdateTyped<BFloat16>(step, count, tensors);
  UpdateTyped<float>(step, count, tensors);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::apply_adam_w_v2
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::apply_adam_w_v2 {

HWY_EXPORT(UpdateHere);

void Update(const Step& step, DType dtype, int64_t count, const Tensors& tensors) {
  HWY_DYNAMIC_DISPATCH(UpdateHere)(step, dtype, count, tensors);
}

}  // namespace aclimb::apply_adam_w_v2
#endif
