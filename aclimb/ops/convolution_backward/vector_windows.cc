#include "aclimb/ops/convolution_backward/vector_windows.h"

#include <algorithm>
#include <initializer_list>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/flat.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/vector_kernels.h"

namespace aclimb::convolution_backward {
namespace {

using vectors::kMostVectors;
using vectors::kRows;
using vectors::Piece;
using vectors::Segment;

// Sums of one block: the panel of the right operand that they meet stays in the nearest cache.
constexpr int64_t kMostDepth = 256;
constexpr int64_t kMostColumns = 512;
constexpr int64_t kMostWeightRows = 1152;  // of a unit of kGradWeight
// Pixels of a unit, as whole images if it can be.
constexpr int64_t kMostPixels = 512;

// Parts of rows that are worth a segment of their own each.
constexpr int64_t kLongLine = 24;

constexpr int64_t kMostLanes = 16;

constexpr int64_t kFloat = sizeof(float), kLine = 64;  // bytes

bool ReadsX(Task task) { return task != Task::kGradX; }

// The pixels of one side of the convolution.
struct Extents {
  int64_t lines, width;

  Extents(const Geometry& g, bool of_x)
      : lines((of_x ? g.in : g.out)[0] * (of_x ? g.in : g.out)[1]),
        width((of_x ? g.in : g.out)[2]) {}
  int64_t Pixels() const { return lines * width; }
};

// What is packed or read, and what a window is for: y where x is read, x where y is.
Extents SourceOf(const VectorWindows& p) { return {p.geometry, ReadsX(p.task)}; }
Extents ResultOf(const VectorWindows& p) { return {p.geometry, !ReadsX(p.task)}; }

// The element along a dimension that a tap of the window for `position` meets; -1: none.
int64_t Met(const Geometry& g, Task task, int d, int64_t position, int64_t tap) {
  const int64_t shift = tap * g.dilation[d] - g.pad_begin[d];
  if (ReadsX(task)) {
    const int64_t at = position * g.stride[d] + shift;
    return at >= 0 && at < g.in[d] ? at : -1;
  }
  const int64_t at = position - shift;
  if (at < 0 || at % g.stride[d] != 0) return -1;
  return at / g.stride[d] < g.out[d] ? at / g.stride[d] : -1;
}

// The same of a line, for a tap of the first two dimensions.
int64_t MetLine(const Geometry& g, Task task, int64_t line, int64_t tap) {
  const int64_t height = (ReadsX(task) ? g.out : g.in)[1];
  const int64_t source_height = (ReadsX(task) ? g.in : g.out)[1];
  const int64_t depth = Met(g, task, 0, line / height, tap / g.kernel[1]);
  const int64_t row = Met(g, task, 1, line % height, tap % g.kernel[1]);
  return depth < 0 || row < 0 ? -1 : depth * source_height + row;
}

int64_t LineTaps(const Geometry& g) { return g.kernel[0] * g.kernel[1]; }

// Elements of a vector apart from multiples of 4 KiB, which would meet in one set of a cache.
int64_t Pitch(int64_t channels) {
  return channels % 256 == 0 ? channels + 16 : RoundUp(channels, int64_t{16});
}

// Calls body(first, width, columns) for the panels of columns [0, count): `columns` of `width` are
// real. A panel of one vector leaves the registers half empty: four are two and two.
template <typename Body>
void EachPanel(const VectorWindows& p, int64_t count, const Body& body) {
  for (int64_t c = 0; c < count;) {
    const int64_t vectors = CeilDivide(count - c, p.lanes);
    const int64_t width =
        (vectors == kMostVectors + 1 ? 2 : std::min(vectors, kMostVectors)) * p.lanes;
    body(c, width, std::min(width, count - c));
    c += width;
  }
}

// Hands out parts of a slot's memory.
class Room {
 public:
  explicit Room(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <typename T>
  T* Take(int64_t count) {
    char* const taken = memory_ != nullptr ? memory_ + bytes_ : nullptr;
    bytes_ += RoundUp(SaturatedProduct(count, static_cast<int64_t>(sizeof(T))), kLine);
    return reinterpret_cast<T*>(taken);
  }
  int64_t Bytes() const { return bytes_; }

 private:
  char* const memory_;
  int64_t bytes_ = 0;
};

// The units of a group: all columns of one block of pixels or of rows, then those of the next.
struct Part {
  int64_t group, block, first_column, columns;
  int64_t width;  // of all columns, in whole vectors

