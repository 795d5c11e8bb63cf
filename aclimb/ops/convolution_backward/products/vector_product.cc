#include "aclimb/ops/convolution_backward/products/vector_product.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/ahead.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"

namespace aclimb::convolution_backward {
namespace {

using vectors::kMostBlockSums;
using vectors::kMostVectors;
using vectors::kRows;

// Of the sums that are packed at once, and bytes of the columns of a unit: with its sums they stay
// in the second cache of large processors.
constexpr int64_t kMostDepth = 512, kMostPixels = 256;
constexpr int64_t kRightBytes = 1 << 19;
constexpr int64_t kMostRows = 512, kMostColumns = 256;

// Weights that are packed in one piece, in long stretches of memory.
constexpr int64_t kPackedRows = 16 * kRows;

constexpr int64_t kFloat = sizeof(float), kLine = 64;  // bytes

// Calls body(image, pixel, first, count) for the pieces of [begin, begin + length) of all pixels
// that lie in one image; `first` counts from `begin`.
template <typename Body>
void EachImage(int64_t begin, int64_t length, int64_t pixels, const Body& body) {
  for (int64_t first = 0; first < length;) {
    const int64_t image = (begin + first) / pixels, pixel = (begin + first) % pixels;
    const int64_t count = std::min(length - first, pixels - pixel);
    body(image, pixel, first, count);
    first += count;
  }
}

void PackWeights(const VectorProduct& p, const TensorView& weight, float* packed) {
  const Matrix from = WeightsOf(weight);
  ForEach(CeilDivide(p.rows, kPackedRows), p.slots > 1, [&](int64_t piece) {
    const int64_t first = piece * kPackedRows, rows = std::min(kPackedRows, p.rows - first);
    float* const panels = packed + first * p.Elements(p.depth);
    if (p.task == Task::kForward) {
      vectors::PackLeft(p.factors, from.dtype, from.At(0, first), from.row, rows, p.depth, panels);
    } else {
      vectors::PackLeftTransposed(p.factors, from.dtype, from.At(0, 0, first), from.row, rows,
                                  p.depth, panels);
    }
  });
}

// The rows and columns of a unit. Columns are cut into panels.
struct Part {
  int64_t first_row, first_column, rows, columns;
  int64_t panel;  // columns of one
  int64_t width;  // of all columns, in whole vectors

  Part(const VectorProduct& p, int64_t unit)
      : first_row(unit % CeilDivide(p.rows, p.unit_rows) * p.unit_rows),
        first_column(unit / CeilDivide(p.rows, p.unit_rows) * p.unit_columns),
        rows(std::min(p.unit_rows, p.rows - first_row)),
        columns(std::min(p.unit_columns, p.columns - first_column)),
        panel(kMostVectors * p.lanes),
        width(RoundUp(columns, p.lanes)) {}
  // Of the panel at column c.
  int64_t Width(int64_t c) const { return std::min(panel, width - c); }
};

// Sums over channels, of some rows and columns. Where all channels are packed at once, sums go to
// the result; otherwise they wait in `sums_`, [rows][width].
class RowsUnit {
 public:
  RowsUnit(const VectorProduct& p, int64_t unit, const Matrix& source, const Matrix& result,
           const float* packed, float* memory)
      : p_(p),
        source_(source),
        result_(result),
        packed_(packed),
        part_(p, unit),
        next_(p, std::min(unit + p.slots, p.Units() - 1)),
        right_(memory),
        sums_(memory + p.ChunkElements() * p.unit_columns) {}

  void Run() {
    for (int64_t k = 0; k < p_.depth; k += p_.chunk) {
      const int64_t depth = std::min(p_.chunk, p_.depth - k);
      Pack(k, depth);
      FindNext(k);
      for (int64_t r = 0; r < part_.rows; r += kRows) {
        for (int64_t c = 0; c < part_.columns; c += part_.panel) AddBlock(k, depth, r, c);
      }
    }
    if (p_.chunk < p_.depth) Store(sums_, part_.width, 0, part_.rows, 0, part_.columns);
  }

 private:
  void Pack(int64_t k, int64_t depth) {
    const int64_t whole = part_.columns / part_.panel * part_.panel;
    if (part_.columns < part_.width) {
      const int64_t elements = p_.Elements(depth);
      std::fill_n(right_ + whole * elements, (part_.width - whole) * elements, 0.0f);
    }
    EachImage(part_.first_column, part_.columns, p_.pixels,
              [&](int64_t image, int64_t pixel, int64_t first, int64_t count) {
                vectors::PackRight(p_.factors, source_.dtype, source_.At(image, k, pixel),
                                   source_.row, first, count, part_.columns, depth, right_);
              });
  }

