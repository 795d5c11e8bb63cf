#include "aclimb/ops/convolution_backward/products/vector_windows.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

using vectors::kMostBlockSums;
using vectors::kRows;
using vectors::Line;
using vectors::Terms;

// Sums of one block: the panel of the right operand that they meet stays in the nearest cache.
constexpr int64_t kMostDepth = 256;
constexpr int64_t kMostColumns = 512;
constexpr int64_t kMostRows = 1152;  // of all taps

// Blocks of up to so many pixels.
void CutPixels(VectorWindows& p, int64_t most) {
  const Geometry& g = p.geometry;
  const auto even = [](int64_t count, int64_t limit) {
    return CeilDivide(count, CeilDivide(count, std::max<int64_t>(limit, 1)));
  };
  p.images = even(g.batch, most / (p.Lines() * g.out[2]));
  p.lines = even(p.Lines(), most / g.out[2]);
  p.width = even(g.out[2], most);
}

// Cuts channels of x and y into so many units each way that the time is least by a model: every
// thread takes as many units as the busiest one, and a unit reads its operands in the time of
// multiplying a few more rows and columns.
void CutChannels(VectorWindows& p, int threads) {
  constexpr double kReading = 16;
  const Geometry& g = p.geometry;
  const int64_t most_rows = std::max(kMostRows / g.KernelSize() / kRows, int64_t{1}) * kRows;
  const int64_t least_down = CeilDivide(g.x_channels, most_rows);
  const int64_t least_across = CeilDivide(g.y_channels, kMostColumns);
  const int64_t most_across =
      std::max(least_across, std::min(g.y_channels / (2 * p.lanes), least_across + 2 * threads));
  const auto cut = [&](int64_t down, int64_t across) {
    p.unit_rows = RoundUp(CeilDivide(g.x_channels, down), kRows);
    p.unit_columns = RoundUp(CeilDivide(g.y_channels, across), p.lanes);
  };
  double least = 0;
  int64_t best_down = least_down, best_across = least_across;
  for (int64_t down = least_down; down <= least_down + 2 * threads; ++down) {
    for (int64_t across = least_across; across <= most_across; ++across) {
      cut(down, across);
      const double rounds = static_cast<double>(CeilDivide(p.Units(), int64_t{threads}));
      const double time = rounds * (static_cast<double>(p.unit_rows * g.KernelSize()) + kReading) *
                          (static_cast<double>(p.unit_columns) + kReading);
      if (least > 0 && time >= least) continue;
      least = time;
      best_down = down;
      best_across = across;
    }
  }
  cut(best_down, best_across);
}

// A matrix for each image, or one, with the elements of a row side by side. Strides in elements.
struct Matrix {
  char* data;
  DType dtype;
  int64_t image, row;

  // Of x or y: a row for each channel.
  static Matrix Channels(const TensorView& view) {
    return {view.As<char>(), view.dtype, view.stride[0], view.stride[1]};
  }
  void* At(int64_t i, int64_t r, int64_t c = 0) const {
    return data + (i * image + r * row + c) * static_cast<int64_t>(SizeOf(dtype));
  }
};

// Whether rows of x are read from where they are: in long lines of elements side by side, which the
// numbers of Terms can reach.
bool ReadsInPlace(const VectorWindows& p, const Matrix& x) {
  constexpr int64_t kLongLine = 24;
  const bool pairs = p.factors == Factors::kPairs;
  const DType packed = pairs ? DType::kBFloat16 : DType::kFloat32;
  if (x.dtype != packed || p.geometry.stride[2] != 1 || p.width < kLongLine) return false;
  // A pair that the edge of the image cuts needs a zero.
  const bool whole = (p.width | p.geometry.in[2] | x.row | x.image) % 2 == 0;
  if (pairs && !(p.geometry.IsOneToOne() && whole)) return false;
  const int64_t last = (kRows - 1) * x.row + (p.images - 1) * x.image + p.geometry.InSize();
  return x.row >= 0 && x.image >= 0 && last < INT32_MAX;
}

// The line of x that a tap of the first two dimensions meets in a line of windows; -1 when there is
// none.
int64_t MetLine(const Geometry& g, int64_t line, int64_t tap) {
  const int64_t depth = Meets(g, 0, line / g.out[1], tap / g.kernel[1]);
  const int64_t row = Meets(g, 1, line % g.out[1], tap % g.kernel[1]);
  const bool meets = depth >= 0 && depth < g.in[0] && row >= 0 && row < g.in[1];
  return meets ? depth * g.in[1] + row : -1;
}

