#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/products/vector_unit.cc"
// Register blocks are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <hwy/cache_control.h>

#include <algorithm>
#include <type_traits>

#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/ops/convolution_backward/pack-inl.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"
#include "aclimb/simd/factors-inl.h"
#include "aclimb/simd/panel-inl.h"
#include "aclimb/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::convolution_backward {
namespace HWY_NAMESPACE {
namespace {

using aclimb::HWY_NAMESPACE::AddProducts;
using aclimb::HWY_NAMESPACE::Clear;
using aclimb::HWY_NAMESPACE::kHeldRows;
using aclimb::HWY_NAMESPACE::kMostPanelVectors;
using aclimb::HWY_NAMESPACE::MultiplyAdd;
using aclimb::HWY_NAMESPACE::StoreRow;
using aclimb::HWY_NAMESPACE::Transpose;
using aclimb::HWY_NAMESPACE::WithFactors;

using Tag = aclimb::HWY_NAMESPACE::PanelTag;
using Vector = aclimb::HWY_NAMESPACE::PanelVector;
using Line = WindowsSlot::Line;
using Terms = WindowsSlot::Terms;

constexpr int64_t kRows = kWindowsRows;
static_assert(kRows % kHeldRows == 0);

int64_t VectorLanes() { return static_cast<int64_t>(hn::Lanes(Tag())); }

// Elements as they are packed: a number by itself, or a pair of neighbours in memory.
template <Factors kFactors>
constexpr Form kFormOf = kFactors == Factors::kPairs ? Form::kHalves : Form::kFloats;
template <Factors kFactors>
PlaneElement<kFormOf<kFactors>>* Row(float* packed) {
  return reinterpret_cast<PlaneElement<kFormOf<kFactors>>*>(packed);
}

// Calls body(factors, element of memory) with what stands for both.
template <class Body>
HWY_INLINE void WithOperand(Factors factors, DType dtype, const Body& body) {
  WithFactors(factors, [&](auto of) HWY_ATTR {
    if constexpr (of() == Factors::kPairs) {
      body(of, BFloat16());
    } else {
      WithType(dtype, [&](auto element) HWY_ATTR { body(of, element); });
    }
  });
}

// to[column][row] = from[row][column], of elements that are packed.
void TransposeRows(Factors factors, DType dtype, const void* from, int64_t stride, int64_t rows,
                   int64_t columns, float* to, int64_t to_stride) {
  WithOperand(factors, dtype, [&](auto of, auto element) HWY_ATTR {
    const auto* const typed = static_cast<const decltype(element)*>(from);
    if constexpr (std::is_same_v<decltype(element), float>) {
      Transpose(typed, stride, rows, columns, to, to_stride);
    } else {
      // What is converted passes in tiles that stay in the nearest cache.
      constexpr int64_t kTileRows = 48, kTileColumns = 128, kSome = PerElement(of());
      HWY_ALIGN float tile[kTileRows * kTileColumns];
      for (int64_t r = 0; r < rows; r += kTileRows) {
        const int64_t height = HWY_MIN(kTileRows, rows - r);
        for (int64_t c = 0; c < columns; c += kSome * kTileColumns) {
          const int64_t count = HWY_MIN(kSome * kTileColumns, columns - c);
          for (int64_t k = 0; k < height; ++k) {
            PackRow<kFormOf<of()>>(typed + (r + k) * stride + c, 1, 0, count, RoundUp(count, kSome),
                                   Row<of()>(tile + k * kTileColumns));
          }
          Transpose(tile, kTileColumns, height, CeilDivide(count, kSome),
                    to + c / kSome * to_stride + r, to_stride);
        }
      }
    }
  });
}

// Lines in order of places, every step-th element of what is in memory, of so many rows.
void CopyLines(Factors factors, DType dtype, const void* from, int64_t stride, int64_t step,
               int64_t rows, const Line* lines, int64_t count, float* to, int64_t to_stride) {
  WithOperand(factors, dtype, [&](auto of, auto element) HWY_ATTR {
    for (int64_t r = 0; r < rows; ++r) {
      const auto* const typed = static_cast<const decltype(element)*>(from) + r * stride;
      auto* const row = Row<of()>(to + r * to_stride);
      for (const Line* line = lines; line != lines + count; ++line) {
        PackRow<kFormOf<of()>>(typed + line->from, step, line->before, line->count, line->length,
                               row + line->to);
      }
    }
  });
}

// Sums of a block: of some rows of x, in some columns of y.
struct SumBlock {
  const float* left;
  const Terms* terms;
  int64_t count;
  const float* right;  // [depth][width], aligned to a vector
  bool add;            // to what is there
  float* sums;
  int64_t stride;
  int64_t to[kRows];  // the rows' places
  int64_t rows;
};

template <Factors kFactors, int kVectors>
void Sum(const SumBlock& block) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  for (int64_t first = 0; first < block.rows; first += kHeldRows) {
    const int64_t last = HWY_MIN(first + kHeldRows, block.rows);
    Vector sum[kHeldRows][kVectors];
    Clear(sum);
    // The sums so far come from a far cache while this block of them is computed.
    for (int64_t r = first; block.add && r < last; ++r) {
      const float* const at = block.sums + block.to[r] * block.stride;
      hwy::Prefetch(at);
      hwy::Prefetch(at + kVectors * lanes - 1);
    }
    for (const Terms* terms = block.terms; terms != block.terms + block.count; ++terms) {
      const float* row[kHeldRows];
#pragma GCC unroll 8
      for (int64_t r = 0; r < kHeldRows; ++r) row[r] = block.left + terms->left[first + r];
      AddProducts<kVectors>(row, block.right + terms->right * kVectors * lanes, kVectors * lanes,
                            terms->count, sum, [](Vector a, Vector b, Vector c) HWY_ATTR {
                              return MultiplyAdd<kFactors>(Tag(), a, b, c);
                            });
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      float* const to = block.sums + block.to[first + r] * block.stride;
      if (first + r < last) StoreRow<kVectors>(sum[r], block.add, to);
    }
  }
}

void Sum(Factors factors, int64_t vectors, const SumBlock& block) {
  WithFactors(factors, [&](auto of) HWY_ATTR {
    constexpr void (*kFunctions[kMostPanelVectors])(const SumBlock&) = {Sum<of(), 1>, Sum<of(), 2>,
                                                                        Sum<of(), 3>};
    kFunctions[vectors - 1](block);
  });
}

// An element of x or y, whose pixels stand side by side.
void* At(const TensorView& view, int64_t image, int64_t channel, int64_t pixel = 0) {
  return view.As<char>() + (image * view.stride[0] + channel * view.stride[1] + pixel) *
                               static_cast<int64_t>(SizeOf(view.dtype));
}

// Whether rows of x are read from where they are: in long lines of elements side by side, which the
// numbers of Terms can reach.
bool ReadsInPlace(const VectorWindows& p, const TensorView& x) {
  constexpr int64_t kLongLine = 24;
  const bool pairs = p.factors == Factors::kPairs;
  const DType packed = pairs ? DType::kBFloat16 : DType::kFloat32;
  if (x.dtype != packed || p.geometry.stride[2] != 1 || p.width < kLongLine) return false;
  // A pair that the edge of the image cuts needs a zero.
  const int64_t image = x.stride[0], row = x.stride[1];
  const bool whole = (p.width | p.geometry.in[2] | row | image) % 2 == 0;
  if (pairs && !(p.geometry.IsOneToOne() && whole)) return false;
  const int64_t last = (kRows - 1) * row + (p.images - 1) * image + p.geometry.InSize();
  return row >= 0 && image >= 0 && last < INT32_MAX;
}

// The line of x that a tap of the first two dimensions meets in a line of windows; -1 when there is
// none.
int64_t MetLine(const Geometry& g, int64_t line, int64_t tap) {
  const int64_t depth = Meets(g, 0, line / g.out[1], tap / g.kernel[1]);
  const int64_t row = Meets(g, 1, line % g.out[1], tap % g.kernel[1]);
  const bool meets = depth >= 0 && depth < g.in[0] && row >= 0 && row < g.in[1];
  return meets ? depth * g.in[1] + row : -1;
}

class Unit {
 public:
  Unit(const VectorWindows& p, int64_t unit, const TensorView& x, const TensorView& y, void* slot)
      : p_(p),
        g_(p.geometry),
        x_(x),
        y_(y),
        slot_(p, slot),
        some_(PerElement(p.factors)),
        pitch_(p.Pitch()),
        in_place_(ReadsInPlace(p, x)) {
    const int64_t across = CeilDivide(g_.y_channels, p.unit_columns);
    const int64_t down = CeilDivide(g_.x_channels, p.unit_rows);
    group_ = unit / across / down;
    first_row_ = unit / across % down * p.unit_rows;
    rows_ = std::min(p.unit_rows, g_.x_channels - first_row_);
    first_column_ = unit % across * p.unit_columns;
    columns_ = std::min(p.unit_columns, g_.y_channels - first_column_);
    width_ = RoundUp(columns_, p.lanes);
  }

