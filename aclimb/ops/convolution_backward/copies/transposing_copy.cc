#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/copies/transposing_copy.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <algorithm>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/copies/convert_row-inl.h"
#include "aclimb/ops/convolution_backward/copies/transposing_copy.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::Stored;
using aclimb::HWY_NAMESPACE::Transpose;
using aclimb::HWY_NAMESPACE::UnzipRow;
using aclimb::HWY_NAMESPACE::ZipRow;

using Piece = TransposingCopy::Piece;

// Tiles between two steps of a copy, which stay in the nearest cache.
constexpr int64_t kLong = 128, kShort = 32;

// Calls body(i, length, j, width) for tiles of a plane.
template <typename Body>
HWY_INLINE void EachTile(int64_t rows, int64_t most_rows, int64_t columns, int64_t most_columns,
                         const Body& body) {
  for (int64_t j = 0; j < columns; j += most_columns) {
    for (int64_t i = 0; i < rows; i += most_rows) {
      body(i, std::min(most_rows, rows - i), j, std::min(most_columns, columns - j));
    }
  }
}

// Two-byte elements are transposed as they are, before they are widened or after they were rounded.
template <typename From, typename To>
HWY_INLINE void CopyPlane(const Piece& p, const From* from, To* to) {
  if constexpr (std::is_same_v<From, To>) {
    Transpose(Stored(from), p.from_step, p.columns, p.rows, Stored(to), p.to_step);
  } else {
    constexpr bool kRounds = std::is_same_v<From, float>;
    HWY_ALIGN std::conditional_t<kRounds, To, From> tile[kLong * kShort];
    EachTile(p.rows, kLong, p.columns, kShort,
             [&](int64_t i, int64_t length, int64_t j, int64_t width) HWY_ATTR {
               const From* const at = from + i + j * p.from_step;
               To* const out = to + i * p.to_step + j;
               if constexpr (kRounds) {
                 for (int64_t k = 0; k < width; ++k) {
                   ConvertRow(at + k * p.from_step, length, tile + k * kLong);
                 }
                 Transpose(Stored(tile), kLong, width, length, Stored(out), p.to_step);
               } else {
                 Transpose(Stored(at), p.from_step, width, length, Stored(tile), kShort);
                 for (int64_t k = 0; k < length; ++k) {
                   ConvertRow(tile + k * kShort, width, out + k * p.to_step);
                 }
               }
             });
  }
}

// Pairs of two-byte elements are transposed as elements of four bytes.
template <typename T>
HWY_INLINE void ZipPlane(const Piece& p, const T* from, T* to) {
  if (p.columns == 0) return ZipRow(from, from + p.pair_step, p.rows, to);
  if constexpr (sizeof(T) == 2) {
    HWY_ALIGN float tile[kLong * kShort];
    EachTile(p.rows, kLong, p.columns, kShort,
             [&](int64_t i, int64_t length, int64_t j, int64_t width) HWY_ATTR {
               const T* const at = from + i + j * p.from_step;
               for (int64_t k = 0; k < width; ++k) {
                 const T* const row = at + k * p.from_step;
                 ZipRow(row, row + p.pair_step, length, reinterpret_cast<T*>(tile + k * kLong));
               }
               Transpose(tile, kLong, width, length,
                         reinterpret_cast<float*>(to + i * p.to_step + 2 * j), p.to_step / 2);
             });
  }
}

template <typename T>
HWY_INLINE void UnzipPlane(const Piece& p, const T* from, T* to) {
  if (p.columns == 0) return UnzipRow(from, p.rows, to, to + p.pair_step);
  if constexpr (sizeof(T) == 2) {
    HWY_ALIGN float tile[kShort * kLong];
    EachTile(p.rows, kShort, p.columns, kLong,
             [&](int64_t i, int64_t length, int64_t j, int64_t width) HWY_ATTR {
               Transpose(reinterpret_cast<const float*>(from + 2 * i + j * p.from_step),
                         p.from_step / 2, width, length, tile, kLong);
               for (int64_t k = 0; k < length; ++k) {
                 T* const row = to + (i + k) * p.to_step + j;
                 UnzipRow(reinterpret_cast<const T*>(tile + k * kLong), width, row,
                          row + p.pair_step);
               }
             });
  }
}

