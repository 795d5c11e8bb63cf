#include "aclimb/ops/convolution_backward/vector_product.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/vector_kernels.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

using vectors::kMostVectors;
using vectors::kRows;

// Of the sums that are packed at once: with the columns of a unit they stay in the second cache.
constexpr int64_t kMostDepth = 512, kMostPixels = 256;
constexpr int64_t kRightBytes = 1 << 19;

// Weights that are packed in one piece, in long stretches of memory.
constexpr int64_t kPackedRows = 16 * kRows;

// Of a unit of which there are too few: its rows meet the columns that it packs.
constexpr int64_t kFewestRows = 256, kFewestPanels = 5;

constexpr int64_t kFloat = sizeof(float), kLine = 64;  // bytes

// A matrix, or one for each image.
struct Matrix {
  char* data;
  DType dtype;
  int64_t image, row;  // strides in elements

  void* At(int64_t i, int64_t r, int64_t c) const {
    return data + (i * image + r * row + c) * static_cast<int64_t>(SizeOf(dtype));
  }
};

Matrix ChannelsOf(const TensorView& view) {
  return {view.As<char>(), view.dtype, view.stride[0], view.stride[1]};
}

// Columns cut into panels of at most kMostVectors vectors, none much narrower than the others.
struct Panels {
  int64_t vectors, count, lanes;

  Panels(int64_t columns, int64_t lanes_of_a_vector)
      : vectors(CeilDivide(columns, lanes_of_a_vector)),
        count(CeilDivide(vectors, kMostVectors)),
        lanes(lanes_of_a_vector) {}
  int64_t First(int64_t panel) const { return vectors * panel / count; }  // vector
  int64_t Vectors(int64_t panel) const { return First(panel + 1) - First(panel); }
  int64_t Width() const { return vectors * lanes; }  // of all, in elements
};

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
  const int64_t stride = weight.stride[0];
  const Matrix from{weight.As<char>(), weight.dtype, 0, stride};
  ForEach(CeilDivide(p.rows, kPackedRows), p.slots > 1, [&](int64_t block) {
    const int64_t first = block * kPackedRows, rows = std::min(kPackedRows, p.rows - first);
    float* const panel = packed + first * p.depth;
    if (p.task == Task::kForward) {
      vectors::PackLeft(from.dtype, from.At(0, first, 0), stride, rows, p.depth, panel);
    } else {
      vectors::PackLeftTransposed(from.dtype, from.At(0, 0, first), stride, rows, p.depth, panel);
    }
  });
}

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
        panel_(kMostVectors * p.lanes),
        first_row_(unit % CeilDivide(p.rows, p.unit_rows) * p.unit_rows),
        first_column_(unit / CeilDivide(p.rows, p.unit_rows) * p.unit_columns),
        rows_(std::min(p.unit_rows, p.rows - first_row_)),
        columns_(std::min(p.unit_columns, p.columns - first_column_)),
        width_(RoundUp(columns_, p.lanes)),
        right_(memory),
        sums_(memory + p.chunk * p.unit_columns) {}

  void Run() {
    for (int64_t k = 0; k < p_.depth; k += p_.chunk) {
      const int64_t depth = std::min(p_.chunk, p_.depth - k);
      Pack(k, depth);
      for (int64_t r = 0; r < rows_; r += kRows) {
        for (int64_t c = 0; c < columns_; c += panel_) AddBlock(k, depth, r, c);
      }
    }
    if (p_.chunk < p_.depth) Store(sums_, width_, 0, rows_, 0, columns_);
  }

 private:
  void Pack(int64_t k, int64_t depth) {
    const int64_t whole = columns_ / panel_ * panel_;
    if (columns_ < width_) std::fill_n(right_ + whole * depth, (width_ - whole) * depth, 0.0f);
    EachImage(first_column_, columns_, p_.pixels,
              [&](int64_t image, int64_t pixel, int64_t first, int64_t count) {
                vectors::PackRight(source_.dtype, source_.At(image, k, pixel), source_.row, first,
                                   count, columns_, depth, right_);
              });
  }

  void AddBlock(int64_t k, int64_t depth, int64_t r, int64_t column) {
    const auto left = vectors::Left::Panel(packed_ + (first_row_ + r) * p_.depth + k * kRows);
    const float* const right = right_ + column * depth;
    const int64_t width = std::min(panel_, width_ - column), vectors = width / p_.lanes;
    if (p_.chunk < p_.depth) {
      vectors::Multiply(left, right, vectors, depth, k > 0, sums_ + r * width_ + column, width_);
      return;
    }
    const int64_t rows = std::min(kRows, rows_ - r), columns = std::min(width, columns_ - column);
    const int64_t image = (first_column_ + column) / p_.pixels;
    const int64_t pixel = (first_column_ + column) % p_.pixels;
    const bool whole = rows == kRows && columns == width && pixel + width <= p_.pixels;
    if (whole && result_.dtype == DType::kFloat32) {
      auto* const to = static_cast<float*>(result_.At(image, first_row_ + r, pixel));
      vectors::Multiply(left, right, vectors, depth, false, to, result_.row);
    } else {
      vectors::Multiply(left, right, vectors, depth, false, sums_, width);
      Store(sums_, width, r, rows, column, columns);
    }
  }

  void Store(const float* sums, int64_t stride, int64_t r, int64_t rows, int64_t column,
             int64_t columns) const {
    EachImage(first_column_ + column, columns, p_.pixels,
              [&](int64_t image, int64_t pixel, int64_t first, int64_t count) {
                vectors::StoreRows(sums + first, stride, rows, count, result_.dtype,
                                   result_.At(image, first_row_ + r, pixel), result_.row);
              });
  }

  const VectorProduct& p_;
  const Matrix source_, result_;
  const float* const packed_;
  const int64_t panel_;  // columns of one
  const int64_t first_row_, first_column_, rows_, columns_;
  const int64_t width_;  // of the columns, in whole vectors
  float* const right_;
  float* const sums_;
};