  void Run() {
    LongSums sums(slot_.sums, p_.unit_rows * g_.KernelSize() * p_.unit_columns, kMostBlockSums,
                  slot_.totals);
    for (int64_t number = 0; number < p_.Blocks(); ++number) {
      FindBlock(number);
      const bool add = sums.Add(1);
      EachPanel([&](int64_t c, int64_t width, int64_t columns) { PackColumns(c, width, columns); });
      for (int64_t tap = 0; tap < g_.KernelSize(); ++tap) {
        FindTerms(tap);
        if (add && term_count_ == 0) continue;
        for (int64_t r = 0; r < rows_; r += kRows) AddRows(tap, r, add);
      }
    }
    sums.Finish();
  }

  void Store(const TensorView& weight) const {
    const int64_t taps = g_.KernelSize(), row = weight.stride[0];
    TensorView sums;
    sums.data = slot_.sums;
    sums.dtype = DType::kFloat32;
    sums.rank = 2;
    sums.shape[0] = rows_ * taps;
    sums.shape[1] = columns_;
    sums.stride[0] = width_;
    sums.stride[1] = 1;
    TensorView to = sums;
    to.dtype = weight.dtype;
    to.stride[0] = p_.exchanged ? row : 1;
    to.stride[1] = p_.exchanged ? 1 : row;
    const int64_t first = p_.exchanged
                              ? (group_ * g_.x_channels + first_row_) * row + first_column_
                              : (group_ * g_.y_channels + first_column_) * row + first_row_ * taps;
    to.data = weight.As<char>() + first * static_cast<int64_t>(SizeOf(weight.dtype));
    (void)copy::Copy(sums, to);
  }

