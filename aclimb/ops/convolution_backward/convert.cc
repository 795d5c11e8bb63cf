#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/convert.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl header is included once per target.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/convert.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/transpose-inl.h"
#include "aclimb/simd/walk.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::GatherF32;
using aclimb::HWY_NAMESPACE::LoadF32;
using aclimb::HWY_NAMESPACE::LoadFirst;
using aclimb::HWY_NAMESPACE::ScatterF32;
using aclimb::HWY_NAMESPACE::Stored;
using aclimb::HWY_NAMESPACE::StoreF32;
using aclimb::HWY_NAMESPACE::StoreFirst;
using aclimb::HWY_NAMESPACE::Transpose;

// Elements side by side on both sides.
template <typename From, typename To>
HWY_INLINE void ConvertRow(const From* from, int64_t count, To* to) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) StoreF32(d, LoadF32(d, from + i), to + i);
  if (i < count) StoreFirst(d, LoadFirst(d, from + i, count - i), to + i, count - i);
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

// A transposing copy: element (i, j) is from[i + j * from_stride] and goes to to[i * to_stride +
// j]. Two-byte elements are transposed as they are, before they are widened or after they were
// rounded.
template <typename From, typename To>
void ConvertPlane(const void* from_data, int64_t from_stride, void* to_data, int64_t to_stride,
                  int64_t rows, int64_t columns) {
  const From* const from = static_cast<const From*>(from_data);
  To* const to = static_cast<To*>(to_data);
  if constexpr (std::is_same_v<From, To>) {
    Transpose(Stored(from), from_stride, columns, rows, Stored(to), to_stride);
  } else {
    constexpr int64_t kLong = 256, kShort = 32;
    constexpr bool kRounds = std::is_same_v<From, float>;
    HWY_ALIGN std::conditional_t<kRounds, To, From> tile[kLong * kShort];
    for (int64_t j = 0; j < columns; j += kShort) {
      const int64_t width = std::min(kShort, columns - j);
      for (int64_t i = 0; i < rows; i += kLong) {
        const int64_t length = std::min(kLong, rows - i);
        const From* const at = from + i + j * from_stride;
        To* const out = to + i * to_stride + j;
        if constexpr (kRounds) {
          for (int64_t k = 0; k < width; ++k) {
            ConvertRow(at + k * from_stride, length, tile + k * kLong);
          }
          Transpose(Stored(tile), kLong, width, length, Stored(out), to_stride);
        } else {
          Transpose(Stored(at), from_stride, width, length, Stored(tile), kShort);
          for (int64_t k = 0; k < length; ++k) {
            ConvertRow(tile + k * kShort, width, out + k * to_stride);
          }
        }
      }
    }
  }
}

using RangeFunction = void (*)(const Walk<2>&, const void*, void*, int64_t, int64_t);
using PlaneFunction = void (*)(const void*, int64_t, void*, int64_t, int64_t, int64_t);

// Index of a storage type in the tables below.
HWY_INLINE int IndexOf(DType dtype) {
  return dtype == DType::kFloat16 ? 1 : dtype == DType::kBFloat16 ? 2 : 0;
}
constexpr RangeFunction kRanges[3][3] = {
    {ConvertRange<float, float>, ConvertRange<float, Float16>, ConvertRange<float, BFloat16>},
    {ConvertRange<Float16, float>, ConvertRange<Float16, Float16>, ConvertRange<Float16, BFloat16>},
    {ConvertRange<BFloat16, float>, ConvertRange<BFloat16, Float16>,
     ConvertRange<BFloat16, BFloat16>}};
constexpr PlaneFunction kPlanes[3][3] = {
    {ConvertPlane<float, float>, ConvertPlane<float, Float16>, ConvertPlane<float, BFloat16>},
    {ConvertPlane<Float16, float>, ConvertPlane<Float16, Float16>, ConvertPlane<Float16, BFloat16>},
    {ConvertPlane<BFloat16, float>, ConvertPlane<BFloat16, Float16>,
     ConvertPlane<BFloat16, BFloat16>}};

