// Transposes through registers. Included once per instruction set by files that use
// hwy/foreach_target.h.
#if defined(ACLIMB_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_SIMD_TRANSPOSE_INL_H_
#undef ACLIMB_SIMD_TRANSPOSE_INL_H_
#else
#define ACLIMB_SIMD_TRANSPOSE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of one lane, or of a length that is only known at run time, go through memory.
#undef ACLIMB_SHUFFLES
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
#define ACLIMB_SHUFFLES 0
#else
#define ACLIMB_SHUFFLES 1
#endif

// Elements in 16 bytes, within which vectors are shuffled.
template <typename T>
constexpr int64_t kBlock = 16 / sizeof(T);

#if ACLIMB_SHUFFLES
// Block b of the vector from from + b * step.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const T* from, int64_t step) {
  if constexpr (hn::MaxLanes(D()) <= kBlock<T>) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const auto blocks = static_cast<int64_t>(hn::MaxLanes(half)) / kBlock<T>;
    return hn::Combine(d, LoadBlocks(half, from + blocks * step, step),
                       LoadBlocks(half, from, step));
  }
}
#endif

// to[c * to_stride + r] = from[r * stride + c] for Lanes(d) rows and kBlock columns, stored by
// store(vector, address).
template <class D, typename T = hn::TFromD<D>, class Store>
HWY_INLINE void TransposeBlock(D d, const T* from, int64_t stride, T* to, int64_t to_stride,
                               const Store& store) {
  constexpr int64_t n = kBlock<T>;
#if ACLIMB_SHUFFLES
  hn::Vec<D> row[n], mixed[n];
  for (int64_t k = 0; k < n; ++k) row[k] = LoadBlocks(d, from + k * stride, n * stride);
  // Each pass halves the distance of a column's neighbours: they end side by side.
  for (int64_t pass = 1; pass < n; pass *= 2) {
    for (int64_t k = 0; k < n / 2; ++k) {
      mixed[2 * k] = hn::InterleaveLower(d, row[k], row[k + n / 2]);
      mixed[2 * k + 1] = hn::InterleaveUpper(d, row[k], row[k + n / 2]);
    }
    for (int64_t k = 0; k < n; ++k) row[k] = mixed[k];
  }
  for (int64_t k = 0; k < n; ++k) store(row[k], to + k * to_stride);
#else
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN T column[hn::MaxLanes(D())];
  for (int64_t c = 0; c < n; ++c) {
    for (int64_t r = 0; r < lanes; ++r) column[r] = from[r * stride + c];
    store(hn::LoadU(d, column), to + c * to_stride);
  }
#endif
}

// Calls body(d, i) for vectors of at most kMost elements that cover [0, count), the longest that
// fit; the last may overlap the one before. Vectors of fewer than kLeast elements are not tried.
template <typename T, size_t kMost, size_t kLeast, class Body>
HWY_INLINE void EachVector(int64_t count, const Body& body) {
  const hn::CappedTag<T, kMost> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (count < lanes) {
    if constexpr (kMost > kLeast) EachVector<T, kMost / 2, kLeast>(count, body);
    return;
  }
  for (int64_t i = 0; i < count; i += lanes) body(d, HWY_MIN(i, count - lanes));
}

// When column c begins a cache line, asks for the line of `lanes` rows from row r on that is read
// two lines later: their own, or of the rows that come after them.
template <typename T>
HWY_INLINE void PrefetchRows(const T* from, int64_t stride, int64_t rows, int64_t columns,
                             int64_t lanes, int64_t r, int64_t c) {
  constexpr int64_t kLine = 64 / sizeof(T);
  if (c % kLine != 0) return;
  const int64_t lines = (columns + kLine - 1) / kLine, line = c / kLine + 2;
  if (line >= lines) r += lanes;
  c = (line >= lines ? line - lines : line) * kLine;
  if (c >= columns || r + lanes > rows) return;
  for (int64_t k = 0; k < lanes; ++k) hwy::Prefetch(from + (r + k) * stride + c);
}

// to[c * to_stride + r] = from[r * stride + c] for r < rows and c < columns; T is uint16_t or
// float. The two do not overlap. What is left of whole blocks at the end is written twice.
template <typename T>
void Transpose(const T* from, int64_t stride, int64_t rows, int64_t columns, T* to,
               int64_t to_stride) {
  if (rows < kBlock<T> || columns < kBlock<T>) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        hwy::CopyBytes<sizeof(T)>(from + r * stride + c, to + c * to_stride + r);
      }
    }
    return;
  }
  // Half a vector of 64 bytes: a processor loads two of them at a time, and shuffles them so.
  constexpr size_t kHalf = HWY_MIN(hn::MaxLanes(hn::ScalableTag<T>()), 32 / sizeof(T));
  constexpr size_t kMost = HWY_MAX(kHalf, size_t{kBlock<T>});
  EachVector<T, kMost, kBlock<T>>(rows, [&](auto d, int64_t r) HWY_ATTR {
    const auto store = [d](hn::Vec<decltype(d)> value, T* at)
                           HWY_ATTR { hn::StoreU(value, d, at); };
    for (int64_t next = 0; next < columns; next += kBlock<T>) {
      PrefetchRows(from, stride, rows, columns, static_cast<int64_t>(hn::Lanes(d)), r, next);
      const int64_t c = HWY_MIN(next, columns - kBlock<T>);
      TransposeBlock(d, from + r * stride + c, stride, to + c * to_stride + r, to_stride, store);
    }
  });
}

// to[2 * i] = even[i] and to[2 * i + 1] = odd[i] for i < count. T as for Transpose, no overlap.
template <typename T>
HWY_INLINE void ZipRow(const T* even, const T* odd, int64_t count, T* to) {
  EachVector<T, hn::MaxLanes(hn::ScalableTag<T>()), 1>(count, [&](auto d, int64_t i) HWY_ATTR {
    hn::StoreInterleaved2(hn::LoadU(d, even + i), hn::LoadU(d, odd + i), d, to + 2 * i);
  });
}

// The inverse.
template <typename T>
HWY_INLINE void UnzipRow(const T* from, int64_t count, T* even, T* odd) {
  EachVector<T, hn::MaxLanes(hn::ScalableTag<T>()), 1>(count, [&](auto d, int64_t i) HWY_ATTR {
    hn::Vec<decltype(d)> first, second;
    hn::LoadInterleaved2(d, from + 2 * i, first, second);
    hn::StoreU(first, d, even + i);
    hn::StoreU(second, d, odd + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#endif
