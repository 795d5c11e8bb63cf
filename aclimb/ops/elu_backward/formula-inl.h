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

// What is computed for v <= 0: from the result, from the input, or from the input where scale and
// input_scale are one, as they nearly always are.
enum class Branch { kResult, kInput, kPlainInput };

// One vector. exp is as precise as storage type T needs.
template <typename T, Branch kBranch, class D, class V = hn::Vec<D>>
HWY_INLINE V Gradient(D d, V g, V v, const Attributes& attributes) {
  const V c = hn::Set(d, attributes.alpha * attributes.scale);
  const V q = hn::Set(d, attributes.input_scale);
  const V positive = kBranch == Branch::kPlainInput ? g : hn::Mul(g, hn::Set(d, attributes.scale));
  V negative;
  if constexpr (kBranch == Branch::kResult) {
    negative = hn::Mul(hn::Mul(g, q), hn::Add(v, c));
  } else if constexpr (kBranch == Branch::kInput) {
    negative = hn::Mul(hn::Mul(hn::Mul(g, q), c), Exp<T>(d, hn::Mul(v, q)));
  } else {
    negative = hn::Mul(hn::Mul(g, c), Exp<T, false>(d, v));
  }
  // NaN compares false and takes the linear branch, as in PyTorch.
  return hn::IfThenElse(hn::Le(v, hn::Zero(d)), negative, positive);
}

// Elements [0, count), a vector at most.
template <Branch kBranch, typename In, typename Out>
void ShortRun(const In* grad, const In* value, Out* out, int64_t count,
              const Attributes& attributes) {
  const hn::ScalableTag<float> d;
  const auto g = LoadFirst(d, grad, count);
  const auto v = LoadFirst(d, value, count);
  StoreFirst(d, Gradient<Out, kBranch>(d, g, v, attributes), out, count);
}

// As many elements as one store writes, from position i. Returns how many.
template <Branch kBranch, bool kStream, typename In, typename Out>
HWY_INLINE int64_t Block(const In* grad, const In* value, Out* out, int64_t i,
                         const Attributes& attributes) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<In, BFloat16> && std::is_same_v<Out, BFloat16>) {
    hn::Vec<decltype(d)> g[2], v[2];
    LoadPairs(d, grad + i, g[0], g[1]);
    LoadPairs(d, value + i, v[0], v[1]);
    StorePairs<kStream>(d, Gradient<Out, kBranch>(d, g[0], v[0], attributes),
                        Gradient<Out, kBranch>(d, g[1], v[1], attributes), out + i);
    return 2 * lanes;
  }
#endif
  const auto result =
      Gradient<Out, kBranch>(d, LoadF32(d, grad + i), LoadF32(d, value + i), attributes);
  if constexpr (kStream) {
    StreamF32(d, result, out + i);
  } else {
    StoreF32(d, result, out + i);
  }
  return lanes;
}

// The attributes are a copy, which no store to `out` can change: by reference they would be read
// again for each vector.
template <Branch kBranch, typename In, typename Out>
void RunBranch(const In* grad, const In* value, Out* out, int64_t count, bool stream,
               Attributes attributes) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr bool kPairs = std::is_same_v<In, BFloat16> && std::is_same_v<Out, BFloat16>;
  const int64_t step = kPairs && HWY_TARGET != HWY_SCALAR ? 2 * lanes : lanes;
  constexpr uintptr_t kLine = 64;
  const uintptr_t past_line = reinterpret_cast<uintptr_t>(out) % kLine;
  const auto peel = static_cast<int64_t>((kLine - past_line) % kLine / sizeof(Out));
  int64_t i = 0;
  if (stream && peel < count) {
    if (peel > 0) RunBranch<kBranch>(grad, value, out, peel, false, attributes);
    for (i = peel; i + step <= count;) i += Block<kBranch, true>(grad, value, out, i, attributes);
  }
  while (i + step <= count) i += Block<kBranch, false>(grad, value, out, i, attributes);
  for (; i < count; i += lanes) {
    ShortRun<kBranch>(grad + i, value + i, out + i, std::min(lanes, count - i), attributes);
  }
}

// Consecutive elements. With `stream` the stores bypass the caches.
template <bool kIsResult, typename In, typename Out>
void Run(const In* grad, const In* value, Out* out, int64_t count, bool stream,
         const Attributes& attributes) {
  if constexpr (kIsResult) {
    RunBranch<Branch::kResult>(grad, value, out, count, stream, attributes);
  } else if (attributes.input_scale == 1 && attributes.scale == 1) {
    RunBranch<Branch::kPlainInput>(grad, value, out, count, stream, attributes);
  } else {
    RunBranch<Branch::kInput>(grad, value, out, count, stream, attributes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::elu_backward
HWY_AFTER_NAMESPACE();

#endif
