#pragma once

#include <cstdint>

#include "aclimb/ops/convolution_backward/ahead.h"

// The innermost loops of direct_taps.cc and direct_outer.cc, which exist in float32 for every
// instruction set, and for pairs of bfloat16 by the dot products of AVX-512.
namespace aclimb::convolution_backward {

// Sums over some planes of sources and all taps of an output phase, for a tile of channels.
struct TapsStep {
  const float* weights;   // [sources][source_taps][tile]
  const float* source;    // first source plane, at position 0
  int64_t source_stride;  // between source planes
  int64_t sources;
  const int64_t* offsets;  // of the taps
  int64_t taps;
  int64_t source_taps;  // from the weights of a source to the next
  float* out;
  int64_t out_stride;  // between the channels of the tile
  bool accumulate;
  // Positions of a source plane outside [data_begin, data_end) are zero.
  int64_t data_begin;
  int64_t data_end;
  Ahead* ahead;
};

// sums[r * stride + c] += dot(row r, column c) over `length` elements of planes, up to a vector
// more. The numbers of rows and columns are the function's.
using DotFunction = void (*)(const void* const* rows, const void* const* columns, int64_t length,
                             double* sums, int64_t stride);
inline constexpr int kMaxDotRows = 5;
inline constexpr int kMaxDotColumns = 7;

namespace pairs {

// Vectors along the plane that one register block of AVX-512 holds beside so many channels.
constexpr int BlockWidth(int tile) { return tile == 4 ? 6 : tile == 3 ? 7 : 8; }

// out[c][t] (+)= sum of weights[s][k][c] * source[s][t + offsets[k]] for t in [0, length), and up
// to a vector more. An element of sources and weights is a pair.
void SweepTile(int64_t tile, const TapsStep& step, int64_t length);

// Of planes of bfloat16. The registers of AVX-512 hold the sums of so many columns beside the rows.
constexpr int MaxColumns(int rows) {
  constexpr int kColumns[kMaxDotRows + 1] = {0, 7, 7, 7, 6, 5};
  return kColumns[rows];
}
DotFunction DotOf(int64_t rows, int64_t columns);

}  // namespace pairs
}  // namespace aclimb::convolution_backward