  // What is packed next comes to the second cache meanwhile.
  void FindNext(int64_t k) {
    const int64_t next = k + p_.chunk < p_.depth ? k + p_.chunk : 0;
    ahead_.Clear();
    if (next > 0) {
      WantRows(source_, next, std::min(p_.chunk, p_.depth - next), part_);
    } else if (next_.first_column != part_.first_column) {
      WantRows(source_, 0, std::min(p_.chunk, p_.depth), next_);
    }
    ahead_.Begin(CeilDivide(part_.rows, kRows) * CeilDivide(part_.columns, part_.panel));
  }
  void WantRows(const Matrix& matrix, int64_t first, int64_t rows, const Part& part) {
    const auto bytes = static_cast<int64_t>(SizeOf(matrix.dtype));
    EachImage(part.first_column, part.columns, p_.pixels,
              [&](int64_t image, int64_t pixel, int64_t, int64_t count) {
                ahead_.Want({matrix.As<const char>(image, first, pixel), count * bytes, rows,
                             matrix.row * bytes, 1, 0});
              });
  }

  void AddBlock(int64_t first, int64_t count, int64_t r, int64_t column) {
    ahead_.Ask();
    const int64_t k = p_.Elements(first), depth = p_.Elements(count);
    const auto left =
        vectors::Left::Panel(packed_ + (part_.first_row + r) * p_.Elements(p_.depth) + k * kRows);
    const float* const right = right_ + column * depth;
    const int64_t width = part_.Width(column), vectors = width / p_.lanes;
    if (p_.chunk < p_.depth) {
      vectors::Multiply(p_.factors, left, right, vectors, depth, k > 0,
                        sums_ + r * part_.width + column, part_.width);
      return;
    }
    const int64_t rows = std::min(kRows, part_.rows - r),
                  columns = std::min(width, part_.columns - column);
    const int64_t image = (part_.first_column + column) / p_.pixels;
    const int64_t pixel = (part_.first_column + column) % p_.pixels;
    const bool whole = rows == kRows && columns == width && pixel + width <= p_.pixels;
    if (whole && result_.dtype == vectors::DTypeOf(p_.factors)) {
      vectors::MultiplyInto(p_.factors, left, right, vectors, depth,
                            result_.At(image, part_.first_row + r, pixel), result_.row);
    } else {
      vectors::Multiply(p_.factors, left, right, vectors, depth, false, sums_, width);
      Store(sums_, width, r, rows, column, columns);
    }
  }

  void Store(const float* sums, int64_t stride, int64_t r, int64_t rows, int64_t column,
             int64_t columns) const {
    EachImage(part_.first_column + column, columns, p_.pixels,
              [&](int64_t image, int64_t pixel, int64_t first, int64_t count) {
                vectors::StoreRows(p_.factors, sums + first, stride, rows, count, result_.dtype,
                                   result_.At(image, part_.first_row + r, pixel), result_.row);
              });
  }

  const VectorProduct& p_;
  const Matrix source_, result_;
  const float* const packed_;
  const Part part_, next_;
  float* const right_;
  float* const sums_;
  Ahead ahead_;
};

// Sums over the pixels of all images, of some rows and columns of the weight's gradient. Columns
// are packed for a chunk, which is some pixels of an image or several small images, and then meet
// its rows, one block after the other.
class SumsUnit {
 public:
  SumsUnit(const VectorProduct& p, int64_t unit, const Matrix& left, const Matrix& right,
           float* memory)
      : p_(p),
        left_(left),
        right_(right),
        part_(p, unit),
        sums_(memory),
        rights_(sums_ + p.unit_rows * p.unit_columns),
        lefts_(rights_ + p.ChunkElements() * p.unit_columns),
        long_sums_(sums_, p.unit_rows * p.unit_columns, kMostBlockSums,
                   reinterpret_cast<double*>(lefts_ + kRows * p.ChunkElements())) {}

  void Run() {
    for (int64_t image = 0; image < p_.batch; image += p_.images) {
      const int64_t images = std::min(p_.images, p_.batch - image);
      for (int64_t pixel = 0; pixel < p_.pixels; pixel += p_.chunk) {
        AddChunk({image, images, pixel, std::min(p_.chunk, p_.pixels - pixel)}, long_sums_.Add(1));
      }
    }
    long_sums_.Finish();
  }