  Part(const VectorWindows& p, int64_t unit) {
    const int64_t across = CeilDivide(p.columns, p.unit_columns);
    first_column = unit % across * p.unit_columns;
    block = unit / across % p.Blocks();
    group = unit / across / p.Blocks();
    columns = std::min(p.unit_columns, p.columns - first_column);
    width = RoundUp(columns, p.lanes);
  }
};

// Some pixels of the result: of whole images, of lines of one or of a part of a line.
struct Block {
  int64_t image, images, line, lines, column, width;

  int64_t Pixels() const { return images * lines * width; }
};

int64_t PixelBlocks(const VectorWindows& p) {
  const Extents all = ResultOf(p);
  return CeilDivide(p.geometry.batch, p.images) * CeilDivide(all.lines, p.lines) *
         CeilDivide(all.width, p.width);
}

Block BlockAt(const VectorWindows& p, int64_t number) {
  const Extents all = ResultOf(p);
  const int64_t parts = CeilDivide(all.width, p.width), bands = CeilDivide(all.lines, p.lines);
  Block b;
  b.column = number % parts * p.width;
  b.width = std::min(p.width, all.width - b.column);
  b.line = number / parts % bands * p.lines;
  b.lines = std::min(p.lines, all.lines - b.line);
  b.image = number / parts / bands * p.images;
  b.images = std::min(p.images, p.geometry.batch - b.image);
  return b;
}

// Weights as the right operand: for each group, panel of the result's channels, chunk of the others
// and tap, [channel][width].
void PackWeights(const VectorWindows& p, const TensorView& weight, float* packed) {
  const Matrix from = WeightsOf(weight);
  const int64_t taps = p.geometry.KernelSize(), chunks = CeilDivide(p.depth, p.chunk);
  const int64_t across = CeilDivide(p.columns, p.unit_columns);
  ForEach(p.geometry.groups * chunks * across, p.slots > 1, [&](int64_t piece) {
    const Part part(p, piece % across);
    const int64_t group = piece / across / chunks, channel = group * p.geometry.y_channels;
    const int64_t k = piece / across % chunks * p.chunk, depth = std::min(p.chunk, p.depth - k);
    float* const panels = packed + group * p.GroupWeights();
    EachPanel(p, part.columns, [&](int64_t c, int64_t width, int64_t columns) {
      const int64_t column = part.first_column + c;
      float* const panel = panels + column * p.depth * taps + k * taps * width;
      if (columns < width) std::fill_n(panel, depth * taps * width, 0.0f);
      if (p.task == Task::kGradX) {
        for (int64_t i = 0; i < depth; ++i) {
          vectors::PackRightTransposed(from.dtype, from.At(0, channel + k + i, column * taps), taps,
                                       columns, taps, panel + i * width, depth * width);
        }
        return;
      }
      // Their elements come channel by channel with all taps of each.
      constexpr int64_t kTile = 64;
      alignas(64) float tile[kMostVectors * kMostLanes * kTile];
      for (int64_t first = 0; first < depth * taps; first += kTile) {
        const int64_t count = std::min(kTile, depth * taps - first);
        vectors::PackRightTransposed(from.dtype, from.At(0, channel + column, k * taps + first),
                                     from.row, columns, count, tile, width);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t at = (first + i) % taps * depth + (first + i) / taps;
          std::copy_n(tile + i * width, columns, panel + at * width);
        }
      }
    });
  });
}

// Sums over channels and taps, of some pixels and channels of the result.
class PixelsUnit {
 public:
  struct Pixel {
    int32_t image, line, column;  // the first as a place in `packed_`
  };