 private:
  // Calls body(first, width, columns) for the panels of columns: `columns` of `width` are real. A
  // panel of one vector leaves the registers half empty: four are two and two.
  template <typename Body>
  void EachPanel(const Body& body) const {
    constexpr int64_t kMost = kMostPanelVectors;
    for (int64_t c = 0; c < columns_;) {
      const int64_t left = CeilDivide(columns_ - c, p_.lanes);
      const int64_t vectors = left == kMost + 1 ? 2 : std::min(left, kMost);
      body(c, vectors * p_.lanes, std::min(vectors * p_.lanes, columns_ - c));
      c += vectors * p_.lanes;
    }
  }

  void FindBlock(int64_t number) {
    const int64_t across = CeilDivide(g_.out[2], p_.width), down = CeilDivide(p_.Lines(), p_.lines);
    block_.column = number % across * p_.width;
    block_.width = std::min(p_.width, g_.out[2] - block_.column);
    block_.line = number / across % down * p_.lines;
    block_.lines = std::min(p_.lines, p_.Lines() - block_.line);
    block_.image = number / across / down * p_.images;
    block_.images = std::min(p_.images, g_.batch - block_.image);
    block_.pixels = block_.lines * block_.width;
    block_.plane = CeilDivide(block_.pixels, some_);
  }

  void PackColumns(int64_t c, int64_t width, int64_t columns) {
    float* panel = slot_.rights + c * block_.images * block_.plane;
    if (columns < width) std::fill_n(panel, width * block_.images * block_.plane, 0.0f);
    for (int64_t i = 0; i < block_.images; ++i, panel += block_.plane * width) {
      const void* const from = At(y_, block_.image + i, group_ * g_.y_channels + first_column_ + c,
                                  block_.line * g_.out[2] + block_.column);
      TransposeRows(p_.factors, y_.dtype, from, y_.stride[1], columns, block_.pixels, panel, width);
    }
  }

