// The formula on vectors, and runs of consecutive elements. Included once per instruction set.
#if defined(ACLIMB_OPS_ELU_BACKWARD_FORMULA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_ELU_BACKWARD_FORMULA_INL_H_
#undef ACLIMB_OPS_ELU_BACKWARD_FORMULA_INL_H_
#else
#define ACLIMB_OPS_ELU_BACKWARD_FORMULA_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "aclimb/ops/elu_backward/cpu.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::elu_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

// One vector; kIsResult picks the branch for v <= 0. exp is as precise as storage type T needs.
template <typename T, bool kIsResult, class D, class V = hn::Vec<D>>
HWY_INLINE V Gradient(D d, V g, V v, const Args& args) {
  const V c = hn::Set(d, args.alpha * args.scale);
  const V q = hn::Set(d, args.input_scale);
  const V positive = hn::Mul(g, hn::Set(d, args.scale));
  V negative;
  if constexpr (kIsResult) {
    negative = hn::Mul(hn::Mul(g, q), hn::Add(v, c));
  } else {
    negative = hn::Mul(hn::Mul(hn::Mul(g, q), c), Exp<T>(d, hn::Mul(v, q)));
  }
  // NaN compares false and takes the linear branch, as in PyTorch.
  return hn::IfThenElse(hn::Le(v, hn::Zero(d)), negative, positive);
}

// Elements [0, count), fewer than a vector, through padded copies: the same arithmetic for each.
template <bool kIsResult, typename In, typename Out>
void ShortRun(const In* grad, const In* value, Out* out, int64_t count, const Args& args) {
  const hn::ScalableTag<float> d;
  In padded[2][HWY_MAX_BYTES / sizeof(float)] = {};
  Out result[HWY_MAX_BYTES / sizeof(float)];
  std::copy(grad, grad + count, padded[0]);
  std::copy(value, value + count, padded[1]);
  StoreF32(d, Gradient<Out, kIsResult>(d, LoadF32(d, padded[0]), LoadF32(d, padded[1]), args),
           result);
  std::copy(result, result + count, out);
}

// Consecutive elements. With `stream` the stores bypass the caches.
template <bool kIsResult, typename In, typename Out>
void Run(const In* grad, const In* value, Out* out, int64_t count, bool stream, const Args& args) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto at = [&](int64_t i) HWY_ATTR {
    return Gradient<Out, kIsResult>(d, LoadF32(d, grad + i), LoadF32(d, value + i), args);
  };
  int64_t i = 0;
  constexpr uintptr_t kLine = 64;
  const uintptr_t past_line = reinterpret_cast<uintptr_t>(out) % kLine;
  const auto peel = static_cast<int64_t>((kLine - past_line) % kLine / sizeof(Out));
  if (stream && peel < count) {
    if (peel > 0) Run<kIsResult>(grad, value, out, peel, false, args);
    for (i = peel; i + lanes <= count; i += lanes) StreamF32(d, at(i), out + i);
  }
  for (; i + lanes <= count; i += lanes) StoreF32(d, at(i), out + i);
  if (i < count) ShortRun<kIsResult>(grad + i, value + i, out + i, count - i, args);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::elu_backward
HWY_AFTER_NAMESPACE();

#endif