  // `memory` may be null, to see how much it takes.
  PixelsUnit(const VectorWindows& p, int64_t unit, const Matrix& source, const Matrix& result,
             const float* weights, void* memory)
      : p_(p),
        g_(p.geometry),
        source_(source),
        result_(result),
        part_(p, unit),
        weights_(weights + part_.group * p.GroupWeights()),
        block_(BlockAt(p, part_.block)),
        pitch_(Pitch(p.chunk)),
        room_(memory) {
    const int64_t pixels = p.images * p.lines * p.width;
    const int64_t blocks = MostBlocks(pixels);
    packed_ = room_.Take<float>((p.images * p.source_lines * p.source_width + 1) * pitch_);
    sums_ = room_.Take<float>(pixels * p.unit_columns);
    columns_ = room_.Take<int32_t>(g_.kernel[2] * p.width);
    lines_ = room_.Take<int32_t>(LineTaps(g_) * p.lines);
    slots_ = room_.Take<int32_t>(SourceOf(p).lines);
    pixels_ = room_.Take<Pixel>(blocks * kRows);
    to_ = room_.Take<int32_t>(blocks * kRows);
    rows_ = room_.Take<int32_t>(blocks);
    segments_ = room_.Take<Segment>(blocks * p.taps);
    counts_ = room_.Take<int32_t>(blocks);
  }
  int64_t Bytes() const { return room_.Bytes(); }

  void Run() {
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
            vectors::MultiplySegments(packed_, segments_ + b * p_.taps, counts_[b], right,
                                      width / p_.lanes, add, sums_ + c, part_.width,
                                      to_ + b * kRows, rows_[b]);
          }
        });
      }
    }
    Store();
  }

 private:
  // The place of a line in `packed_`; -1: it is not there.
  int64_t SlotOf(int64_t line) const { return slots_[line - first_line_]; }

  int64_t Phases() const {
    return p_.task == Task::kGradX ? g_.stride[0] * g_.stride[1] * g_.stride[2] : 1;
  }
  // A block has pixels of one phase.
  int64_t MostBlocks(int64_t pixels) const {
    return std::min(pixels, CeilDivide(pixels, kRows) + Phases());
  }

  // Which lines and columns of the source are met, and by what. Lines get places one after the
  // other.
  void FindSource() {
    first_line_ = SourceOf(p_).lines;
    end_line_ = 0;
    for (int64_t tap = 0; tap < LineTaps(g_); ++tap) {
      for (int64_t l = 0; l < block_.lines; ++l) {
        const int64_t met = MetLine(g_, p_.task, block_.line + l, tap);
        lines_[tap * block_.lines + l] = static_cast<int32_t>(met);
        if (met < 0) continue;
        first_line_ = std::min(first_line_, met);
        end_line_ = std::max(end_line_, met + 1);
      }
    }
    std::fill(slots_, slots_ + std::max<int64_t>(end_line_ - first_line_, 0), -1);
    for (int64_t i = 0; i < LineTaps(g_) * block_.lines; ++i) {
      if (lines_[i] >= 0) slots_[lines_[i] - first_line_] = 0;
    }
    source_lines_ = 0;
    for (int64_t l = first_line_; l < end_line_; ++l) {
      if (SlotOf(l) >= 0) slots_[l - first_line_] = static_cast<int32_t>(source_lines_++);
    }
    first_column_ = SourceOf(p_).width;
    int64_t end = 0;
    for (int64_t tap = 0; tap < g_.kernel[2]; ++tap) {
      for (int64_t w = 0; w < block_.width; ++w) {
        const int64_t met = Met(g_, p_.task, 2, block_.column + w, tap);
        columns_[tap * block_.width + w] = static_cast<int32_t>(met);
        if (met < 0) continue;
        first_column_ = std::min(first_column_, met);
        end = std::max(end, met + 1);
      }
    }
    source_width_ = std::max<int64_t>(end - first_column_, 0);
    for (int64_t i = 0; i < LineTaps(g_) * block_.lines; ++i) {
      if (lines_[i] >= 0)
        lines_[i] = static_cast<int32_t>(SlotOf(lines_[i]) * source_width_ * pitch_);
    }
    for (int64_t i = 0; i < g_.kernel[2] * block_.width; ++i) {
      if (columns_[i] >= 0)
        columns_[i] = static_cast<int32_t>((columns_[i] - first_column_) * pitch_);
    }
    zeros_ = block_.images * source_lines_ * source_width_ * pitch_;
    std::fill_n(packed_ + zeros_, pitch_, 0.0f);
  }

  // Pixels in blocks that meet the same taps as far as possible: of one phase of the strides, and
  // of one place in several images.
  void FindPixels() {
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

  void PackSource(int64_t k, int64_t depth) {
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
              source_.dtype,
              source_.At(block_.image + i, part_.group * p_.depth + k,
                         line * width + first_column_),
              source_.row, depth, lines * source_width_,
              packed_ + (i * source_lines_ + slot) * source_width_ * pitch_, pitch_);
        }
        line += lines;
      }
    }
  }

  // What the blocks of pixels meet of some taps.
  void FindSegments(int64_t tap, int64_t taps, int64_t depth) {
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

  void Store() const {
    const int64_t pixels = block_.lines * block_.width;
    for (int64_t i = 0; i < block_.images; ++i) {
      vectors::StoreColumns(
          sums_ + i * pixels * part_.width, part_.width, pixels, part_.columns, result_.dtype,
          result_.At(block_.image + i, part_.group * p_.columns + part_.first_column,
                     block_.line * ResultOf(p_).width + block_.column),
          result_.row);
    }
  }

  const VectorWindows& p_;
  const Geometry& g_;
  const Matrix source_, result_;
  const Part part_;
  const float* const weights_;  // of the group
  const Block block_;
  const int64_t pitch_;
  Room room_;
  float* packed_;     // [image][line][column][channel] of the source, and a row of zeros
  float* sums_;       // [pixel][column]
  int32_t* columns_;  // [tap][column] of the source
  int32_t* lines_;    // [tap][line] of the source
  int32_t* slots_;    // of lines of the source
  Pixel* pixels_;
  int32_t* to_;
  int32_t* rows_;      // of a block
  Segment* segments_;  // p_.taps for each block
  int32_t* counts_;
  int64_t blocks_ = 0;
  int64_t first_line_ = 0, end_line_ = 0, first_column_ = 0;
  int64_t source_lines_ = 0, source_width_ = 0, zeros_ = 0;
};