  void Store(const TensorView& weight) const {
    const Matrix to = WeightsOf(weight);
    if (p_.swapped) {
      vectors::StoreColumns(sums_, part_.width, part_.rows, part_.columns, to.dtype,
                            to.At(0, part_.first_column, part_.first_row), to.row);
    } else {
      vectors::StoreRows(p_.factors, sums_, part_.width, part_.rows, part_.columns, to.dtype,
                         to.At(0, part_.first_row, part_.first_column), to.row);
    }
  }

 private:
  // Some pixels of an image, or all of several.
  struct Chunk {
    int64_t image, images, pixel, pixels;
  };

  int64_t Depth(const Chunk& chunk) const { return chunk.images * p_.Elements(chunk.pixels); }

  void AddChunk(const Chunk& chunk, bool add) {
    for (int64_t c = 0; c < part_.columns; c += part_.panel) PackColumns(chunk, c);
    for (int64_t r = 0; r < part_.rows; r += kRows) {
      const vectors::Left left = Rows(chunk, r);
      for (int64_t c = 0; c < part_.columns; c += part_.panel) {
        FetchRows(chunk, r + kRows, c);
        vectors::Multiply(p_.factors, left, rights_ + c * Depth(chunk), part_.Width(c) / p_.lanes,
                          Depth(chunk), add, sums_ + r * part_.width + c, part_.width);
      }
    }
  }

  void PackColumns(const Chunk& chunk, int64_t c) {
    const int64_t width = part_.Width(c), columns = std::min(width, part_.columns - c);
    float* const panel = rights_ + c * Depth(chunk);
    if (columns < width) std::fill_n(panel, width * Depth(chunk), 0.0f);
    for (int64_t i = 0; i < chunk.images; ++i) {
      const void* const from = right_.At(chunk.image + i, part_.first_column + c, chunk.pixel);
      vectors::PackRightTransposed(p_.factors, right_.dtype, from, right_.row, columns,
                                   chunk.pixels, panel + i * p_.Elements(chunk.pixels) * width,
                                   width);
    }
  }

  // A part of the block of rows at r, of which the product with every panel asks for one. It comes
  // to the second cache: the nearest one is full of what is being multiplied.
  void FetchRows(const Chunk& chunk, int64_t r, int64_t c) const {
    const int64_t rows = std::clamp<int64_t>(part_.rows - r, 0, kRows);
    const int64_t bytes = chunk.pixels * static_cast<int64_t>(SizeOf(left_.dtype));
    for (int64_t k = rows * c / part_.width; k < rows * (c + part_.Width(c)) / part_.width; ++k) {
      const char* const from = left_.As<char>(chunk.image, part_.first_row + r + k, chunk.pixel);
      for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(from + at, 0, 2);
    }
  }

  // Rows of one image are taken from where they are, if they are whole elements.
  vectors::Left Rows(const Chunk& chunk, int64_t r) {
    const int64_t rows = std::min(kRows, part_.rows - r), row = part_.first_row + r;
    const int64_t some = vectors::PerElement(p_.factors);
    const bool as_it_is = left_.dtype == vectors::DTypeOf(p_.factors);
    if (chunk.images == 1 && as_it_is && chunk.pixels % some == 0) {
      return vectors::Left::Rows(left_.At(chunk.image, row, chunk.pixel), left_.row, rows);
    }
    const int64_t pitch = p_.ChunkElements();
    for (int64_t k = 0; k < rows; ++k) {
      for (int64_t i = 0; i < chunk.images; ++i) {
        vectors::PackRow(p_.factors, left_.dtype, left_.At(chunk.image + i, row + k, chunk.pixel),
                         chunk.pixels, lefts_ + k * pitch + i * p_.Elements(chunk.pixels));
      }
    }
    return vectors::Left::Rows(lefts_, some * pitch, rows);
  }