template <typename From, typename To>
void CopyPlanes(const Piece& p, const void* from_data, void* to_data) {
  const From* from = static_cast<const From*>(from_data);
  To* to = static_cast<To*>(to_data);
  for (int64_t k = 0; k < p.outer; ++k, from += p.from_outer, to += p.to_outer) {
    if (p.kind == TransposingCopy::Kind::kPlanes) {
      CopyPlane(p, from, to);
    } else if constexpr (std::is_same_v<From, To>) {
      p.kind == TransposingCopy::Kind::kZip ? ZipPlane(p, Stored(from), Stored(to))
                                            : UnzipPlane(p, Stored(from), Stored(to));
    }
  }
}

void CopyPiece(const Piece& piece, DType from_dtype, DType to_dtype, const void* from, void* to) {
  using Function = void (*)(const Piece&, const void*, void*);
  constexpr Function kFunctions[3][3] = {
      {CopyPlanes<float, float>, CopyPlanes<float, Float16>, CopyPlanes<float, BFloat16>},
      {CopyPlanes<Float16, float>, CopyPlanes<Float16, Float16>, CopyPlanes<Float16, BFloat16>},
      {CopyPlanes<BFloat16, float>, CopyPlanes<BFloat16, Float16>, CopyPlanes<BFloat16, BFloat16>}};
  kFunctions[IndexOf(from_dtype)][IndexOf(to_dtype)](piece, from, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::convolution_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {
namespace {

HWY_EXPORT(CopyPiece);

constexpr int64_t kShortest = 8;         // of the dimensions that are transposed
constexpr int64_t kShortestZipped = 24;  // of rows that are only zipped

// The dimension of at least so many elements in which neighbours of operand n are `stride` elements
// apart, or -1.
int WithStride(const Walk<2>& walk, int n, int64_t stride, int64_t least) {
  for (int d = walk.rank - 1; d >= 0; --d) {
    if (walk.stride[n][d] == stride && walk.extent[d] >= least) return d;
  }
  return -1;
}

char* At(const TensorView& view, int64_t offset) {
  return view.As<char>() + offset * static_cast<int64_t>(SizeOf(view.dtype));
}

}  // namespace

std::optional<TransposingCopy> TransposingCopy::Find(const TensorView& from, const TensorView& to) {
  const TensorView* const views[] = {&from, &to};
  TransposingCopy copy;
  copy.walk_ = Walk<2>::Make(views);
  const Walk<2>& walk = copy.walk_;
  if (walk.count == 0) return std::nullopt;
  copy.from_ = WithStride(walk, 0, 1, kShortest);
  copy.to_ = WithStride(walk, 1, 1, kShortest);
  if (copy.from_ < 0 || copy.to_ < 0) {
    // One side may be in pairs.
    if (from.dtype != to.dtype) return std::nullopt;
    const bool zips = copy.from_ >= 0;
    const int paired = zips ? 1 : 0;
    int& other = zips ? copy.to_ : copy.from_;
    copy.kind_ = zips ? Kind::kZip : Kind::kUnzip;
    copy.pair_ = WithStride(walk, paired, 1, 2);
    other = WithStride(walk, paired, 2, kShortest);
    if (copy.pair_ < 0 || walk.extent[copy.pair_] != 2 || copy.from_ < 0 || copy.to_ < 0) {
      return std::nullopt;
    }
    if (copy.from_ == copy.to_) {
      if (walk.extent[copy.from_] < kShortestZipped) return std::nullopt;
    } else {
      const int across = zips ? copy.from_ : copy.to_;
      const bool whole_pairs = walk.stride[paired][across] % 2 == 0;
      if (from.dtype == DType::kFloat32 || !whole_pairs) return std::nullopt;
    }
  } else if (copy.from_ == copy.to_) {
    return std::nullopt;
  }
  for (int d = walk.rank - 1; d >= 0 && copy.outer_ < 0; --d) {
    if (d != copy.from_ && d != copy.to_ && d != copy.pair_) copy.outer_ = d;
  }
  return copy;
}

void TransposingCopy::Run(const TensorView& from, const TensorView& to, bool parallel,
                          const std::function<void(const TensorView&)>& look) const {
  // A piece stays in the cache, and what it reads and writes comes in long runs.
  constexpr int64_t kPiece = 64 * 1024, kLongest = 2048;
  const bool has_columns = from_ != to_;
  const int64_t rows = walk_.extent[from_], columns = has_columns ? walk_.extent[to_] : 1;
  // The shorter one stays whole if it can.
  const int64_t width = std::min({rows, columns, kLongest});
  const int64_t length = std::max<int64_t>(32, kPiece / width / 32 * 32);
  const int64_t piece_rows = rows < columns ? width : std::min(rows, length);
  const int64_t piece_columns = rows < columns ? std::min(columns, length) : width;
  const int64_t row_cuts = CeilDivide(rows, piece_rows);
  const int64_t column_cuts = CeilDivide(columns, piece_columns);
  const int64_t outer = outer_ < 0 ? 1 : walk_.extent[outer_];
  const int64_t piece_outer =
      std::clamp<int64_t>(kPiece / 4 / (piece_rows * piece_columns), 1, outer);
  const int64_t outer_cuts = CeilDivide(outer, piece_outer);
  const int64_t planes = walk_.count / (rows * columns * outer * (pair_ < 0 ? 1 : 2));
  const auto stride = [&](int n, int d) { return d < 0 ? 0 : walk_.stride[n][d]; };

  Piece whole = {};
  whole.kind = kind_;
  whole.from_outer = stride(0, outer_);
  whole.to_outer = stride(1, outer_);
  whole.from_step = stride(0, to_);
  whole.to_step = stride(1, from_);
  whole.pair_step = stride(kind_ == Kind::kZip ? 0 : 1, pair_);
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      int64_t rest = index;
      int64_t offset[2] = {};
      Piece piece = whole;
      const auto cut = [&](int d, int64_t extent, int64_t length_of_piece, int64_t cuts) {
        const int64_t first = rest % cuts * length_of_piece;
        rest /= cuts;
        for (int n = 0; n < 2; ++n) offset[n] += first * stride(n, d);
        return std::min(length_of_piece, extent - first);
      };
      piece.rows = cut(from_, rows, piece_rows, row_cuts);
      if (has_columns) piece.columns = cut(to_, columns, piece_columns, column_cuts);
      piece.outer = cut(outer_, outer, piece_outer, outer_cuts);
      for (int d = walk_.rank - 1; d >= 0; --d) {
        if (d == from_ || d == to_ || d == pair_ || d == outer_) continue;
        for (int n = 0; n < 2; ++n) offset[n] += rest % walk_.extent[d] * walk_.stride[n][d];
        rest /= walk_.extent[d];
      }
      char* const written = At(to, offset[1]);
      HWY_DYNAMIC_DISPATCH(CopyPiece)(piece, from.dtype, to.dtype, At(from, offset[0]), written);
      if (!look) continue;
      TensorView view;
      view.data = written;
      view.dtype = to.dtype;
      const auto add = [&](int64_t extent, int d) {
        if (d < 0) return;
        view.shape[view.rank] = extent;
        view.stride[view.rank++] = walk_.stride[1][d];
      };
      add(piece.outer, outer_);
      add(2, pair_);
      add(piece.rows, from_);
      if (has_columns) add(piece.columns, to_);
      look(view);
    }
  };
  const int64_t pieces = planes * outer_cuts * column_cuts * row_cuts;
  const int64_t grain = std::max<int64_t>(1, kPiece / 4 / CeilDivide(walk_.count, pieces));
  ForRange(pieces, grain, parallel, run);
}

}  // namespace aclimb::convolution_backward
#endif
