#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"

// How vector_windows.h cuts a problem: what a unit of it computes, and what that reads. x or y is a
// number of lines, whatever its dimensions.
namespace aclimb::convolution_backward {

// A matrix, or one for each image, with the elements of a row side by side. Strides in elements.
struct Matrix {
  char* data;
  DType dtype;
  int64_t image, row;

  // Of x or y: a row for each channel. Of a weight: a row for each output channel.
  static Matrix Channels(const TensorView& view) {
    return {view.As<char>(), view.dtype, view.stride[0], view.stride[1]};
  }
  static Matrix Weights(const TensorView& view) {
    return {view.As<char>(), view.dtype, 0, view.stride[0]};
  }
  void* At(int64_t i, int64_t r, int64_t c = 0) const {
    return data + (i * image + r * row + c) * static_cast<int64_t>(SizeOf(dtype));
  }
  template <typename T>
  T* As(int64_t i, int64_t r, int64_t c = 0) const {
    return static_cast<T*>(At(i, r, c));
  }
};

// Whether windows read x, for each element of y; otherwise y, for each of x.
inline bool ReadsX(Task task) { return task != Task::kGradX; }

// The pixels of x or y.
struct Extents {
  int64_t lines, width;

  Extents(const Geometry& g, bool of_x)
      : lines((of_x ? g.in : g.out)[0] * (of_x ? g.in : g.out)[1]),
        width((of_x ? g.in : g.out)[2]) {}
  int64_t Pixels() const { return lines * width; }
};

// What windows read, and what they are for.
inline Extents SourceOf(const VectorWindows& p) { return {p.geometry, ReadsX(p.task)}; }
inline Extents ResultOf(const VectorWindows& p) { return {p.geometry, !ReadsX(p.task)}; }

// The line that a tap of the first two dimensions meets; -1 when there is none.
int64_t MetLine(const Geometry& g, Task task, int64_t line, int64_t tap);
inline int64_t LineTaps(const Geometry& g) { return g.kernel[0] * g.kernel[1]; }

// Elements from one pixel to the next where channels are side by side: never whole KiB, many of
// which would meet in one set of a cache.
inline int64_t PixelPitch(int64_t channels) {
  return channels % 256 == 0 ? channels + 16 : RoundUp(channels, int64_t{16});
}

// Which unit it is: those of a group have all columns of a block of pixels or of rows, then those
// of the next.
struct Part {
  int64_t group, block, first_column, columns;
  int64_t width;  // of all columns, in whole vectors

  Part(const VectorWindows& p, int64_t unit);
};

// Some pixels of the result: of whole images, of lines of one or of a part of a line.
struct Block {
  int64_t image, images, line, lines, column, width;

  int64_t Pixels() const { return images * lines * width; }
};

// A problem has so many.
int64_t PixelBlocks(const VectorWindows& p);
Block BlockAt(const VectorWindows& p, int64_t number);

// Calls body(first, width, columns) for the panels of columns [0, count): `columns` of `width` are
// real. A panel of one vector leaves the registers half empty: four are two and two.
template <typename Body>
void EachPanel(const VectorWindows& p, int64_t count, const Body& body) {
  for (int64_t c = 0; c < count;) {
    const int64_t vectors = CeilDivide(count - c, p.lanes);
    const int64_t width =
        (vectors == vectors::kMostVectors + 1 ? 2 : std::min(vectors, vectors::kMostVectors)) *
        p.lanes;
    body(c, width, std::min(width, count - c));
    c += width;
  }
}

// Hands out parts of a slot's memory, by cache lines. Without memory it only counts.
class Room {
 public:
  explicit Room(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <typename T>
  T* Take(int64_t count) {
    char* const taken = memory_ != nullptr ? memory_ + bytes_ : nullptr;
    bytes_ += RoundUp(SaturatedProduct(count, static_cast<int64_t>(sizeof(T))), 64);
    return reinterpret_cast<T*>(taken);
  }
  int64_t Bytes() const { return bytes_; }

 private:
  char* const memory_;
  int64_t bytes_ = 0;
};

}  // namespace aclimb::convolution_backward
