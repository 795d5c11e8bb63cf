#pragma once

#include <cstdint>

#include "aclimb/ops/convolution_backward/products/vector_kernels.h"
#include "aclimb/ops/convolution_backward/products/window_blocks.h"

namespace aclimb::convolution_backward {

// Sums over channels and taps, of some pixels and channels of the result.
class PixelsUnit {
 public:
  struct Pixel {
    int32_t image, line, column;  // the first as a place in `packed_`
  };

  // `memory` may be null, to see how much it takes.
  PixelsUnit(const VectorWindows& p, int64_t unit, const Matrix& source, const Matrix& result,
             const float* weights, void* memory);
  int64_t Bytes() const { return room_.Bytes(); }

  void Run();

 private:
  // The place of a line in `packed_`; -1: it is not there.
  int64_t SlotOf(int64_t line) const { return slots_[line - first_line_]; }

  int64_t Phases() const;
  // A block has pixels of one phase.
  int64_t MostBlocks(int64_t pixels) const;

  // Calls body(line or column of the source, its place in the table) for all that are met.
  template <typename Body>
  void EachLine(const Body& body);
  template <typename Body>
  void EachColumn(const Body& body);
  // Which lines and columns of the source are met, and by what. Lines get places one after the
  // other.
  void FindSource();

  // Pixels in blocks that meet the same taps as far as possible: of one phase of the strides, and
  // of one place in several images.
  void FindPixels();

  void PackSource(int64_t k, int64_t depth);

  // What the blocks of pixels meet of some taps.
  void FindSegments(int64_t tap, int64_t taps, int64_t depth);

  void Store() const;

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
  int32_t* columns_;  // [tap][column]: place of what is met in a line of `packed_`; -1: nothing
  int32_t* lines_;    // [tap][line]: place of what is met in an image of `packed_`; -1: nothing
  int32_t* slots_;    // of lines of the source
  Pixel* pixels_;
  int32_t* to_;
  int32_t* rows_;               // of a block
  vectors::Segment* segments_;  // p_.taps for each block
  int32_t* counts_;
  int64_t blocks_ = 0;
  int64_t first_line_ = 0, end_line_ = 0, first_column_ = 0;
  int64_t source_lines_ = 0, source_width_ = 0, zeros_ = 0;
};

}  // namespace aclimb::convolution_backward
