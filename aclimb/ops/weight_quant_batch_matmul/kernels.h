#pragma once

#include <cstdint>

namespace aclimb::weight_quant_batch_matmul {

// Neighbouring integers of a column, from its element `first` on, with the scales of the groups
// from that element's on.
struct Piece {
  const int8_t* codes;
  int64_t first, count;
  int64_t group;         // elements that have one scale
  const float* scales;   // one for each group
  const float* offsets;  // likewise, or null for 0
};

// Made for the instruction set in use.
struct Kernels {
  // Elements `first` to `first + count` of a storage of INT4, a byte each.
  void (*unpack)(const uint8_t* storage, int64_t first, int64_t count, int8_t* codes);
  // out[i] = (codes[i] + offset) * scale, with those of the element's group.
  void (*scale_piece)(const Piece& piece, float* out);
  // The sum of these, each times x[i].
  double (*dot_piece)(const Piece& piece, const float* x);
  // out[i] = (codes[i] + offsets[i]) * scales[i]; `offsets` may be null for 0.
  void (*scale_row)(const int8_t* codes, int64_t count, const float* scales, const float* offsets,
                    float* out);
};

const Kernels& KernelsInUse();

}  // namespace aclimb::weight_quant_batch_matmul