  // The lines of x that a tap meets, and the pixels that they are summed with.
  void FindTerms(int64_t tap) {
    line_count_ = term_count_ = 0;
    const Range windows = WindowsInside(g_, 2, tap % g_.kernel[2]);
    const int64_t first = std::clamp<int64_t>(windows.first - block_.column, 0, block_.width);
    const int64_t end = std::clamp<int64_t>(windows.last - block_.column, first, block_.width);
    if (first == end) return;
    const int64_t column = Meets(g_, 2, block_.column + first, tap % g_.kernel[2]);
    // Lines of whole elements are left out where no window meets them.
    const bool whole_lines = block_.width % some_ == 0;
    bool any = false;
    for (int64_t i = 0; i < block_.images; ++i) {
      for (int64_t l = 0; l < block_.lines; ++l) {
        const int64_t line = MetLine(g_, block_.line + l, tap / g_.kernel[2]);
        any = any || line >= 0;
        if (line < 0 && whole_lines) continue;
        const int64_t at = i * block_.plane * some_ + l * block_.width;
        const int64_t from = i * x_.stride[0] + line * g_.in[2] + column;
        if (in_place_) {
          AddTerms(from / some_, x_.stride[1] / some_, (at + first) / some_, (end - first) / some_);
          continue;
        }
        // Behind the last line of an image comes what its last element lacks.
        const bool last = l + 1 == block_.lines;
        const int64_t length = block_.width + (last ? block_.plane * some_ - block_.pixels : 0);
        slot_.lines[line_count_++] =
            line < 0 ? Line{0, at, length, 0, length} : Line{from, at, first, end - first, length};
        AddPacked(at, length);
      }
    }
    if (!any) term_count_ = 0;
  }

  // Packed numbers, from one on, so many of them.
  void AddPacked(int64_t at, int64_t length) {
    if (term_count_ > 0) {
      // Lines that are no whole elements are terms side by side, of an image.
      Terms& last = slot_.terms[term_count_ - 1];
      if (at <= (last.right + last.count) * some_) {
        last.count = static_cast<int32_t>(CeilDivide(at + length, some_)) - last.right;
        return;
      }
    }
    AddTerms(at / some_, pitch_, at / some_, CeilDivide(length, some_));
  }

  // Rows of the left operand begin at `left`, `row` elements apart.
  void AddTerms(int64_t left, int64_t row, int64_t right, int64_t count) {
    Terms& terms = slot_.terms[term_count_++];
    for (int64_t r = 0; r < kRows; ++r) terms.left[r] = static_cast<int32_t>(left + r * row);
    terms.right = static_cast<int32_t>(right);
    terms.count = static_cast<int32_t>(count);
  }

  void AddRows(int64_t tap, int64_t r, bool add) {
    const int64_t rows = std::min(kRows, rows_ - r);
    SumBlock block = {slot_.lefts, slot_.terms, term_count_, {}, add, {}, width_, {}, rows};
    const void* const x = At(x_, block_.image, group_ * g_.x_channels + first_row_ + r);
    if (in_place_) {
      block.left = static_cast<const float*>(x);
      // The last block; rows that it lacks repeat one.
      for (int64_t k = rows; k < kRows; ++k) {
        for (int64_t t = 0; t < term_count_; ++t) slot_.terms[t].left[k] = slot_.terms[t].left[0];
      }
    } else {
      CopyLines(p_.factors, x_.dtype, x, x_.stride[1], g_.stride[2], rows, slot_.lines, line_count_,
                slot_.lefts, pitch_);
    }
    for (int64_t k = 0; k < kRows; ++k) block.to[k] = (r + k) * g_.KernelSize() + tap;
    EachPanel([&](int64_t c, int64_t width, int64_t) {
      block.right = slot_.rights + c * block_.images * block_.plane;
      block.sums = slot_.sums + c;
      Sum(p_.factors, width / p_.lanes, block);
    });
  }

  const VectorWindows& p_;
  const Geometry& g_;
  const TensorView &x_, &y_;
  const WindowsSlot slot_;
  const int64_t some_;   // numbers of an element
  const int64_t pitch_;  // elements of a block's pixels, at most
  const bool in_place_;  // rows are read from where they are
  int64_t group_, first_row_, rows_, first_column_, columns_;
  int64_t width_;  // of all columns, in whole vectors
  // What is being summed; `pixels` of an image, `plane` elements of them.
  struct {
    int64_t image, images, line, lines, column, width, pixels, plane;
  } block_ = {};
  int64_t line_count_ = 0, term_count_ = 0;
};

}  // namespace

void WindowsUnit(const VectorWindows& windows, int64_t unit, const TensorView& x,
                 const TensorView& y, const TensorView& weight, void* slot) {
  Unit sums(windows, unit, x, y, slot);
  sums.Run();
  sums.Store(weight);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::convolution_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {

HWY_EXPORT(VectorLanes);
HWY_EXPORT(WindowsUnit);

int64_t WindowsLanes() { return HWY_DYNAMIC_DISPATCH(VectorLanes)(); }

void WindowsUnit(const VectorWindows& windows, int64_t unit, const TensorView& x,
                 const TensorView& y, const TensorView& weight, void* slot) {
  HWY_DYNAMIC_DISPATCH(WindowsUnit)(windows, unit, x, y, weight, slot);
}

}  // namespace aclimb::convolution_backward
#endif
