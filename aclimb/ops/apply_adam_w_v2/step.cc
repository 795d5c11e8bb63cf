#include "aclimb/ops/apply_adam_w_v2/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/apply_adam_w_v2/step.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aclimb::apply_adam_w_v2 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void UpdateHere(const Step& step, const float* grad, int64_t count, float* var, float* m, float* v,
                float* max) {
  const auto update = [&](auto d, int64_t i) HWY_ATTR {
    const auto number = [d](float x) HWY_ATTR { return hn::Set(d, x); };
    const auto g = hn::Mul(number(step.sign), hn::LoadU(d, grad + i));
    const auto mean =
        hn::MulAdd(number(step.beta1), hn::LoadU(d, m + i), hn::Mul(number(1 - step.beta1), g));
    const auto square = hn::MulAdd(number(step.beta2), hn::LoadU(d, v + i),
                                   hn::Mul(hn::Mul(number(1 - step.beta2), g), g));
    auto second = square;
    if (max != nullptr) {
      // NaN stays.
      const auto before = hn::LoadU(d, max + i);
      const auto stays = hn::Or(hn::Ge(before, square), hn::IsNaN(before));
      second = hn::IfThenElse(stays, before, square);
      hn::StoreU(second, d, max + i);
    }
    const auto root = hn::Add(hn::Sqrt(hn::Mul(second, number(step.scale))), number(step.eps));
    const auto own = hn::LoadU(d, var + i);
    const auto decayed = hn::NegMulAdd(number(step.decay), own, own);
    hn::StoreU(hn::Sub(decayed, hn::Div(hn::Mul(number(step.rate), mean), root)), d, var + i);
    hn::StoreU(mean, d, m + i);
    hn::StoreU(square, d, v + i);
  };
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) update(d, i);
  for (; i < count; ++i) update(hn::CappedTag<float, 1>(), i);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::apply_adam_w_v2
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::apply_adam_w_v2 {

HWY_EXPORT(UpdateHere);

void Update(const Step& step, const float* grad, int64_t count, float* var, float* m, float* v,
            float* max) {
  HWY_DYNAMIC_DISPATCH(UpdateHere)(step, grad, count, var, m, v, max);
}

}  // namespace aclimb::apply_adam_w_v2
#endif
