#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/ops/convolution_backward/geometry.h"

namespace aclimb::convolution_backward {

// How our own kernels see a convolution: as sums over flat arrays.
//
// x is split by the remainder of its (padded) position modulo the stride into phases; inside one
// phase every tap of the kernel is a shift. A block of each phase and of y is copied into float32
// planes of one common pitch, with zeros for the padding, so that a shift in three dimensions is a
// shift by one number and the vectors run across the ends of rows. The zeros behind one row serve
// as those before the next. Along one dimension, with tap * dilation - base = shift * stride +
// phase:
//   position of x = (u * stride + phase) - base,  u = position of y + shift
struct FlatAxis {
  int64_t stride = 1;
  int64_t base = 0;   // padding, less the first live tap; may be negative
  int64_t reach = 0;  // largest shift
  int64_t begin = 0;  // the task walks positions [begin, begin + count): of y; of u for kGradX
  int64_t count = 0;
  int64_t block = 0;  // positions in one block
  int64_t pitch = 0;  // from one row (or slice, or image) to the next; at most block + reach

  int64_t Blocks() const { return (count + block - 1) / block; }
};

struct FlatTap {
  int64_t kernel_index = 0;  // into the kernel's elements, row-major
  int64_t row_shift = 0;     // the part of the flat shift that depth and height make
  int64_t column_shift = 0;  // the part that width makes
};

struct FlatPhase {
  int64_t phase[kDims] = {};
  std::vector<FlatTap> taps;  // in kernel order; never empty
};

struct FlatGeometry {
  FlatAxis axis[kDims];
  std::vector<FlatPhase> phases;  // those that have a tap
  bool all_phases = true;         // every remainder modulo the strides has one
  int64_t images = 1;             // images side by side in one plane
  int64_t plane = 0;              // elements of one image in a plane
  int64_t blocks = 0;             // spatial blocks of one image

  // Positions of a plane from the first to the last useful one.
  int64_t Length() const {
    return (images - 1) * plane +
           ((axis[0].block - 1) * axis[1].pitch + axis[1].block - 1) * axis[2].pitch +
           axis[2].block;
  }
  // The largest shift of any tap.
  int64_t Reach() const {
    return (axis[0].reach * axis[1].pitch + axis[1].reach) * axis[2].pitch + axis[2].reach;
  }
  // Elements that the sums of a plane touch.
  int64_t Extent() const {
    const int64_t touched = Length() + Reach();
    return touched > images * plane ? touched : images * plane;
  }
};

// Taps that only ever meet padding are left out; `phases` may end up empty. `planes` is the number
// of planes that a kernel wants in its cache at once, `max_images` how many images it may fold.
FlatGeometry MakeFlat(const Geometry& geometry, Task task, int64_t planes, int64_t max_images);

}  // namespace aclimb::convolution_backward