// Asks for `count` elements of memory that will be read soon. They come to the second cache: the
// nearest one is full of what is being multiplied.
void Fetch(const Matrix& matrix, int64_t image, int64_t row, int64_t column, int64_t count) {
  const auto* const from = static_cast<const char*>(matrix.At(image, row, column));
  const int64_t bytes = count * static_cast<int64_t>(SizeOf(matrix.dtype));
  for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(from + at, 0, 2);
}

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
        first_row_(unit % CeilDivide(p.rows, p.unit_rows) * p.unit_rows),
        first_column_(unit / CeilDivide(p.rows, p.unit_rows) * p.unit_columns),
        rows_(std::min(p.unit_rows, p.rows - first_row_)),
        columns_(std::min(p.unit_columns, p.columns - first_column_)),
        panels_(columns_, p.lanes),
        sums_(memory),
        rights_(sums_ + RoundUp(p.unit_rows, kRows) * RoundUp(p.unit_columns, p.lanes)),
        lefts_(rights_ + p.chunk * RoundUp(p.unit_columns, p.lanes)) {}

  void Run() {
    for (int64_t image = 0; image < p_.batch; image += p_.images) {
      const int64_t images = std::min(p_.images, p_.batch - image);
      for (int64_t pixel = 0; pixel < p_.pixels; pixel += p_.chunk) {
        AddChunk(image, images, pixel, std::min(p_.chunk, p_.pixels - pixel));
      }
    }
  }

  void Store(const TensorView& weight) const {
    const int64_t stride = weight.stride[0];
    const Matrix to{weight.As<char>(), weight.dtype, 0, stride};
    if (p_.swapped) {
      vectors::StoreColumns(sums_, panels_.Width(), rows_, columns_, to.dtype,
                            to.At(0, first_column_, first_row_), stride);
    } else {
      vectors::StoreRows(sums_, panels_.Width(), rows_, columns_, to.dtype,
                         to.At(0, first_row_, first_column_), stride);
    }
  }

 private:
  // Pixels [pixel, pixel + pixels) of every image in [image, image + images). All of an image when
  // there are several.
  void AddChunk(int64_t image, int64_t images, int64_t pixel, int64_t pixels) {
    const int64_t depth = images * pixels;
    const bool add = image > 0 || pixel > 0;
    for (int64_t panel = 0; panel < panels_.count; ++panel) {
      const int64_t column = panels_.First(panel) * p_.lanes;
      const int64_t width = panels_.Vectors(panel) * p_.lanes;
      const int64_t columns = std::min(width, columns_ - column);
      float* const to = rights_ + column * depth;
      if (columns < width) std::fill_n(to, width * depth, 0.0f);
      for (int64_t i = 0; i < images; ++i) {
        vectors::PackRightTransposed(right_.dtype,
                                     right_.At(image + i, first_column_ + column, pixel),
                                     right_.row, columns, pixels, to + i * pixels * width, width);
      }
    }
    for (int64_t r = 0; r < rows_; r += kRows) {
      const vectors::Left left = Rows(image, images, pixel, pixels, r);
      for (int64_t panel = 0; panel < panels_.count; ++panel) {
        const int64_t column = panels_.First(panel) * p_.lanes;
        if (images == 1) FetchRows(image, pixel, pixels, r + kRows, panel);
        vectors::Multiply(left, rights_ + column * depth, panels_.Vectors(panel), depth, add,
                          sums_ + r * panels_.Width() + column, panels_.Width());
      }
    }
  }

  // A part of the block of rows at r, of which the product with every panel asks for one.
  void FetchRows(int64_t image, int64_t pixel, int64_t pixels, int64_t r, int64_t panel) const {
    const int64_t rows = std::clamp<int64_t>(rows_ - r, 0, kRows);
    for (int64_t k = rows * panel / panels_.count; k < rows * (panel + 1) / panels_.count; ++k) {
      Fetch(left_, image, first_row_ + r + k, pixel, pixels);
    }
  }

  // Rows of one image are taken from where they are.
  vectors::Left Rows(int64_t image, int64_t images, int64_t pixel, int64_t pixels, int64_t r) {
    const int64_t rows = std::min(kRows, rows_ - r), row = first_row_ + r;
    if (images == 1 && left_.dtype == DType::kFloat32) {
      const auto* const from = static_cast<const float*>(left_.At(image, row, pixel));
      return vectors::Left::Rows(from, left_.row, rows);
    }
    for (int64_t k = 0; k < rows; ++k) {
      for (int64_t i = 0; i < images; ++i) {
        vectors::ToFloat(left_.dtype, left_.At(image + i, row + k, pixel), pixels,
                         lefts_ + k * p_.chunk + i * pixels);
      }
    }
    return vectors::Left::Rows(lefts_, p_.chunk, rows);
  }

  const VectorProduct& p_;
  const Matrix left_, right_;
  const int64_t first_row_, first_column_, rows_, columns_;
  const Panels panels_;
  float* const sums_;
  float* const rights_;  // all columns for a chunk
  float* const lefts_;   // a block of rows for a chunk
};

}  // namespace