// Whether rows of x are read from where they are: in long parts of elements side by side, which
// numbers of a segment can reach.
bool ReadsInPlace(const VectorWindows& p, const Matrix& x) {
  if (x.dtype != DType::kFloat32 || p.geometry.stride[2] != 1 || p.width < kLongLine) return false;
  const int64_t last = (kRows - 1) * x.row + (p.images - 1) * x.image + p.geometry.InSize();
  return x.row >= 0 && x.image >= 0 && last < INT32_MAX;
}

// Sums over all pixels, of some channels of x with all taps and some channels of y.
class WeightUnit {
 public:
  WeightUnit(const VectorWindows& p, int64_t unit, const Matrix& x, const Matrix& y, void* memory)
      : p_(p),
        g_(p.geometry),
        x_(x),
        y_(y),
        part_(p, unit),
        first_row_(part_.block * p.unit_rows),
        rows_(std::min(p.unit_rows, g_.x_channels - first_row_)),
        pitch_(RoundUp(p.images * p.lines * p.width, int64_t{16})),
        in_place_(ReadsInPlace(p, x)),
        room_(memory) {
    sums_ = room_.Take<float>(p.unit_rows * g_.KernelSize() * p.unit_columns);
    rights_ = room_.Take<float>(p.images * p.lines * p.width * p.unit_columns);
    lefts_ = room_.Take<float>(kRows * pitch_);
    pieces_ = room_.Take<Piece>(p.images * p.lines);
    segments_ = room_.Take<Segment>(p.images * p.lines);
  }
  int64_t Bytes() const { return room_.Bytes(); }

