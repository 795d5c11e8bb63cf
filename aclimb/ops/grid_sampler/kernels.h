#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/ops/grid_sampler/places.h"
#include "aclimb/simd/slots.h"

// Kernels on dense tensors. No result depends on the threads.
namespace aclimb::grid_sampler {

inline constexpr int kAxes = 3;
// Places that are looked at together: their elements of a channel fill a few cache lines.
inline constexpr int64_t kTile = 64;
// Channels of an element that make a vector of their own.
inline constexpr int64_t kQuad = 4;
// Elements whose sums are behind those of a plane, for what belongs to no element.
inline constexpr int64_t kSpare = 8;

// Images of so many elements, or what is at so many places of a grid: their channels lie beside
// each other, or one plane after the other.
struct Images {
  void* data = nullptr;
  bool channels_last = false;
};

struct Args {
  int64_t batch, channels;
  int axes;  // 3, or 2: images have one layer
  // Outermost first: of the input, and of the grid.
  int64_t in[kAxes], out[kAxes];
  Interpolation interpolation;
  Padding padding;
  bool corners;
  DType dtype = DType::kFloat32;  // or float64: of all that follows
  const void* grid = nullptr;
  Images input = {}, result = {};
  // Gradients alone.
  Images gradient = {}, input_gradient = {};
  void* grid_gradient = nullptr;
  SlotMemory scratch = {};  // of ScratchBytes() each
  int64_t block = 1;        // channels of the input's gradient that are summed together
  bool both_at_once =
      false;  // InputGradient() makes the grid's gradient, too: a block has all channels

  int64_t Elements() const { return in[0] * in[1] * in[2]; }  // of an image
  int64_t Places() const { return out[0] * out[1] * out[2]; }
  // From an element of a plane of the input to the next one.
  int64_t Step() const { return input.channels_last ? channels : 1; }
};

// False when the run was cancelled.
[[nodiscard]] bool Sample(const Args& args);
[[nodiscard]] bool InputGradient(const Args& args);
[[nodiscard]] bool GridGradient(const Args& args);

// Whether Sample() gathers elements from planes in vectors of places. Of the images it asks only
// whether their channels lie beside each other.
bool TakesPlanes(const Args& args);
// Whether it does that as soon as it looks at all channels of an element.
bool PrefersPlanes(const Args& args);
// The most elements along an axis that vectors of places count in float32.
inline constexpr int64_t kLongestAxis = 1 << 21;
// Whether the offsets of a plane's elements, which lie `step` apart, fit in 4 bytes, and no axis is
// longer than kLongestAxis.
bool FitsPlaneTable(const Args& args, int64_t step);
// Whether neighbours of a plane's row, which lie beside each other, are taken as pairs.
bool TakesPairs(const Args& args);

// Of a tile of places, and for the gradient of the input sums of a block of channels.
int64_t ScratchBytes(const Args& args, bool of_input);

}  // namespace aclimb::grid_sampler