int64_t VectorProduct::Units() const {
  return CeilDivide(rows, unit_rows) * CeilDivide(columns, unit_columns);
}

int64_t VectorProduct::WeightBytes() const {
  return task == Task::kGradWeight ? 0 : RoundUp(RoundUp(rows, kRows) * depth * kFloat, kLine);
}

int64_t VectorProduct::SlotBytes() const {
  const int64_t width = RoundUp(unit_columns, lanes), height = RoundUp(unit_rows, kRows);
  const int64_t right = chunk * width;
  int64_t sums = height * width, left = 0;
  if (task == Task::kGradWeight) {
    left = kRows * chunk;
  } else if (chunk == depth) {
    sums = kRows * kMostVectors * lanes;
  }
  return RoundUp((right + sums + left) * kFloat, kLine);
}

int64_t VectorProduct::ScratchBytes() const { return WeightBytes() + slots * SlotBytes(); }

VectorProduct PlanVectorProduct(const Geometry& g, Task task, int threads) {
  VectorProduct p;
  p.task = task;
  p.batch = g.batch;
  p.pixels = g.OutSize();
  p.lanes = vectors::Lanes();
  const int64_t panel = kMostVectors * p.lanes;
  if (task == Task::kGradWeight) {
    // Every column is transposed once for all rows of a unit: the fewer columns the better.
    p.swapped = g.x_channels > g.y_channels;
    p.rows = std::max(g.x_channels, g.y_channels);
    p.columns = std::min(g.x_channels, g.y_channels);
    p.depth = p.batch * p.pixels;
    int64_t down = CeilDivide(p.rows, int64_t{512}), across = CeilDivide(p.columns, int64_t{256});
    while (down * across < threads && p.rows / down > 4 * kRows) ++down;
    while (down * across < threads && p.columns / across > panel) ++across;
    // All of one size.
    if (threads > 1 && across == 1)
      down = std::min(RoundUp(down, int64_t{threads}), CeilDivide(p.rows, 4 * kRows));
    p.unit_rows = RoundUp(CeilDivide(p.rows, down), kRows);
    p.unit_columns = RoundUp(CeilDivide(p.columns, across), p.lanes);
    // Even pieces of one image, or several small images.
    p.images = std::clamp<int64_t>(kMostPixels / p.pixels, 1, p.batch);
    p.chunk = p.images * CeilDivide(p.pixels, CeilDivide(p.pixels, kMostPixels));
  } else {
    const bool forward = task == Task::kForward;
    p.rows = forward ? g.y_channels : g.x_channels;
    p.depth = forward ? g.x_channels : g.y_channels;
    p.columns = p.batch * p.pixels;
    p.chunk = CeilDivide(p.depth, CeilDivide(p.depth, kMostDepth));
    const int64_t fitting = std::max(kRightBytes / (p.chunk * kFloat) / panel * panel, panel);
    // Several units for each thread, all of one size: first columns are shared, as long as a unit
    // keeps several panels, then rows, as long as many meet the columns that a unit packs.
    const int64_t enough = threads == 1 ? 1 : 4 * threads;
    int64_t across = CeilDivide(p.columns, fitting), down = 1;
    if (across < enough) {
      across = std::max(across, std::min(enough, p.columns / (kFewestPanels * panel)));
      down = std::clamp<int64_t>(p.rows / kFewestRows, 1, CeilDivide(enough, across));
    }
    if (down == 1) across = RoundUp(across, int64_t{threads});
    p.unit_rows = RoundUp(CeilDivide(p.rows, down), kRows);
    p.unit_columns = RoundUp(CeilDivide(p.columns, across), p.lanes);
  }
  p.slots = static_cast<int>(std::clamp<int64_t>(p.Units(), 1, threads));
  return p;
}

void RunProduct(const VectorProduct& p, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch) {
  auto* const packed = static_cast<float*>(scratch);
  char* const memory = static_cast<char*>(scratch) + p.WeightBytes();
  const Matrix of_x = ChannelsOf(x), of_y = ChannelsOf(y);
  if (p.task != Task::kGradWeight) PackWeights(p, weight, packed);
  if (p.slots > 1 && IsCancelled()) return;
  Slots slots(p.slots);
  ForEach(p.Units(), p.slots > 1, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    auto* const own = reinterpret_cast<float*>(memory + slot.number() * p.SlotBytes());
    if (p.task == Task::kGradWeight) {
      SumsUnit sums(p, unit, p.swapped ? of_x : of_y, p.swapped ? of_y : of_x, own);
      sums.Run();
      sums.Store(weight);
    } else {
      const bool forward = p.task == Task::kForward;
      RowsUnit(p, unit, forward ? of_x : of_y, forward ? of_y : of_x, packed, own).Run();
    }
  });
}

}  // namespace aclimb::convolution_backward
