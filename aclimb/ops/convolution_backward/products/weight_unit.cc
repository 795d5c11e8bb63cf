#include "aclimb/ops/convolution_backward/products/weight_unit.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/taps.h"

namespace aclimb::convolution_backward {
namespace {

using vectors::Elements;
using vectors::kMostBlockSums;
using vectors::kRows;
using vectors::Piece;
using vectors::Segment;

// Parts of rows that are worth a segment of their own each.
constexpr int64_t kLongLine = 24;

// Whether rows of x are read from where they are: in long parts of elements side by side, which
// numbers of a segment can reach.
bool ReadsInPlace(const VectorWindows& p, const Matrix& x) {
  if (x.dtype != vectors::DTypeOf(p.factors) || p.geometry.stride[2] != 1 || p.width < kLongLine) {
    return false;
  }
  // A pair that the edge of the image cuts needs a zero.
  const bool whole = (p.width | p.geometry.in[2] | x.row | x.image) % 2 == 0;
  if (p.factors == vectors::Factors::kPairs && !(p.geometry.IsOneToOne() && whole)) return false;
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

}  // namespace

WeightUnit::WeightUnit(const VectorWindows& p, int64_t unit, const Matrix& x, const Matrix& y,
                       void* memory)
    : p_(p),
      g_(p.geometry),
      x_(x),
      y_(y),
      plane_(Elements(p.factors, p.lines * p.width)),
      pitch_(RoundUp(p.images * plane_, int64_t{16})),
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
  const int64_t sums = p.unit_rows * g_.KernelSize() * p.unit_columns;
  sums_ = Take<float>(sums);
  rights_ = Take<float>(p.images * plane_ * p.unit_columns);
  lefts_ = Take<float>(kRows * pitch_);
  pieces_ = Take<Piece>(p.images * p.lines);
  segments_ = Take<Segment>(p.images * p.lines);
  totals_ = Take<double>(LongSums::Totals(sums, p.Blocks(), kMostBlockSums));
}

template <typename T>
T* WeightUnit::Take(int64_t count) {
  char* const taken = memory_ != nullptr ? memory_ + bytes_ : nullptr;
  bytes_ += RoundUp(SaturatedProduct(count, static_cast<int64_t>(sizeof(T))), 64);
  return reinterpret_cast<T*>(taken);
}

// A panel of one vector leaves the registers half empty: four are two and two.
template <typename Body>
void WeightUnit::EachPanel(const Body& body) const {
  using vectors::kMostVectors;
  for (int64_t c = 0; c < columns_;) {
    const int64_t left = CeilDivide(columns_ - c, p_.lanes);
    const int64_t vectors = left == kMostVectors + 1 ? 2 : std::min(left, kMostVectors);
    body(c, vectors * p_.lanes, std::min(vectors * p_.lanes, columns_ - c));
    c += vectors * p_.lanes;
  }
}

void WeightUnit::FindBlock(int64_t number) {
  const int64_t parts = CeilDivide(g_.out[2], p_.width), bands = CeilDivide(p_.Lines(), p_.lines);
  block_.column = number % parts * p_.width;
  block_.width = std::min(p_.width, g_.out[2] - block_.column);
  block_.line = number / parts % bands * p_.lines;
  block_.lines = std::min(p_.lines, p_.Lines() - block_.line);
  block_.image = number / parts / bands * p_.images;
  block_.images = std::min(p_.images, g_.batch - block_.image);
}

void WeightUnit::Run() {
  const int64_t taps = g_.KernelSize();
  LongSums sums(sums_, p_.unit_rows * taps * p_.unit_columns, kMostBlockSums, totals_);
  for (int64_t number = 0; number < p_.Blocks(); ++number) {
    FindBlock(number);
    const bool add = sums.Add(1);
    EachPanel([&](int64_t c, int64_t width, int64_t columns) { PackColumns(c, width, columns); });
    for (int64_t tap = 0; tap < taps; ++tap) {
      FindPieces(tap);
      if (add && segment_count_ == 0) continue;
      for (int64_t r = 0; r < rows_; r += kRows) AddRows(tap, r, add);
    }
  }
  sums.Finish();
}

void WeightUnit::Store(const TensorView& weight) const {
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

void WeightUnit::PackColumns(int64_t c, int64_t width, int64_t columns) {
  const int64_t pixels = block_.lines * block_.width, plane = Elements(p_.factors, pixels);
  float* const panel = rights_ + c * block_.images * plane;
  if (columns < width) std::fill_n(panel, width * block_.images * plane, 0.0f);
  for (int64_t i = 0; i < block_.images; ++i) {
    const void* const from = y_.At(block_.image + i, group_ * g_.y_channels + first_column_ + c,
                                   block_.line * g_.out[2] + block_.column);
    vectors::PackRightTransposed(p_.factors, y_.dtype, from, y_.row, columns, pixels,
                                 panel + i * plane * width, width);
  }
}

void WeightUnit::FindPieces(int64_t tap) {
  piece_count_ = segment_count_ = 0;
  const Range windows = WindowsInside(g_, 2, tap % g_.kernel[2]);
  const int64_t first = std::clamp<int64_t>(windows.first - block_.column, 0, block_.width);
  const int64_t end = std::clamp<int64_t>(windows.last - block_.column, first, block_.width);
  if (first == end) return;
  const int64_t some = vectors::PerElement(p_.factors);
  const int64_t pixels = block_.lines * block_.width, plane = Elements(p_.factors, pixels) * some;
  // Lines of whole elements are left out where no window meets them.
  const bool whole_lines = block_.width % some == 0;
  bool any = false;
  for (int64_t i = 0; i < block_.images; ++i) {
    for (int64_t l = 0; l < block_.lines; ++l) {
      const int64_t line = MetLine(g_, block_.line + l, tap / g_.kernel[2]);
      any = any || line >= 0;
      if (line < 0 && whole_lines) continue;
      const int64_t at = i * plane + l * block_.width;
      const int64_t column = Meets(g_, 2, block_.column + first, tap % g_.kernel[2]);
      const int64_t from = i * x_.image + line * g_.in[2] + column;
      if (in_place_) {
        AddSegment(from / some, x_.row / some, static_cast<int32_t>((at + first) / some),
                   (end - first) / some);
        continue;
      }
      Piece& piece = pieces_[piece_count_++];
      piece = {from, static_cast<int32_t>(at), static_cast<int32_t>(first),
               static_cast<int32_t>(end - first), static_cast<int32_t>(block_.width - end)};
      if (line < 0) piece = {0, piece.to, static_cast<int32_t>(block_.width), 0, 0};
      int64_t length = block_.width;
      if (l + 1 == block_.lines) {
        piece.after += static_cast<int32_t>(plane - pixels);
        length += plane - pixels;
      }
      AddPacked(at, length, some);
    }
  }
  if (!any) segment_count_ = 0;
}

void WeightUnit::AddPacked(int64_t at, int64_t length, int64_t some) {
  if (segment_count_ > 0) {
    Segment& last = segments_[segment_count_ - 1];
    // Lines that are no whole elements make one segment of an image.
    const int64_t end = (last.right + last.depth) * some;
    if (at <= end) {
      last.depth = static_cast<int32_t>(CeilDivide(at + length, some)) - last.right;
      return;
    }
  }
  AddSegment(at / some, pitch_, static_cast<int32_t>(at / some), CeilDivide(length, some));
}

void WeightUnit::AddSegment(int64_t left, int64_t row, int32_t right, int64_t depth) {
  Segment& segment = segments_[segment_count_++];
  for (int64_t r = 0; r < kRows; ++r) segment.left[r] = static_cast<int32_t>(left + r * row);
  segment.right = right;
  segment.depth = static_cast<int32_t>(depth);
}

void WeightUnit::AddRows(int64_t tap, int64_t r, bool add) {
  const int64_t rows = std::min(kRows, rows_ - r), taps = g_.KernelSize();
  const int64_t channel = group_ * g_.x_channels + first_row_ + r;
  const float* left = lefts_;
  if (in_place_) {
    left = static_cast<const float*>(x_.At(block_.image, channel));
    // The last block; rows that it lacks repeat one.
    for (int64_t k = rows; k < kRows; ++k) {
      for (int64_t s = 0; s < segment_count_; ++s) segments_[s].left[k] = segments_[s].left[0];
    }
  } else {
    vectors::PackPieces(p_.factors, x_.dtype, x_.At(block_.image, channel), x_.row, g_.stride[2],
                        rows, pieces_, piece_count_, lefts_, pitch_);
  }
  const int64_t depth = block_.images * Elements(p_.factors, block_.lines * block_.width);
  int32_t to[kRows];
  for (int64_t k = 0; k < kRows; ++k) to[k] = static_cast<int32_t>((r + k) * taps + tap);
  EachPanel([&](int64_t c, int64_t width, int64_t) {
    vectors::MultiplySegments(p_.factors, left, segments_, segment_count_, rights_ + c * depth,
                              width / p_.lanes, add, sums_ + c, width_, to, rows);
  });
}

}  // namespace aclimb::convolution_backward