// Sums over all pixels, of some channels of x with all taps and some channels of y. Units of a
// group have all channels of y for some of x, then for the next.
class Unit {
 public:
  // Without memory it only counts.
  Unit(const VectorWindows& p, int64_t unit, const Matrix& x, const Matrix& y, void* memory)
      : p_(p),
        g_(p.geometry),
        x_(x),
        y_(y),
        some_(PerElement(p.factors)),
        pitch_(RoundUp(p.images * CeilDivide(p.lines * p.width, some_), int64_t{16})),
        in_place_(ReadsInPlace(p, x)),
        memory_(static_cast<char*>(memory)) {
    const int64_t across = CeilDivide(g_.y_channels, p.unit_columns);
    const int64_t down = CeilDivide(g_.x_channels, p.unit_rows);
    group_ = unit / across / down;
    first_row_ = unit / across % down * p.unit_rows;
    rows_ = std::min(p.unit_rows, g_.x_channels - first_row_);
    first_column_ = unit % across * p.unit_columns;
    columns_ = std::min(p.unit_columns, g_.y_channels - first_column_);
    width_ = RoundUp(columns_, p.lanes);
    count_ = p.unit_rows * g_.KernelSize() * p.unit_columns;
    sums_ = Take<float>(count_);
    rights_ = Take<float>(pitch_ * p.unit_columns);
    lefts_ = Take<float>(kRows * pitch_ + vectors::kBeyondLine);
    lines_ = Take<Line>(p.images * p.lines);
    terms_ = Take<Terms>(p.images * p.lines);
    totals_ = Take<double>(LongSums::Totals(count_, p.Blocks(), kMostBlockSums));
  }
  int64_t Bytes() const { return bytes_; }

  void Run() {
    LongSums sums(sums_, count_, kMostBlockSums, totals_);
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
    const Matrix to = {weight.As<char>(), weight.dtype, 0, weight.stride[0]};
    const int64_t taps = g_.KernelSize();
    if (p_.exchanged) {
      vectors::StoreRows(sums_, width_, rows_, columns_, to.dtype,
                         to.At(0, group_ * g_.x_channels + first_row_, first_column_), to.row);
      return;
    }
    vectors::StoreColumns(sums_, width_, rows_ * taps, columns_, to.dtype,
                          to.At(0, group_ * g_.y_channels + first_column_, first_row_ * taps),
                          to.row);
  }

 private:
  // Hands out memory by cache lines.
  template <typename T>
  T* Take(int64_t count) {
    char* const taken = memory_ != nullptr ? memory_ + bytes_ : nullptr;
    bytes_ += RoundUp(SaturatedProduct(count, static_cast<int64_t>(sizeof(T))), 64);
    return reinterpret_cast<T*>(taken);
  }

