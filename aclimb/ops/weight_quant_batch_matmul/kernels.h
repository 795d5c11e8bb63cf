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

// Terms that have one scale at least, where there are groups.
inline constexpr int64_t kBlockTerms = 32;
// Rows of x up to which each meets the integers themselves; more of them meet blocks of floats.
inline constexpr int64_t kFewRows = 4;
// Terms whose rows of the weight meet the sums at once.
inline constexpr int64_t kTermsTogether = 4;

// The blocks of some columns, and the rows of x that meet them, kFewRows at most.
struct Blocks {
  const char* codes;
  int64_t columns, column;  // how many, and bytes from one to the next
  int64_t count;            // of a column
  const float* scales;      // one for each block, column by column
  const float* x;
  int64_t rows, row;  // how many, and elements from one to the next
  // What is read soon: so many bytes are fetched with each column.
  const char* ahead;
  int64_t ahead_bytes;
};

// Rows of the weight, of neighbouring terms that have the same scales.
struct CodeRows {
  const int8_t* codes;
  int64_t row;  // elements from one to the next
  int64_t terms, count;
  int64_t ahead;  // bytes from an integer to the one that is fetched with it, 0 for none
};

// Rows of x, kFewRows at most, that meet rows of the weight: of each row of x the element of the
// first term, `step` apart, before those of the next terms; and their sums.
struct Meeting {
  const float* x;
  int64_t step, rows;
  float* sums;
  int64_t row;  // elements from the sums of one to those of the next
};

// Made for the instruction set in use.
struct Kernels {
  // Elements `first` to `first + count` of a storage of INT4, a byte each.
  void (*unpack)(const uint8_t* storage, int64_t first, int64_t count, int8_t* codes);
  // out[i] = (codes[i] + offset) * scale, with those of the element's group.
  void (*scale_piece)(const Piece& piece, float* out);
  // The sum of these, each times x[i].
  double (*dot_piece)(const Piece& piece, const float* x);
  // totals[column * rows + row] = the sum of codes * x, of which each block is scaled after it was
  // added up. INT4 meets an x of which each block has the even terms before the odd ones.
  void (*dot_int8)(const Blocks& blocks, double* totals);
  void (*dot_int4)(const Blocks& blocks, double* totals);
  // out[i] = (codes[i] + offsets[i]) * scales[i]; `offsets` may be null for 0.
  void (*scale_row)(const int8_t* codes, int64_t count, const float* scales, const float* offsets,
                    float* out);
  // sums[i] += x * what scale_row makes, one term after the other.
  void (*add_rows)(const CodeRows& codes, const float* scales, const float* offsets,
                   const Meeting& meeting);
};

const Kernels& KernelsInUse();

}  // namespace aclimb::weight_quant_batch_matmul
