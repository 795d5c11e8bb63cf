#pragma once

#include <cstdint>

namespace aclimb::copy {

// Copies bytes as memcpy does, by vectors. The C library may leave long copies to an instruction
// that some processors carry out ten times slower where `to` lies 1 to 15 bytes behind `from`,
// counted within a page, and it copies rows of some hundred bytes more slowly.
void CopyBytes(const void* from, int64_t bytes, void* to);

// Copies bytes around the caches where the instruction set can do that: for outputs that no cache
// holds. The two do not overlap.
void StreamBytes(const void* from, int64_t bytes, void* to);
// Rows of fewer bytes are not worth streaming.
constexpr int64_t kStreamedRow = 4096;
// A row of an output that no cache holds, if it streams.
inline void CopyRow(const void* from, int64_t bytes, void* to, bool streams) {
  if (streams && bytes >= kStreamedRow) return StreamBytes(from, bytes, to);
  CopyBytes(from, bytes, to);
}

// Fills bytes with a pattern of elements of 8 bytes or less, of which so many bytes are given;
// around the caches if it streams.
constexpr int64_t kPatternBytes = 128;
void RepeatBytes(const void* pattern, int64_t bytes, void* to, bool streams);

}  // namespace aclimb::copy