  void Run() {
    const int64_t taps = g_.KernelSize();
    for (int64_t number = 0; number < PixelBlocks(p_); ++number) {
      block_ = BlockAt(p_, number);
      EachPanel(p_, part_.columns,
                [&](int64_t c, int64_t width, int64_t columns) { PackColumns(c, width, columns); });
      for (int64_t tap = 0; tap < taps; ++tap) {
        FindPieces(tap);
        if (number > 0 && segment_count_ == 0) continue;
        for (int64_t r = 0; r < rows_; r += kRows) AddRows(tap, r, number > 0);
      }
    }
  }

  void Store(const TensorView& weight) const {
    const Matrix to = WeightsOf(weight);
    const int64_t taps = g_.KernelSize();
    vectors::StoreColumns(
        sums_, part_.width, rows_ * taps, part_.columns, to.dtype,
        to.At(0, part_.group * p_.columns + part_.first_column, first_row_ * taps), to.row);
  }

 private:
  void PackColumns(int64_t c, int64_t width, int64_t columns) {
    float* const panel = rights_ + c * block_.Pixels();
    if (columns < width) std::fill_n(panel, width * block_.Pixels(), 0.0f);
    const int64_t pixels = block_.lines * block_.width;
    for (int64_t i = 0; i < block_.images; ++i) {
      const void* const from =
          y_.At(block_.image + i, part_.group * p_.columns + part_.first_column + c,
                block_.line * ResultOf(p_).width + block_.column);
      vectors::PackRightTransposed(y_.dtype, from, y_.row, columns, pixels,
                                   panel + i * pixels * width, width);
    }
  }

  // The parts of x that a tap meets, line by line, and the pixels that they are summed with.
  void FindPieces(int64_t tap) {
    piece_count_ = segment_count_ = 0;
    int64_t first = block_.width, end = 0;
    const int64_t shift = tap % g_.kernel[2] * g_.dilation[2] - g_.pad_begin[2];
    first = std::clamp<int64_t>(CeilDivide(-shift, g_.stride[2]) - block_.column, 0, block_.width);
    end = std::clamp<int64_t>(CeilDivide(g_.in[2] - shift, g_.stride[2]) - block_.column, first,
                              block_.width);
    if (first == end) return;
    for (int64_t i = 0; i < block_.images; ++i) {
      for (int64_t l = 0; l < block_.lines; ++l) {
        const int64_t line = MetLine(g_, p_.task, block_.line + l, tap / g_.kernel[2]);
        if (line < 0) continue;
        const auto at = static_cast<int32_t>((i * block_.lines + l) * block_.width);
        const int64_t column = (block_.column + first) * g_.stride[2] + shift;
        const int64_t from = i * x_.image + line * g_.in[2] + column;
        if (in_place_) {
          Segment& segment = segments_[segment_count_++];
          for (int64_t r = 0; r < kRows; ++r) {
            segment.left[r] = static_cast<int32_t>(r * x_.row + from);
          }
          segment.right = at + static_cast<int32_t>(first);
          segment.depth = static_cast<int32_t>(end - first);
          continue;
        }
        pieces_[piece_count_++] = {from, at, static_cast<int32_t>(first),
                                   static_cast<int32_t>(end - first),
                                   static_cast<int32_t>(block_.width - end)};
        if (segment_count_ > 0) {
          Segment& last = segments_[segment_count_ - 1];
          if (last.right + last.depth == at) {
            last.depth += static_cast<int32_t>(block_.width);
            continue;
          }
        }
        Segment& segment = segments_[segment_count_++];
        for (int64_t r = 0; r < kRows; ++r) {
          segment.left[r] = static_cast<int32_t>(r * pitch_) + at;
        }
        segment.right = at;
        segment.depth = static_cast<int32_t>(block_.width);
      }
    }
  }

