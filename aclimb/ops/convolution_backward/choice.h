#pragma once

#include <cstdint>

#include "aclimb/ops/convolution_backward/geometry.h"

namespace aclimb::convolution_backward {

// How a task is computed.
enum class Algorithm : uint8_t {
  kDirect,   // our own kernels (direct.h)
  kProduct,  // our own products of matrices (vector_product.h, vector_windows.h, tile_product.h)
  kPatch,    // windows do not overlap: a 1x1 convolution over rearranged operands
  kBlocked,  // oneDNN, in the layouts of ChooseLayouts
};

// What the processor multiplies with, as far as oneDNN may use it. Tiles (AMX) do eight times as
// many products as the dot products of AVX-512 (AVX512_BF16) in the same time, so that copies and
// padding weigh more. Float32 beside tiles has choices of its own, as measured on such a processor,
// and so has float32 on short vectors: of eight elements (AVX2) and fewer, where bfloat16 is
// computed in float32 too.
enum class Products : uint8_t {
  kFloat32,
  kFloat32BesideTiles,
  kFloat32Short,
  kBFloat16,  // AVX-512 alone
  kBFloat16Dots,
  kBFloat16Tiles,
};

// The fastest algorithm that measurements found for this kind of problem; kBlocked falls back to
// kDirect where oneDNN has no vectorised implementation, kTiles and kVectors to kBlocked for large
// teams.
//   converts  oneDNN would want copies of operands in another dtype
Algorithm ChooseAlgorithm(const Geometry& geometry, Task task, Products products,
                          bool converts = false);

// Whether our own products on vectors, of single elements or of windows, compute it at a good
// speed.
bool SuitsVectors(const Geometry& geometry, Task task);

// Whether the gradients of x and of the weight, one or both, are computed as depthwise.h says.
bool TakesDepthwise(const Geometry& geometry);
// How oneDNN is given x and y. Its own choice is best where the arithmetic is most of the time; a
// copy into a blocked layout and back costs too much elsewhere.
enum class Layouts : uint8_t {
  kBlocked,       // its choice, for its direct kernels
  kPlain,         // as programs have them: a product of matrices
  kChannelsLast,  // its direct kernels again, or a product where it has none
};

// The layouts that measurements found fastest for a primitive of this kind, on one thread and on
// two; larger teams count as two. A rule by shape: a choice by time would let results differ from
// run to run.
Layouts ChooseLayouts(const Geometry& geometry, Task task, Products products, int threads);

// The windows of so many images, side by side as a product wants them, take no more than 32 MiB in
// float32. A product with more is not taken.
bool UnfoldedFits(const Geometry& geometry, int64_t images = 1);

// What the definition of one gradient takes on one core, about.
double CyclesOf(const Geometry& geometry);

// Small enough for one thread without oneDNN, which costs more to start than to compute.
bool IsSmall(const Geometry& geometry);

// The rearranged geometry of kPatch: every element of a window is a channel. All images are one,
// side by side, where a product of each would be too narrow; otherwise y stays as it is.
Geometry PatchGeometry(const Geometry& geometry, Products products);

}  // namespace aclimb::convolution_backward