  const VectorProduct& p_;
  const Matrix left_, right_;
  const Part part_;
  float* const sums_;
  float* const rights_;  // all columns for a chunk
  float* const lefts_;   // a block of rows for a chunk
  LongSums long_sums_;   // of sums_
};

// What a unit may be, in multiples of a block's rows and of a vector.
struct Limits {
  int64_t least_rows, most_rows, least_columns, most_columns;
};

// Cuts rows and columns into units of one size. Units that are short beside the whole let threads
// end together that do not begin together; those of kGradWeight read all images and had better be
// few.
void Cut(VectorProduct& p, const Limits& limits, int threads) {
  const double late = threads > 1 && p.task != Task::kGradWeight ? 0.25 : 0;
  const auto range = [&](int64_t all, int64_t least, int64_t most) {
    const int64_t first = CeilDivide(all, most);
    return Range{first, std::max(first, std::min(all / least, first + 2 * threads))};
  };
  CutUnits(range(p.rows, limits.least_rows, limits.most_rows),
           range(p.columns, limits.least_columns, limits.most_columns), threads, late,
           [&](int64_t down, int64_t across) {
             p.unit_rows = RoundUp(CeilDivide(p.rows, down), kRows);
             p.unit_columns = RoundUp(CeilDivide(p.columns, across), p.lanes);
             return UnitSize{p.Units(), p.unit_rows, p.unit_columns};
           });
}

}  // namespace

int64_t VectorProduct::Units() const {
  return CeilDivide(rows, unit_rows) * CeilDivide(columns, unit_columns);
}

int64_t VectorProduct::WeightBytes() const {
  if (task == Task::kGradWeight) return 0;
  return SaturatedProduct(SaturatedProduct(CeilDivide(rows, 2 * kRows), Elements(depth)),
                          2 * kRows * kFloat);
}

int64_t VectorProduct::SlotBytes() const {
  int64_t floats = ChunkElements() * unit_columns;
  if (task == Task::kGradWeight) {
    const int64_t sums = unit_rows * unit_columns;
    const int64_t chunks = CeilDivide(batch, images) * CeilDivide(pixels, chunk);
    floats += sums + kRows * ChunkElements() + 2 * LongSums::Totals(sums, chunks, kMostBlockSums);
  } else {
    floats += chunk < depth ? unit_rows * unit_columns : kRows * kMostVectors * lanes;
  }
  return RoundUp(floats * kFloat, kLine);
}

int64_t VectorProduct::ScratchBytes() const { return WeightBytes() + slots * SlotBytes(); }

VectorProduct PlanVectorProduct(const Geometry& g, Task task, int threads,
                                vectors::Factors factors) {
  VectorProduct p;
  p.task = task;
  p.factors = factors;
  const int64_t some = vectors::PerElement(factors);
  p.batch = g.batch;
  p.pixels = g.OutSize();
  p.lanes = vectors::Lanes(factors);
  const int64_t panel = kMostVectors * p.lanes;
  if (task == Task::kGradWeight) {
    // Every column is transposed once for all rows of a unit: the fewer columns the better.
    p.swapped = g.x_channels > g.y_channels;
    p.rows = std::max(g.x_channels, g.y_channels);
    p.columns = std::min(g.x_channels, g.y_channels);
    // Even pieces of one image, or several small images.
    const int64_t most = some * kMostPixels;
    p.images = std::clamp<int64_t>(most / p.pixels, 1, p.batch);
    p.chunk = p.images * CeilDivide(p.pixels, CeilDivide(p.pixels, most));
    if (p.images == 1) p.chunk = RoundUp(p.chunk, some);
    Cut(p, {4 * kRows, kMostRows, panel, kMostColumns}, threads);
  } else {
    p.rows = ResultChannels(g, task);
    p.depth = SourceChannels(g, task);
    p.columns = p.batch * p.pixels;
    p.chunk = RoundUp(CeilDivide(p.depth, CeilDivide(p.depth, some * kMostDepth)), some);
    // Where sums wait for more, they are few.
    const int64_t most_rows = p.chunk < p.depth ? kMostRows : p.rows;
    const int64_t most_columns = kRightBytes / (p.ChunkElements() * kFloat) / panel * panel;
    Cut(p, {kPackedRows, most_rows, 2 * panel, most_columns}, threads);
  }
  p.slots = static_cast<int>(std::clamp<int64_t>(p.Units(), 1, threads));
  return p;
}

void RunProduct(const VectorProduct& p, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch) {
  auto* const packed = static_cast<float*>(scratch);
  const Matrix of_x = ChannelsOf(x), of_y = ChannelsOf(y);
  RunPlan(
      p, of_x, of_y, scratch, [&] { PackWeights(p, weight, packed); },
      [&](int64_t unit, void* own) {
        SumsUnit sums(p, unit, p.swapped ? of_x : of_y, p.swapped ? of_y : of_x,
                      static_cast<float*>(own));
        sums.Run();
        sums.Store(weight);
      },
      [&](int64_t unit, const Matrix& source, const Matrix& result, void* own) {
        RowsUnit(p, unit, source, result, packed, static_cast<float*>(own)).Run();
      });
}

}  // namespace aclimb::convolution_backward
