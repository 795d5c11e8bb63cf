#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/copies/convert.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per target.
#include <atomic>
#include <cmath>

#include "aclimb/copy/copy.h"
#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/tiles.h"
#include "aclimb/simd/walk.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::LoadF32;

// NaN, and with kInfinity also infinities, which less themselves are NaN.
template <bool kInfinity, typename T>
bool AnySpecial(const Walk<1>& walk, const T* from, int64_t begin, int64_t end) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t stride = walk.stride[0][walk.rank - 1];
  bool found = false;
  walk.Visit(begin, end, [&](const int64_t(&offset)[1], int64_t count) HWY_ATTR {
    const T* run = from + offset[0];
    int64_t i = 0;
    if (stride == 1) {
      auto nan = hn::IsNaN(hn::Zero(d));
      for (; i + lanes <= count; i += lanes) {
        const auto value = LoadF32(d, run + i);
        nan = hn::Or(nan, hn::IsNaN(kInfinity ? hn::Sub(value, value) : value));
      }
      found = found || !hn::AllFalse(d, nan);
    }
    for (; i < count; ++i) {
      const float value = ToFloat(run[i * stride]);
      found = found || std::isnan(kInfinity ? value - value : value);
    }
  });
  return found;
}

template <bool kInfinity>
bool SpecialInRange(const Walk<1>& walk, const TensorView& view, int64_t begin, int64_t end) {
  switch (view.dtype) {
    case DType::kFloat16:
      return AnySpecial<kInfinity>(walk, view.As<Float16>(), begin, end);
    case DType::kBFloat16:
      return AnySpecial<kInfinity>(walk, view.As<BFloat16>(), begin, end);
    default:
      return AnySpecial<kInfinity>(walk, view.As<float>(), begin, end);
  }
}

bool SpecialInPiece(const Walk<1>& walk, const TensorView& view, bool infinity, int64_t begin,
                    int64_t end) {
  return infinity ? SpecialInRange<true>(walk, view, begin, end)
                  : SpecialInRange<false>(walk, view, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {
namespace {

HWY_EXPORT(SpecialInPiece);

bool HasSpecial(const TensorView& view, bool infinity, bool parallel) {
  const TensorView* const views[] = {&view};
  const Walk<1> walk = Walk<1>::Make(views);
  std::atomic<bool> found{false};
  const auto run = [&](int64_t begin, int64_t end) {
    if (HWY_DYNAMIC_DISPATCH(SpecialInPiece)(walk, view, infinity, begin, end)) {
      found.store(true, std::memory_order_relaxed);
    }
  };
  ForRange(walk.count, 256 * 1024, parallel, run);
  return found.load(std::memory_order_relaxed);
}

}  // namespace

void Convert(const TensorView& from, const TensorView& to, bool parallel) {
  if (from.ElementCount() == 0) return;
  const copy::Job job(from, to);
  ForEach(job.chunks(), parallel, [&](int64_t chunk) { job.Run(chunk); });
}

bool IsTransposed(const TensorView& from, const TensorView& to) {
  constexpr int64_t kShortest = 8;
  return Tiles<2>::Across(Walk<2>::Make({&from, &to}), kShortest) >= 0;
}

void Clear(const TensorView& view, bool parallel) {
  // A zero of every storage type, read again and again.
  const float zero = 0.0f;
  TensorView zeros = view;
  zeros.data = const_cast<float*>(&zero);
  zeros.dtype = DType::kFloat32;
  for (int d = 0; d < zeros.rank; ++d) zeros.stride[d] = 0;
  Convert(zeros, view, parallel);
}

bool HasNaN(const TensorView& view, bool parallel) { return HasSpecial(view, false, parallel); }

bool IsFinite(const TensorView& view, bool parallel) { return !HasSpecial(view, true, parallel); }

}  // namespace aclimb::convolution_backward
#endif
