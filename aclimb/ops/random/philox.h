#pragma once

#include <cstdint>

namespace aclimb::random {

// Which numbers: other seeds or offsets give others, never the same ones shifted.
struct Source {
  uint64_t seed;
  uint64_t offset;
};

// Philox4x32-10 (Salmon et al., 2011) with the seed as its key and block and offset as its counter,
// each lower word first. A block is four words of 32 bits, or two numbers of 64, so that number i
// is the same wherever an array of them begins.
inline constexpr int64_t kBlockNumbers = 2;
// As many blocks more may be written than were asked for.
inline constexpr int64_t kSpareBlocks = 16;

// Numbers of the blocks [first, first + count).
void Numbers(const Source& source, int64_t first, int64_t count, uint64_t* to);

// Two normally distributed floats of each two words, by Box and Muller, with 24 bits of each word.
// `count` is even; a multiple of 32 has to fit at both ends.
void Normals(const uint32_t* words, int64_t count, float mean, float deviation, float* to);

// Two standard normal doubles of each two numbers, likewise, with 53 bits of each number. Where
// `count` is odd, one more fits at the end of both.
void WideNormals(const uint64_t* numbers, int64_t count, double* to);

}  // namespace aclimb::random
