#include "aclimb/ops/convolution_backward/products/pixels_unit.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/taps.h"

namespace aclimb::convolution_backward {
namespace {

using vectors::kRows;
using vectors::Segment;

constexpr vectors::Factors kFloats = vectors::Factors::kFloat32;

}  // namespace

PixelsUnit::PixelsUnit(const VectorWindows& p, int64_t unit, const Matrix& source,
                       const Matrix& result, const float* weights, void* memory)
    : p_(p),
      g_(p.geometry),
      source_(source),
      result_(result),
      part_(p, unit),
      weights_(weights + part_.group * p.GroupWeights()),
      block_(BlockAt(p, part_.block)),
      pitch_(PixelPitch(p.chunk)),
      room_(memory) {
  const int64_t pixels = p.images * p.lines * p.width;
  const int64_t blocks = MostBlocks(pixels);
  packed_ = room_.Take<float>((p.images * p.source_lines * p.source_width + 1) * pitch_);
  sums_ = room_.Take<float>(pixels * p.unit_columns);
  columns_ = room_.Take<int32_t>(g_.kernel[2] * p.width);
  lines_ = room_.Take<int32_t>(LineTaps(g_) * p.lines);
  slots_ = room_.Take<int32_t>(p.source_span);
  pixels_ = room_.Take<Pixel>(blocks * kRows);
  to_ = room_.Take<int32_t>(blocks * kRows);
  rows_ = room_.Take<int32_t>(blocks);
  segments_ = room_.Take<Segment>(blocks * p.taps);
  counts_ = room_.Take<int32_t>(blocks);
}

void PixelsUnit::Run() {
  FindSource();
  FindPixels();
  const int64_t taps = g_.KernelSize();
  for (int64_t k = 0; k < p_.depth; k += p_.chunk) {
    const int64_t depth = std::min(p_.chunk, p_.depth - k);
    PackSource(k, depth);
    for (int64_t tap = 0; tap < taps; tap += p_.taps) {
      FindSegments(tap, std::min(p_.taps, taps - tap), depth);
      const bool add = k > 0 || tap > 0;
      EachPanel(p_, part_.columns, [&](int64_t c, int64_t width, int64_t) {
        const float* const right = weights_ + (part_.first_column + c) * p_.depth * taps +
                                   (k * taps + tap * depth) * width;
        for (int64_t b = 0; b < blocks_; ++b) {
          if (add && counts_[b] == 0) continue;
          vectors::MultiplySegments(kFloats, packed_, segments_ + b * p_.taps, counts_[b], right,
                                    width / p_.lanes, add, sums_ + c, part_.width, to_ + b * kRows,
                                    rows_[b]);
        }
      });
    }
  }
  Store();
}

template <typename Body>
void PixelsUnit::EachLine(const Body& body) {
  for (int64_t tap = 0; tap < LineTaps(g_); ++tap) {
    for (int64_t l = 0; l < block_.lines; ++l) {
      const int64_t met = MetLine(g_, p_.task, block_.line + l, tap);
      if (met >= 0) body(met, lines_[tap * block_.lines + l]);
    }
  }
}

template <typename Body>
void PixelsUnit::EachColumn(const Body& body) {
  for (int64_t tap = 0; tap < g_.kernel[2]; ++tap) {
    for (int64_t w = 0; w < block_.width; ++w) {
      const int64_t met = SourceAt(g_, p_.task, 2, block_.column + w, tap);
      if (met >= 0) body(met, columns_[tap * block_.width + w]);
    }
  }
}

int64_t PixelsUnit::Phases() const {
  return p_.task == Task::kGradX ? g_.stride[0] * g_.stride[1] * g_.stride[2] : 1;
}

int64_t PixelsUnit::MostBlocks(int64_t pixels) const {
  return std::min(pixels, CeilDivide(pixels, kRows) + Phases());
}

void PixelsUnit::FindSource() {
  const int64_t taps = LineTaps(g_);
  first_line_ = SourceOf(p_).lines;
  end_line_ = 0;
  EachLine([&](int64_t met, int32_t&) {
    first_line_ = std::min(first_line_, met);
    end_line_ = std::max(end_line_, met + 1);
  });
  std::fill(slots_, slots_ + std::max<int64_t>(end_line_ - first_line_, 0), -1);
  EachLine([&](int64_t met, int32_t&) { slots_[met - first_line_] = 0; });
  source_lines_ = 0;
  for (int64_t l = first_line_; l < end_line_; ++l) {
    if (SlotOf(l) >= 0) slots_[l - first_line_] = static_cast<int32_t>(source_lines_++);
  }
  first_column_ = SourceOf(p_).width;
  int64_t end_column = 0;
  EachColumn([&](int64_t met, int32_t&) {
    first_column_ = std::min(first_column_, met);
    end_column = std::max(end_column, met + 1);
  });
  source_width_ = std::max<int64_t>(end_column - first_column_, 0);

  std::fill_n(lines_, taps * block_.lines, -1);
  EachLine([&](int64_t met, int32_t& place) {
    place = static_cast<int32_t>(SlotOf(met) * source_width_ * pitch_);
  });
  std::fill_n(columns_, g_.kernel[2] * block_.width, -1);
  EachColumn([&](int64_t met, int32_t& place) {
    place = static_cast<int32_t>((met - first_column_) * pitch_);
  });
  zeros_ = block_.images * source_lines_ * source_width_ * pitch_;
  std::fill_n(packed_ + zeros_, pitch_, 0.0f);
}

void PixelsUnit::FindPixels() {
  blocks_ = 0;
  const bool phases = p_.task == Task::kGradX;
  const int64_t height = (phases ? g_.in : g_.out)[1];
  int64_t rows = 0;
  const auto close = [&] {
    if (rows > 0) rows_[blocks_++] = static_cast<int32_t>(rows);
    rows = 0;
  };
  const auto add = [&](int64_t image, int64_t line, int64_t column) {
    const int64_t at = blocks_ * kRows + rows;
    const int64_t place = image * source_lines_ * source_width_ * pitch_;
    pixels_[at] = {static_cast<int32_t>(place), static_cast<int32_t>(line),
                   static_cast<int32_t>(column)};
    to_[at] = static_cast<int32_t>((image * block_.lines + line) * block_.width + column);
    if (++rows == kRows) close();
  };
  for (int64_t phase = 0; phase < Phases(); ++phase) {
    const int64_t step = phases ? g_.stride[2] : 1, down = phases ? g_.stride[1] : 1;
    for (int64_t l = 0; l < block_.lines; ++l) {
      const int64_t line = block_.line + l;
      if (phases && (line % height % down != phase / step % down ||
                     line / height % g_.stride[0] != phase / step / down)) {
        continue;
      }
      const int64_t first = RoundUp(block_.column - phase % step, step) + phase % step;
      for (int64_t w = std::max<int64_t>(first - block_.column, 0); w < block_.width; w += step) {
        for (int64_t i = 0; i < block_.images; ++i) add(i, l, w);
      }
    }
    close();
  }
}

void PixelsUnit::PackSource(int64_t k, int64_t depth) {
  const int64_t width = SourceOf(p_).width;
  for (int64_t i = 0; i < block_.images; ++i) {
    for (int64_t line = first_line_; line < end_line_;) {
      const int64_t slot = SlotOf(line);
      int64_t lines = 1;  // side by side
      while (slot >= 0 && source_width_ == width && line + lines < end_line_ &&
             SlotOf(line + lines) >= 0) {
        ++lines;
      }
      if (slot >= 0) {
        vectors::PackRightTransposed(
            kFloats, source_.dtype,
            source_.At(block_.image + i, part_.group * p_.depth + k, line * width + first_column_),
            source_.row, depth, lines * source_width_,
            packed_ + (i * source_lines_ + slot) * source_width_ * pitch_, pitch_);
      }
      line += lines;
    }
  }
}

void PixelsUnit::FindSegments(int64_t tap, int64_t taps, int64_t depth) {
  for (int64_t b = 0; b < blocks_; ++b) {
    Segment* segment = segments_ + b * p_.taps;
    for (int64_t t = 0; t < taps; ++t) {
      const int32_t* const columns = columns_ + (tap + t) % g_.kernel[2] * block_.width;
      const int32_t* const lines = lines_ + (tap + t) / g_.kernel[2] * block_.lines;
      const auto zeros = static_cast<int32_t>(zeros_);
      int32_t met = -1;  // stays negative if all are
      for (int64_t r = 0; r < kRows; ++r) {
        const Pixel& pixel = pixels_[b * kRows + std::min<int64_t>(r, rows_[b] - 1)];
        const int32_t line = lines[pixel.line], column = columns[pixel.column];
        segment->left[r] = (line | column) < 0 ? zeros : pixel.image + line + column;
        met &= line | column;
      }
      if (met < 0) continue;
      segment->right = static_cast<int32_t>(t * depth);
      segment->depth = static_cast<int32_t>(depth);
      ++segment;
    }
    counts_[b] = static_cast<int32_t>(segment - (segments_ + b * p_.taps));
  }
}

void PixelsUnit::Store() const {
  const int64_t pixels = block_.lines * block_.width;
  for (int64_t i = 0; i < block_.images; ++i) {
    vectors::StoreColumns(
        sums_ + i * pixels * part_.width, part_.width, pixels, part_.columns, result_.dtype,
        result_.At(block_.image + i, part_.group * p_.columns + part_.first_column,
                   block_.line * ResultOf(p_).width + block_.column),
        result_.row);
  }
}

}  // namespace aclimb::convolution_backward