void ConvertPiece(const Walk<2>& walk, const TensorView& from, const TensorView& to, int64_t begin,
                  int64_t end) {
  kRanges[IndexOf(from.dtype)][IndexOf(to.dtype)](walk, from.data, to.data, begin, end);
}
void TransposePiece(const TensorView& from, int64_t from_offset, int64_t from_stride,
                    const TensorView& to, int64_t to_offset, int64_t to_stride, int64_t rows,
                    int64_t columns) {
  kPlanes[IndexOf(from.dtype)][IndexOf(to.dtype)](
      from.As<char>() + from_offset * static_cast<int64_t>(SizeOf(from.dtype)), from_stride,
      to.As<char>() + to_offset * static_cast<int64_t>(SizeOf(to.dtype)), to_stride, rows, columns);
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

HWY_EXPORT(ConvertPiece);
HWY_EXPORT(TransposePiece);
HWY_EXPORT(SpecialInPiece);

// The dimension of `walk` in which operand `n` is contiguous and long enough for tiles, or -1.
int ContiguousDimension(const Walk<2>& walk, int n) {
  for (int d = walk.rank - 1; d >= 0; --d) {
    if (walk.stride[n][d] == 1 && walk.extent[d] >= 8) return d;
  }
  return -1;
}

bool HasSpecial(const TensorView& view, bool infinity, bool parallel) {
  const TensorView* const views[] = {&view};
  const Walk<1> walk = Walk<1>::Make(views);
  std::atomic<bool> found{false};
  const auto run = [&](int64_t begin, int64_t end) {
    if (HWY_DYNAMIC_DISPATCH(SpecialInPiece)(walk, view, infinity, begin, end)) {
      found.store(true, std::memory_order_relaxed);
    }
  };
  if (parallel) {
    ParallelFor(walk.count, 256 * 1024, run);
  } else {
    run(0, walk.count);
  }
  return found.load(std::memory_order_relaxed);
}

// The dimensions that a transposing copy exchanges.
struct Transposed {
  int from, to;  // contiguous in one operand each
};
std::optional<Transposed> TransposedIn(const Walk<2>& walk) {
  const int from = ContiguousDimension(walk, 0), to = ContiguousDimension(walk, 1);
  if (walk.InnerIsContiguous() || from < 0 || to < 0 || from == to) return std::nullopt;
  return Transposed{from, to};
}

}  // namespace

bool Transposes(const TensorView& from, const TensorView& to) {
  const TensorView* const views[] = {&from, &to};
  return TransposedIn(Walk<2>::Make(views)).has_value();
}

void Convert(const TensorView& from, const TensorView& to, bool parallel) {
  const TensorView* const views[] = {&from, &to};
  const Walk<2> walk = Walk<2>::Make(views);
  if (walk.count == 0) return;
  if (const auto transposed = TransposedIn(walk)) {
    const auto [i, j] = *transposed;
    // Every other dimension counts planes; the longer one of the two is cut so that a piece stays
    // in the cache, and long runs are read and written.
    const int64_t rows = walk.extent[i], columns = walk.extent[j];
    const int64_t length = std::max(rows, columns), width = std::min(rows, columns);
    const int64_t piece_length = std::max<int64_t>(32, 64 * 1024 / width / 32 * 32);
    const int64_t cuts = CeilDivide(length, piece_length);
    const int64_t planes = walk.count / (rows * columns);
    const bool cuts_rows = rows >= columns;
    const int along = cuts_rows ? i : j;
    const auto run = [&, i = i, j = j](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        const int64_t first = piece % cuts * piece_length;
        const int64_t count = std::min(piece_length, length - first);
        int64_t rest = piece / cuts;
        int64_t offset[2] = {first * walk.stride[0][along], first * walk.stride[1][along]};
        for (int d = walk.rank - 1; d >= 0; --d) {
          if (d == i || d == j) continue;
          for (int n = 0; n < 2; ++n) offset[n] += rest % walk.extent[d] * walk.stride[n][d];
          rest /= walk.extent[d];
        }
        HWY_DYNAMIC_DISPATCH(TransposePiece)
        (from, offset[0], walk.stride[0][j], to, offset[1], walk.stride[1][i],
         cuts_rows ? count : rows, cuts_rows ? columns : count);
      }
    };
    if (parallel) {
      ParallelFor(planes * cuts, std::max<int64_t>(1, 16 * 1024 / (rows * columns)), run);
    } else {
      run(0, planes * cuts);
    }
    return;
  }
  const auto run = [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ConvertPiece)(walk, from, to, begin, end);
  };
  if (parallel) {
    ParallelFor(walk.count, 32 * 1024, run);
  } else {
    run(0, walk.count);
  }
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