  void AddRows(int64_t tap, int64_t r, bool add) {
    const int64_t rows = std::min(kRows, rows_ - r), taps = g_.KernelSize();
    const int64_t channel = part_.group * g_.x_channels + first_row_ + r;
    const float* left = lefts_;
    if (in_place_) {
      left = x_.As<const float>(block_.image, channel);
      // The last block; rows that it lacks repeat one.
      for (int64_t k = rows; k < kRows; ++k) {
        for (int64_t s = 0; s < segment_count_; ++s) segments_[s].left[k] = segments_[s].left[0];
      }
    } else {
      vectors::PackPieces(x_.dtype, x_.At(block_.image, channel), x_.row, g_.stride[2], rows,
                          pieces_, piece_count_, lefts_, pitch_);
    }
    int32_t to[kRows];
    for (int64_t k = 0; k < kRows; ++k) to[k] = static_cast<int32_t>((r + k) * taps + tap);
    EachPanel(p_, part_.columns, [&](int64_t c, int64_t width, int64_t) {
      vectors::MultiplySegments(left, segments_, segment_count_, rights_ + c * block_.Pixels(),
                                width / p_.lanes, add, sums_ + c, part_.width, to, rows);
    });
  }

  const VectorWindows& p_;
  const Geometry& g_;
  const Matrix x_, y_;
  const Part part_;
  const int64_t first_row_, rows_, pitch_;
  const bool in_place_;  // rows are read from where they are
  Room room_;
  float* sums_;    // [channel of x][tap][channel of y]
  float* rights_;  // y, pixels of a block by panels
  float* lefts_;   // x, a block of rows at a tap
  Piece* pieces_;
  Segment* segments_;
  Block block_ = {};
  int64_t piece_count_ = 0, segment_count_ = 0;
};

// Blocks of up to so many pixels.
void CutPixels(VectorWindows& p, int64_t most) {
  const Extents all = ResultOf(p);
  const auto even = [](int64_t count, int64_t limit) {
    return CeilDivide(count, CeilDivide(count, std::max<int64_t>(limit, 1)));
  };
  p.images =
      p.geometry.batch == 0 ? 1 : even(p.geometry.batch, most / std::max<int64_t>(all.Pixels(), 1));
  p.lines = even(all.lines, most / all.width);
  p.width = even(all.width, most);
}

// Along a dimension, the most that windows for so many positions side by side reach over.
int64_t Reach(const Geometry& g, Task task, int d, int64_t positions) {
  const int64_t gaps = (g.kernel[d] - 1) * g.dilation[d];
  if (ReadsX(task)) return std::min((positions - 1) * g.stride[d] + gaps + 1, g.in[d]);
  return std::min((positions - 1 + gaps) / g.stride[d] + 1, g.out[d]);
}

// The most that a block reads of an image.
void MeasureSource(VectorWindows& p) {
  const Geometry& g = p.geometry;
  const int64_t* const extents = ReadsX(p.task) ? g.out : g.in;
  const int64_t planes = std::min(CeilDivide(p.lines, extents[1]) + 1, extents[0]);
  const int64_t rows = std::min(p.lines, extents[1]);
  p.source_lines =
      std::min(Reach(g, p.task, 0, planes) * Reach(g, p.task, 1, rows), p.lines * LineTaps(g));
  p.source_width = Reach(g, p.task, 2, p.width);
}

// Cuts columns, and pixels or rows, into units, for the least time by the model of
// vector_product.cc: every thread takes as many units as the busiest one.
template <typename SetBlock>
void Cut(VectorWindows& p, std::initializer_list<int64_t> blocks, int threads,
         const SetBlock& set_block) {
  constexpr double kReading = 16;
  VectorWindows best = p;
  double least = 0;
  const int64_t fewest = CeilDivide(p.columns, kMostColumns);
  const int64_t most = std::max(fewest, std::min(p.columns / (2 * p.lanes), fewest + 2 * threads));
  for (const int64_t block : blocks) {
    const int64_t size = set_block(p, block);
    for (int64_t across = fewest; across <= most; ++across) {
      p.unit_columns = RoundUp(CeilDivide(p.columns, across), p.lanes);
      const double rounds = static_cast<double>(CeilDivide(p.Units(), int64_t{threads}));
      const double time = rounds * (static_cast<double>(size) + kReading) *
                          (static_cast<double>(p.unit_columns) + kReading);
      if (least > 0 && time >= least) continue;
      least = time;
      best = p;
    }
  }
  p = best;
}

}  // namespace

