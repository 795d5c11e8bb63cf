#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/geometry.h"

namespace aclimb::convolution_backward {

// All planes of a step, in float32 elements. What the next step reads comes to the second cache
// beside them.
inline constexpr int64_t kStepElements = 32 * 1024;

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
  int64_t pitch = 0;  // from one row (or depth, or image) to the next; at most block + reach

  // The live taps, those that meet data somewhere: [first_tap, first_tap + taps). Every `cycle` of
  // them the phases repeat, so that phase i has the taps i, i + cycle, i + 2 * cycle, ...
  int64_t first_tap = 0;
  int64_t taps = 0;
  int64_t dilation = 1;
  int64_t cycle = 1;

  int64_t Blocks() const { return CeilDivide(count, block); }
  int64_t Phases() const { return std::min(taps, cycle); }
  int64_t PhaseTaps(int64_t phase) const {
    return phase < taps ? CeilDivide(taps - phase, cycle) : 0;
  }
  // Taps of all phases before this one.
  int64_t TapsBefore(int64_t phase) const {
    return phase * (taps / cycle) + std::min(phase, taps % cycle);
  }
};

// The taps that share a phase. Everything about them is computed, not stored: a window may have as
// many taps as the weight has elements.
struct FlatPhase {
  int64_t phase[kDims] = {};  // remainder modulo the stride
  int64_t first[kDims] = {};  // live tap, counted from the axis' first
  int64_t count[kDims] = {};  // taps along each dimension; never 0

  int64_t Taps() const { return count[0] * count[1] * count[2]; }
};

struct FlatGeometry {
  FlatAxis axis[kDims];
  int64_t images = 1;  // images side by side in one plane
  int64_t plane = 0;   // elements of one image in a plane
  int64_t blocks = 0;  // of the positions of one image

  // Phases that have a tap, in the order in which their first tap appears in the kernel.
  int64_t Phases() const { return axis[0].Phases() * axis[1].Phases() * axis[2].Phases(); }
  // Every remainder modulo the strides has a tap.
  bool AllPhases() const {
    return std::all_of(axis, axis + kDims,
                       [](const FlatAxis& a) { return a.Phases() == a.stride; });
  }
  int64_t Taps() const { return axis[0].taps * axis[1].taps * axis[2].taps; }

  FlatPhase Phase(int64_t index) const {
    FlatPhase phase;
    for (int d = kDims - 1; d >= 0; --d) {
      phase.first[d] = index % axis[d].Phases();
      index /= axis[d].Phases();
      phase.phase[d] = phase.first[d] * axis[d].dilation % axis[d].stride;
      phase.count[d] = axis[d].PhaseTaps(phase.first[d]);
    }
    return phase;
  }
  // Taps of all phases before this one.
  int64_t TapsBefore(const FlatPhase& p) const {
    return (axis[0].TapsBefore(p.first[0]) * axis[1].taps +
            p.count[0] * axis[1].TapsBefore(p.first[1])) *
               axis[2].taps +
           p.count[0] * p.count[1] * axis[2].TapsBefore(p.first[2]);
  }

  // Positions of a plane from the first to the last useful one.
  int64_t Length() const {
    return SaturatedProduct(images - 1, plane) + Flat(axis[0].block - 1, axis[1].block - 1) +
           axis[2].block;
  }
  // The largest shift of any tap.
  int64_t Reach() const { return Flat(axis[0].reach, axis[1].reach) + axis[2].reach; }
  // Elements that the sums of a plane touch.
  int64_t Extent() const { return std::max(Length() + Reach(), SaturatedProduct(images, plane)); }

 private:
  int64_t Flat(int64_t depth, int64_t height) const {
    return SaturatedProduct(SaturatedProduct(depth, axis[1].pitch) + height, axis[2].pitch);
  }
};

// Taps that only ever meet padding are left out; there may be none, and then no phase, left.
// `planes` is the number of planes that a kernel wants in its cache at once, `max_images` how many
// images may share one.
FlatGeometry MakeFlat(const Geometry& geometry, Task task, int64_t planes, int64_t max_images);

}  // namespace aclimb::convolution_backward
