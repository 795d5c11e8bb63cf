#pragma once

#include <cstdint>

#include "aclimb/ops/convolution_backward/products/vector_kernels.h"
#include "aclimb/ops/convolution_backward/products/window_blocks.h"

namespace aclimb::convolution_backward {

// Sums over all pixels, of some channels of x with all taps and some channels of y.
class WeightUnit {
 public:
  WeightUnit(const VectorWindows& p, int64_t unit, const Matrix& x, const Matrix& y, void* memory);
  int64_t Bytes() const { return room_.Bytes(); }

  void Run();

  void Store(const TensorView& weight) const;

 private:
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
  const Part part_;
  const int64_t first_row_, rows_;
  const int64_t plane_;  // elements of a block's pixels of an image, at most
  const int64_t pitch_;
  const bool in_place_;  // rows are read from where they are
  Room room_;
  float* sums_;    // [channel of x][tap][channel of y]
  float* rights_;  // y, pixels of a block by panels
  float* lefts_;   // x, a block of rows at a tap
  vectors::Piece* pieces_;
  vectors::Segment* segments_;
  double* totals_;  // of long sums
  Block block_ = {};
  int64_t piece_count_ = 0, segment_count_ = 0;
};

}  // namespace aclimb::convolution_backward