  // Calls body(first, width, columns) for the panels of columns: `columns` of `width` are real. A
  // panel of one vector leaves the registers half empty: four are two and two.
  template <typename Body>
  void EachPanel(const Body& body) const {
    using vectors::kMostVectors;
    for (int64_t c = 0; c < columns_;) {
      const int64_t left = CeilDivide(columns_ - c, p_.lanes);
      const int64_t vectors = left == kMostVectors + 1 ? 2 : std::min(left, kMostVectors);
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
    float* panel = rights_ + c * block_.images * block_.plane;
    if (columns < width) std::fill_n(panel, width * block_.images * block_.plane, 0.0f);
    for (int64_t i = 0; i < block_.images; ++i, panel += block_.plane * width) {
      const void* const from = y_.At(block_.image + i, group_ * g_.y_channels + first_column_ + c,
                                     block_.line * g_.out[2] + block_.column);
      vectors::PackRightTransposed(p_.factors, y_.dtype, from, y_.row, columns, block_.pixels,
                                   panel, width);
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
        const int64_t from = i * x_.image + line * g_.in[2] + column;
        if (in_place_) {
          AddTerms(from / some_, x_.row / some_, (at + first) / some_, (end - first) / some_);
          continue;
        }
        // Behind the last line of an image comes what its last element lacks.
        const bool last = l + 1 == block_.lines;
        const int64_t length = block_.width + (last ? block_.plane * some_ - block_.pixels : 0);
        lines_[line_count_++] =
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
      Terms& last = terms_[term_count_ - 1];
      if (at <= (last.right + last.count) * some_) {
        last.count = static_cast<int32_t>(CeilDivide(at + length, some_)) - last.right;
        return;
      }
    }
    AddTerms(at / some_, pitch_, at / some_, CeilDivide(length, some_));
  }

  // Rows of the left operand begin at `left`, `row` elements apart.
  void AddTerms(int64_t left, int64_t row, int64_t right, int64_t count) {
    Terms& terms = terms_[term_count_++];
    for (int64_t r = 0; r < kRows; ++r) terms.left[r] = static_cast<int32_t>(left + r * row);
    terms.right = static_cast<int32_t>(right);
    terms.count = static_cast<int32_t>(count);
  }

  void AddRows(int64_t tap, int64_t r, bool add) {
    const int64_t rows = std::min(kRows, rows_ - r);
    const void* const x = x_.At(block_.image, group_ * g_.x_channels + first_row_ + r);
    const float* left = lefts_;
    if (in_place_) {
      left = static_cast<const float*>(x);
      // The last block; rows that it lacks repeat one.
      for (int64_t k = rows; k < kRows; ++k) {
        for (int64_t t = 0; t < term_count_; ++t) terms_[t].left[k] = terms_[t].left[0];
      }
    } else {
      vectors::PackLines(p_.factors, x_.dtype, x, x_.row, g_.stride[2], rows, lines_, line_count_,
                         lefts_, pitch_);
    }
    int32_t to[kRows];
    for (int64_t k = 0; k < kRows; ++k) {
      to[k] = static_cast<int32_t>((r + k) * g_.KernelSize() + tap);
    }
    EachPanel([&](int64_t c, int64_t width, int64_t) {
      vectors::MultiplyTerms(p_.factors, left, terms_, term_count_,
                             rights_ + c * block_.images * block_.plane, width / p_.lanes, add,
                             sums_ + c, width_, to, rows);
    });
  }

  const VectorWindows& p_;
  const Geometry& g_;
  const Matrix x_, y_;
  const int64_t some_;   // numbers of an element
  const int64_t pitch_;  // elements of a block's pixels, at most
  const bool in_place_;  // rows are read from where they are
  char* const memory_;
  int64_t bytes_ = 0;
  int64_t group_, first_row_, rows_, first_column_, columns_;
  int64_t width_;  // of all columns, in whole vectors
  int64_t count_;  // of sums
  float* sums_;    // [channel of x][tap][channel of y]
  float* rights_;  // y, pixels of a block by panels
  float* lefts_;   // x, a block of rows at a tap
  Line* lines_;
  Terms* terms_;
  double* totals_;  // of long sums
  // What is being summed; `pixels` of an image, `plane` elements of them.
  struct {
    int64_t image, images, line, lines, column, width, pixels, plane;
  } block_ = {};
  int64_t line_count_ = 0, term_count_ = 0;
};

}  // namespace

int64_t VectorWindows::Blocks() const {
  return CeilDivide(geometry.batch, images) * CeilDivide(Lines(), lines) *
         CeilDivide(geometry.out[2], width);
}

int64_t VectorWindows::Units() const {
  return geometry.groups * CeilDivide(geometry.x_channels, unit_rows) *
         CeilDivide(geometry.y_channels, unit_columns);
}

int64_t VectorWindows::SlotBytes() const { return Unit(*this, 0, {}, {}, nullptr).Bytes(); }

VectorWindows PlanVectorWindows(const Geometry& geometry, int threads, Factors factors) {
  VectorWindows p;
  p.factors = factors;
  p.geometry = ShortDimensionsFirst(geometry);
  Geometry& g = p.geometry;
  if (g.IsOneToOne()) {
    const int64_t pixels = g.OutSize();
    for (int64_t* extents : {g.in, g.out}) {
      extents[0] = extents[1] = 1;
      extents[2] = pixels;
    }
    p.exchanged = g.y_channels > g.x_channels;
    if (p.exchanged) std::swap(g.x_channels, g.y_channels);
  }
  // One window steps nowhere, however far it would.
  for (int d = 0; d < kDims; ++d) {
    if (g.out[d] == 1) g.stride[d] = 1;
  }
  p.lanes = vectors::Lanes();
  CutPixels(p, kMostDepth * PerElement(p.factors));
  CutChannels(p, threads);
  p.slots = static_cast<int>(std::clamp<int64_t>(p.Units(), 1, threads));
  return p;
}

void RunWindows(const VectorWindows& p, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch) {
  const Matrix of_x = Matrix::Channels(p.exchanged ? y : x);
  const Matrix of_y = Matrix::Channels(p.exchanged ? x : y);
  const int64_t bytes = p.SlotBytes();
  Slots slots(p.slots);
  ParallelFor(p.Units(), 1, [&](int64_t unit, int64_t) {
    const Slots::Lease slot(slots);
    Unit sums(p, unit, of_x, of_y, static_cast<char*>(scratch) + slot.number() * bytes);
    sums.Run();
    sums.Store(weight);
  });
}

bool HasDensePlanes(const TensorView& channels) {
  TensorView plane = channels;
  plane.shape[0] = plane.shape[1] = 1;
  return plane.IsContiguous();
}

bool HasDenseRows(const TensorView& weight) {
  TensorView row = weight;
  row.shape[0] = 1;
  return row.IsContiguous();
}

}  // namespace aclimb::convolution_backward
