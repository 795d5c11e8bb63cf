#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/elu_backward/cpu.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>

#include "aclimb/ops/elu_backward/cpu.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::elu_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

// Elements per step of a strided run: three float32 buffers of this length stay in the first-level
// cache.
constexpr int64_t kChunk = 1024;
// Elements per piece of parallel work, large enough to hide a fork-join.
constexpr int64_t kGrain = 64 * 1024;

// One vector of the formula; kIsResult picks the branch for v <= 0.
template <bool kIsResult, class D, class V = hn::Vec<D>>
HWY_INLINE V Gradient(D d, V g, V v, const Args& args) {
  const V c = hn::Set(d, args.alpha * args.scale);
  const V q = hn::Set(d, args.input_scale);
  const V positive = hn::Mul(g, hn::Set(d, args.scale));
  V negative;
  if constexpr (kIsResult) {
    negative = hn::Mul(hn::Mul(g, q), hn::Add(v, c));
  } else {
    negative = hn::Mul(hn::Mul(hn::Mul(g, q), c), hn::Exp(d, hn::Mul(v, q)));
  }
  // NaN compares false and takes the linear branch, as in PyTorch.
  return hn::IfThenElse(hn::Le(v, hn::Zero(d)), negative, positive);
}

// Contiguous elements [0, count) of one dtype. The tail goes through a padded copy, so that every
// element sees the same arithmetic.
template <typename T, bool kIsResult>
void ContiguousRun(const T* grad, const T* value, T* out, int64_t count, const Args& args) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    StoreF32(d, Gradient<kIsResult>(d, LoadF32(d, grad + i), LoadF32(d, value + i), args), out + i);
  }
  if (i == count) return;
  T tail[3][HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(grad + i, grad + count, tail[0]);
  std::copy(value + i, value + count, tail[1]);
  StoreF32(d, Gradient<kIsResult>(d, LoadF32(d, tail[0]), LoadF32(d, tail[1]), args), tail[2]);
  std::copy(tail[2], tail[2] + (count - i), out + i);
}

// Any strides, any output dtype: through float32 buffers on the stack.
template <typename T, typename Out, bool kIsResult>
void StridedRun(const T* grad, int64_t grad_stride, const T* value, int64_t value_stride, Out* out,
                int64_t out_stride, int64_t count, const Args& args) {
  HWY_ALIGN float buffer[3][kChunk];
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t n = std::min(kChunk, count - begin);
    GatherF32(grad + begin * grad_stride, grad_stride, n, buffer[0]);
    GatherF32(value + begin * value_stride, value_stride, n, buffer[1]);
    ContiguousRun<float, kIsResult>(buffer[0], buffer[1], buffer[2], n, args);
    if constexpr (!std::is_same_v<T, Out> && !std::is_same_v<T, float>) {
      for (int64_t i = 0; i < n; ++i) buffer[2][i] = ToFloat(FromFloat<T>(buffer[2][i]));
    }
    ScatterF32(buffer[2], n, out + begin * out_stride, out_stride);
  }
}

template <typename T, typename Out, bool kIsResult>
void Typed(const Args& args) {
  const auto walk = Walk<3>::Make({&args.grad_output, &args.self_or_result, &args.grad_input});
  const int inner = walk.rank - 1;
  const bool contiguous = std::is_same_v<T, Out> && walk.InnerIsContiguous();
  const T* grad = args.grad_output.As<T>();
  const T* value = args.self_or_result.As<T>();
  Out* out = args.grad_input.As<Out>();
  ParallelFor(walk.count, kGrain, [&](int64_t begin, int64_t end) {
    walk.Visit(begin, end, [&](const int64_t* at, int64_t n) {
      if constexpr (std::is_same_v<T, Out>) {
        if (contiguous) {
          ContiguousRun<T, kIsResult>(grad + at[0], value + at[1], out + at[2], n, args);
          return;
        }
      }
      StridedRun<T, Out, kIsResult>(grad + at[0], walk.stride[0][inner], value + at[1],
                                    walk.stride[1][inner], out + at[2], walk.stride[2][inner], n,
                                    args);
    });
  });
}

template <typename T, typename Out>
void WithOutput(const Args& args) {
  args.is_result ? Typed<T, Out, true>(args) : Typed<T, Out, false>(args);
}

template <typename T>
void WithInput(const Args& args) {
  switch (args.grad_input.dtype) {
    case DType::kFloat16:
      return WithOutput<T, Float16>(args);
    case DType::kBFloat16:
      return WithOutput<T, BFloat16>(args);
    case DType::kFloat64:
      return WithOutput<T, double>(args);
    default:
      return WithOutput<T, float>(args);
  }
}

void Run(const Args& args) {
  switch (args.grad_output.dtype) {
    case DType::kFloat16:
      return WithInput<Float16>(args);
    case DType::kBFloat16:
      return WithInput<BFloat16>(args);
    default:
      return WithInput<float>(args);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::elu_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::elu_backward {

HWY_EXPORT(Run);

void RunOnCpu(const Args& args) { HWY_DYNAMIC_DISPATCH(Run)(args); }

}  // namespace aclimb::elu_backward
#endif
