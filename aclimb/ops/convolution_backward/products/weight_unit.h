#pragma once

#include <cstdint>

#include "aclimb/ops/convolution_backward/products/vector_kernels.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"

namespace aclimb::convolution_backward {

// A matrix, or one for each image, with the elements of a row side by side. Strides in elements.
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

// Sums over all pixels, of some channels of x with all taps and some channels of y. Units of a
// group have all channels of y for some of x, then for the next.
class WeightUnit {
 public:
  // Without memory it only counts.
  WeightUnit(const VectorWindows& p, int64_t unit, const Matrix& x, const Matrix& y, void* memory);
  int64_t Bytes() const { return bytes_; }

  void Run();

  void Store(const TensorView& weight) const;

 private:
  // Hands out memory by cache lines.
  template <typename T>
  T* Take(int64_t count);

  // Calls body(first, width, columns) for the panels of columns: `columns` of `width` are real.
  template <typename Body>
  void EachPanel(const Body& body) const;

  void FindBlock(int64_t number);
  void PackColumns(int64_t c, int64_t width, int64_t columns);

  // The parts of x that a tap meets, line by line, and the pixels that they are summed with.
  void FindPieces(int64_t tap);
  // Packed rows, from one number on, so many of them; `some` make an element.
  void AddPacked(int64_t at, int64_t length, int64_t some);
  // Rows of the left operand begin at `left`, `row` elements apart.
  void AddSegment(int64_t left, int64_t row, int32_t right, int64_t depth);

  void AddRows(int64_t tap, int64_t r, bool add);

  const VectorWindows& p_;
  const Geometry& g_;
  const Matrix x_, y_;
  int64_t group_, first_row_, rows_, first_column_, columns_;
  int64_t width_;                // of all columns, in whole vectors
  const int64_t plane_, pitch_;  // elements of a block's pixels of an image, and of all, at most
  const bool in_place_;          // rows are read from where they are
  char* const memory_;
  int64_t bytes_ = 0;
  float* sums_;    // [channel of x][tap][channel of y]
  float* rights_;  // y, pixels of a block by panels
  float* lefts_;   // x, a block of rows at a tap
  vectors::Piece* pieces_;
  vectors::Segment* segments_;
  double* totals_;  // of long sums
  // What is being summed.
  struct {
    int64_t image, images, line, lines, column, width;
  } block_ = {};
  int64_t piece_count_ = 0, segment_count_ = 0;
};

}  // namespace aclimb::convolution_backward
