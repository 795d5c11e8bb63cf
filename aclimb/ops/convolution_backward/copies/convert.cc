#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/copies/convert.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/copies/convert_row-inl.h"
#include "aclimb/ops/convolution_backward/copies/transposing_copy.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/walk.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::GatherF32;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::ScatterF32;
using aclimb::HWY_NAMESPACE::Stored;
using aclimb::HWY_NAMESPACE::StoredLane;

// `count` elements at the even places of a row of `length`, zeros at the others.
template <typename T>
HWY_INLINE void SpreadRow(const T* from, int64_t count, int64_t length, T* to) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= std::min(count, length / 2); i += lanes) {
    hn::StoreInterleaved2(hn::LoadU(d, from + i), hn::Zero(d), d, to + 2 * i);
  }
  std::fill(to + 2 * i, to + length, T{0});
  for (; i < count; ++i) to[2 * i] = from[i];
}

template <typename T>
void SpreadElements(const TensorView& from, const int64_t* step, const TensorView& to,
                    int64_t begin, int64_t end) {
  const auto* const all_from = Stored(from.As<T>());
  auto* const all_to = Stored(to.As<T>());
  using Lane = StoredLane<T>;
  const int64_t length = to.shape[4], count = from.shape[4];
  for (int64_t plane = begin; plane < end; ++plane) {
    const int64_t z = plane % to.shape[2], b = plane / to.shape[2] % to.shape[1];
    const int64_t a = plane / to.shape[2] / to.shape[1];
    const bool meets = z % step[0] == 0 && z / step[0] < from.shape[2];
    const Lane* source = all_from + a * from.stride[0] + b * from.stride[1];
    if (meets) source += z / step[0] * from.stride[2];
    Lane* const target = all_to + a * to.stride[0] + b * to.stride[1] + z * to.stride[2];
    int64_t taken = 0, next = meets && from.shape[3] > 0 ? 0 : to.shape[3];
    for (int64_t y = 0; y < to.shape[3]; ++y) {
      Lane* const row = target + y * to.stride[3];
      if (y == next && step[2] == 2) {
        SpreadRow(source, count, length, row);
      } else {
        std::fill(row, row + length, Lane{0});
        for (int64_t x = 0; y == next && x < count; ++x) row[x * step[2]] = source[x];
      }
      if (y != next) continue;
      source += from.stride[3];
      next = ++taken < from.shape[3] ? y + step[1] : to.shape[3];
    }
  }
}

// The planes [begin, end) of `to`.
void SpreadPlanes(const TensorView& from, const int64_t* step, const TensorView& to, int64_t begin,
                  int64_t end) {
  // A half type is spread as its bits.
  SizeOf(to.dtype) == 2 ? SpreadElements<BFloat16>(from, step, to, begin, end)
                        : SpreadElements<float>(from, step, to, begin, end);
}

// One run of a walk: `count` elements with a stride on either side.
template <typename From, typename To>
HWY_INLINE void ConvertRun(const From* from, int64_t from_stride, int64_t count, To* to,
                           int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) return ConvertRow(from, count, to);
  constexpr int64_t kChunk = 256;
  HWY_ALIGN float chunk[kChunk];
  for (int64_t i = 0; i < count; i += kChunk) {
    const int64_t n = std::min(kChunk, count - i);
    GatherF32(from + i * from_stride, from_stride, n, chunk);
    ScatterF32(chunk, n, to + i * to_stride, to_stride);
  }
}

template <typename From, typename To>
void ConvertRange(const Walk<2>& walk, const void* from, void* to, int64_t begin, int64_t end) {
  const int64_t from_stride = walk.stride[0][walk.rank - 1];
  const int64_t to_stride = walk.stride[1][walk.rank - 1];
  walk.Visit(begin, end, [&](const int64_t(&offset)[2], int64_t count) HWY_ATTR {
    ConvertRun(static_cast<const From*>(from) + offset[0], from_stride, count,
               static_cast<To*>(to) + offset[1], to_stride);
  });
}

using RangeFunction = void (*)(const Walk<2>&, const void*, void*, int64_t, int64_t);

constexpr RangeFunction kRanges[3][3] = {
    {ConvertRange<float, float>, ConvertRange<float, Float16>, ConvertRange<float, BFloat16>},
    {ConvertRange<Float16, float>, ConvertRange<Float16, Float16>, ConvertRange<Float16, BFloat16>},
    {ConvertRange<BFloat16, float>, ConvertRange<BFloat16, Float16>,
     ConvertRange<BFloat16, BFloat16>}};

void ConvertPiece(const Walk<2>& walk, const TensorView& from, const TensorView& to, int64_t begin,
                  int64_t end) {
  kRanges[IndexOf(from.dtype)][IndexOf(to.dtype)](walk, from.data, to.data, begin, end);
}

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

// Elements that are copied at once.
constexpr int64_t kGrain = 32 * 1024;

HWY_EXPORT(ConvertPiece);
HWY_EXPORT(SpecialInPiece);
HWY_EXPORT(SpreadPlanes);

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

// Runs of neighbours in the order of `to`.
void ConvertRuns(const TensorView& from, const TensorView& to, bool parallel) {
  const TensorView* const views[] = {&from, &to};
  const Walk<2> walk = Walk<2>::Make(views);
  if (walk.count == 0) return;
  const auto run = [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ConvertPiece)(walk, from, to, begin, end);
  };
  ForRange(walk.count, kGrain, parallel, run);
}

}  // namespace

void Convert(const TensorView& from, const TensorView& to, bool parallel) {
  if (const auto copy = TransposingCopy::Find(from, to)) return copy->Run(from, to, parallel);
  ConvertRuns(from, to, parallel);
}

bool ConvertAndLook(const TensorView& from, const TensorView& to, bool parallel) {
  if (const auto copy = TransposingCopy::Find(from, to)) {
    // Pieces are looked at while they are in the cache.
    std::atomic<bool> found{false};
    copy->Run(from, to, parallel, [&found](const TensorView& written) {
      if (HasNaN(written, false)) found.store(true, std::memory_order_relaxed);
    });
    return found.load(std::memory_order_relaxed);
  }
  ConvertRuns(from, to, parallel);
  return HasNaN(to, parallel);
}

void Spread(const TensorView& from, const int64_t (&step)[kDims], const TensorView& to,
            bool parallel) {
  const auto run = [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(SpreadPlanes)(from, step, to, begin, end);
  };
  const int64_t planes = to.shape[0] * to.shape[1] * to.shape[2];
  const int64_t plane = std::max<int64_t>(1, to.shape[3] * to.shape[4]);
  ForRange(planes, std::max<int64_t>(1, kGrain / plane), parallel, run);
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