int64_t VectorWindows::Blocks() const {
  return task == Task::kGradWeight ? CeilDivide(geometry.x_channels, unit_rows)
                                   : PixelBlocks(*this);
}

int64_t VectorWindows::Units() const {
  return geometry.groups * Blocks() * CeilDivide(columns, unit_columns);
}

int64_t VectorWindows::GroupWeights() const {
  if (task == Task::kGradWeight) return 0;
  return SaturatedProduct(SaturatedProduct(RoundUp(columns, kMostLanes), depth),
                          geometry.KernelSize());
}

int64_t VectorWindows::WeightBytes() const {
  return SaturatedProduct(SaturatedProduct(GroupWeights(), geometry.groups), kFloat);
}

int64_t VectorWindows::SlotBytes() const {
  if (task == Task::kGradWeight) return WeightUnit(*this, 0, {}, {}, nullptr).Bytes();
  return PixelsUnit(*this, 0, {}, {}, nullptr, nullptr).Bytes();
}

int64_t VectorWindows::ScratchBytes() const { return WeightBytes() + slots * SlotBytes(); }

VectorWindows PlanVectorWindows(const Geometry& g, Task task, int threads) {
  VectorWindows p;
  p.task = task;
  p.geometry = g;
  // One window steps nowhere, however far it would.
  for (int d = 0; d < kDims; ++d) {
    if (g.out[d] == 1) p.geometry.stride[d] = 1;
  }
  p.lanes = vectors::Lanes();
  if (task == Task::kGradWeight) {
    p.columns = g.y_channels;
    CutPixels(p, kMostDepth);
    const int64_t most = std::max(kMostWeightRows / g.KernelSize() / kRows, int64_t{1}) * kRows;
    const int64_t pieces = CeilDivide(g.x_channels, most);
    Cut(p, {pieces, pieces + 1, pieces + 2, pieces + 3, 2 * pieces, 4 * pieces}, threads,
        [&](VectorWindows& q, int64_t count) {
          q.unit_rows = RoundUp(CeilDivide(g.x_channels, count), kRows);
          return q.unit_rows * g.KernelSize();
        });
  } else {
    p.columns = task == Task::kForward ? g.y_channels : g.x_channels;
    p.depth = task == Task::kForward ? g.x_channels : g.y_channels;
    p.chunk = CeilDivide(p.depth, CeilDivide(p.depth, kMostDepth));
    p.taps = std::clamp<int64_t>(kMostDepth / p.chunk, 1, g.KernelSize());
    Cut(p, {kMostPixels, 384, 256, 192, 128, 96, 64}, threads, [](VectorWindows& q, int64_t most) {
      CutPixels(q, most);
      return q.images * q.lines * q.width;
    });
    MeasureSource(p);
  }
  p.slots = static_cast<int>(std::clamp<int64_t>(p.Units(), 1, threads));
  return p;
}

void RunProduct(const VectorWindows& p, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch) {
  auto* const packed = static_cast<float*>(scratch);
  char* const memory = static_cast<char*>(scratch) + p.WeightBytes();
  const Matrix of_x = ChannelsOf(x), of_y = ChannelsOf(y);
  if (p.task != Task::kGradWeight) PackWeights(p, weight, packed);
  if (p.slots > 1 && IsCancelled()) return;
  RunUnits(p, memory, [&](int64_t unit, void* own) {
    if (p.task == Task::kGradWeight) {
      WeightUnit sums(p, unit, of_x, of_y, own);
      sums.Run();
      sums.Store(weight);
    } else {
      const bool forward = p.task == Task::kForward;
      PixelsUnit(p, unit, forward ? of_x : of_y, forward ? of_y : of_x, packed, own).Run();
    }
  });
}

}  // namespace aclimb::convolution_backward
